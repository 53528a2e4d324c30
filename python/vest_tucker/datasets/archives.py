"""Finding the files of a dataset in a folder or an archive, which is read without unpacking it."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, cast

from vest_tucker.base.errors import DamagedFileError, MissingFileError
from vest_tucker.base.options import check_path
from vest_tucker.base.telling.steps import Step, watched
from vest_tucker.base.telling.texts import BYTES
from vest_tucker.base.types import AnyPath
from vest_tucker.data.labels import some
from vest_tucker.io.compression import open_bytes
from vest_tucker.io.counted import counted, size_of

if TYPE_CHECKING:
    from tarfile import TarFile

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError)
SHOWN = 8  # names that a message lists


class Source(NamedTuple):
    """One file of a dataset: its path; or the path of an archive and the name of a member."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """The name of the file without folders."""
        return PurePosixPath(self.member).name or self.path.name

    def __str__(self) -> str:
        return f"{self.path}/{self.member}" if self.member else str(self.path)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file for reading its unpacked bytes; how many of them is shown and logged."""
        total = None if self.member else size_of(self.path)
        with watched("auto", f"reading {self.name}", total, BYTES) as reading:
            if not self.member:
                with open_bytes(self.path) as stream:
                    yield stream
                return
            try:
                with _inside(self.path, self.member, reading) as stream:
                    yield cast(BinaryIO, stream)
            except BROKEN as error:
                raise DamagedFileError.because(error, self.path) from error


def find(path: AnyPath, *names: str) -> Source | None:
    """Return the first of ``names`` that a folder or an archive has; None if it has none of them.

    A path to another file is returned as it is, whatever the name.
    """
    place = check_path("path", path)
    if not place.exists():
        raise MissingFileError(f"there is no file or folder {os.fspath(path)!r}")
    if place.is_dir():
        return next((Source(place / name) for name in names if (place / name).is_file()), None)
    if not is_archive(place):
        return Source(place)
    try:
        members = {PurePosixPath(member).name: member for member in _members(place, names)}
    except BROKEN as error:
        raise DamagedFileError.because(error, place) from error
    return next((Source(place, members[name]) for name in names if name in members), None)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, by its name or its content."""
    return path.suffix == ".zip" or _is_tar(path) or zipfile.is_zipfile(path)


def _is_tar(path: Path) -> bool:
    return path.name.endswith((".tar", ".tar.gz", ".tgz"))


def contents(path: AnyPath) -> str:
    """Return the content of a folder or an archive, as a message says it."""
    place = Path(path)
    if place.is_dir():
        there = sorted(entry.name + "/" * entry.is_dir() for entry in place.iterdir())
    else:
        there = sorted(_members(place, ()))
    return f"it has {some(there, SHOWN)}" if there else "it is empty"


def _members(archive: Path, wanted: tuple[str, ...]) -> Iterator[str]:
    """Yield names inside an archive; in a tar, which has no index, up to the first wanted name."""
    if not _is_tar(archive):
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in opened.namelist() if not name.endswith("/")]
        # macOS adds a folder with a hidden companion of each file.
        yield from (name for name in names if not name.startswith("__MACOSX/"))
        return
    with _opened_tar(archive) as tar:
        for member in tar:
            if member.isfile():
                yield member.name
                if PurePosixPath(member.name).name in wanted:
                    return


@contextmanager
def _inside(archive: Path, member: str, reading: Step) -> Iterator[IO[bytes]]:
    if not _is_tar(archive):
        with counted(archive) as file, zipfile.ZipFile(file) as opened:
            reading.total = opened.getinfo(member).compress_size
            reading.restart()  # the index of the archive does not count
            with opened.open(member) as stream:
                yield stream
        return
    with _opened_tar(archive) as tar:
        stream_or_none = tar.extractfile(member)
        assert stream_or_none is not None, "only files are looked for"
        with stream_or_none as stream:
            yield stream


@contextmanager
def _opened_tar(archive: Path) -> Iterator[TarFile]:
    import tarfile  # seldom needed, and slow to load

    try:
        with tarfile.open(archive) as tar:
            yield tar
    except tarfile.TarError as error:
        raise DamagedFileError.because(error, archive) from error
