"""Reading and writing files that may be compressed.

The first bytes of a file tell its compression, and the suffix that of a new file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from vest_tucker.base.errors import DamagedFileError
from vest_tucker.base.types import AnyPath
from vest_tucker.io.arrow import arrow
from vest_tucker.io.atomic import atomic_write
from vest_tucker.io.counted import counted
from vest_tucker.io.safety.limits import rest_of_line

MAGIC = {"gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ\x00", "zst": b"\x28\xb5\x2f\xfd"}
BOM = b"\xef\xbb\xbf"
BROKEN = (EOFError, zlib.error, lzma.LZMAError, OSError)


def compression_of(path: AnyPath) -> str | None:
    """Return how a file is compressed, whatever its name: "gz", "bz2", "xz", "zst" or None."""
    with Path(path).open("rb") as file:
        start = file.read(6)
    return next((name for name, magic in MAGIC.items() if start.startswith(magic)), None)


def suffixes(path: AnyPath) -> tuple[str, str | None]:
    """Return the suffix of the format, in lower case, and the compression after it, if any.

    Examples
    --------
    >>> suffixes("nips.TNS.gz"), suffixes("v1.2.csv"), suffixes("notes")
    (('.tns', 'gz'), ('.csv', None), ('', None))
    """
    name = Path(path)
    last = name.suffix.lower()
    if last[1:] in MAGIC:
        return Path(name.stem).suffix.lower(), last[1:]
    return last, None


def whole_lines(stream: BinaryIO, size: int, path: AnyPath = "") -> Iterator[bytes]:
    """Yield blocks of whole lines of about ``size`` bytes, without the byte order mark of UTF-8.

    ``path`` is what the error for a line that is too long calls the file.
    """
    block = stream.read(size).removeprefix(BOM)
    while block:
        yield block + rest_of_line(stream, path)
        block = stream.read(size)


@contextmanager
def open_bytes(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a file for reading its bytes, unpacked if it is compressed."""
    compression = compression_of(path)
    try:
        with counted(path) as file, _unpacked(file, compression) as stream:
            yield stream
    except BROKEN as error:
        # Errors of the operating system have a number, those of a decompressor do not.
        if compression is None or getattr(error, "errno", None) is not None:
            raise
        raise DamagedFileError(
            f"its {compression} compression is damaged or cut short ({error}); get it again", path
        ) from error


@contextmanager
def create_bytes(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a file for writing, whole or not at all, compressed as its suffix says."""
    with atomic_write(path) as file, _packed(file, suffixes(path)[1]) as stream:
        yield stream


def _unpacked(file: BinaryIO, compression: str | None) -> Any:
    if compression == "gz":
        return gzip.GzipFile(fileobj=file)
    if compression == "bz2":
        return bz2.BZ2File(file)
    if compression == "xz":
        return lzma.LZMAFile(file)
    if compression == "zst":
        pa = arrow("reading a .zst file")
        return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"))
    return file


def _packed(file: BinaryIO, compression: str | None) -> Any:
    if compression == "gz":  # no name and no time, so that the same content gives the same bytes
        return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)
    if compression == "bz2":
        return bz2.BZ2File(file, "wb")
    if compression == "xz":
        return lzma.LZMAFile(file, "wb")
    if compression == "zst":
        pa = arrow("writing a .zst file")
        return pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), "zstd")
    return file
