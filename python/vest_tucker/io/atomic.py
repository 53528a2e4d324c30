"""Writing a file whole or not at all: into a temporary file, which is then renamed."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vest_tucker.base.options import check_path
from vest_tucker.base.types import AnyPath
from vest_tucker.io.safety.leftovers import remove_leftovers, temporary_beside

# What systems say that cannot write the list of a folder through to the disk, or may not read it.
NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF)


@contextmanager
def atomic_write(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a file whose content appears under ``path`` when the block ends, and not before.

    If anything goes wrong in the block, Ctrl-C included, no new file is left, and an old file is
    unchanged. The new file has the permissions that ``open(path, "wb")`` gives: those of the old
    file, or else what the umask leaves; a symbolic link stays one. A process that is killed leaves
    its temporary file behind, which the next to write to the same path removes.

    Examples
    --------
    >>> from pathlib import Path
    >>> with atomic_write("entries.txt") as file:
    ...     _ = file.write(b"1 1 5.0")
    >>> with atomic_write("entries.txt") as file:
    ...     _ = file.write(b"1 1")
    ...     raise RuntimeError("the disk is full")
    Traceback (most recent call last):
    RuntimeError: the disk is full
    >>> Path("entries.txt").read_text()
    '1 1 5.0'
    """
    target = Path(os.path.realpath(check_path("path", path)))
    replaces = _is_writable_file(target, path)
    remove_leftovers(target)
    temporary = temporary_beside(target)
    try:
        with _create(temporary, path) as file:
            yield file
        with temporary.open("rb+") as file:  # opened again, because some writers close it
            os.fsync(file.fileno())
        if replaces:
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """See to it that the new name is on the disk, not only what it names."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise


def _is_writable_file(target: Path, path: AnyPath) -> bool:
    """Whether there is a file to replace; raise where ``open`` would, and for devices and pipes."""
    if not target.exists():
        return False
    name = os.fspath(check_path("path", path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not target.is_file():
        raise OSError(f"{name!r} is a device or a pipe, which no file can replace")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return True


def _create(temporary: Path, path: AnyPath) -> BinaryIO:
    try:
        return temporary.open("xb")
    except OSError as error:  # name the caller's path, not the temporary one
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
