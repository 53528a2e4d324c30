"""The container of our binary files: an uncompressed zip of arrays, with a header that checks them.

Each array is a ``.npy`` member, so that ``np.load`` opens the file too. The member ``header.json``
has the ``kind`` of the file, the ``version`` of the format, further facts (``meta``), and for each
array how it is stored and the SHA-256 of its bytes, for each member the type and shape, and last a
SHA-256 of the header itself (files of earlier versions lack these two, and are read without them).
Nothing is ever pickled: arrays of strings are stored as their UTF-8 bytes and the offsets between.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import DamagedFileError, DtypeError, FileFormatError
from vest_tucker.base.options import type_text
from vest_tucker.base.types import AnyPath
from vest_tucker.io.atomic import atomic_write
from vest_tucker.io.counted import counted
from vest_tucker.io.safety.header import (
    FORMAT,
    HEADER,
    VERSION,
    load_header,
    read_header,
    require_plain,
    signed,
)
from vest_tucker.io.safety.npy_head import read_head

CHUNK = 1 << 20
# The date of every member, always the same, so that the same content gives the same bytes.
WHEN = (1980, 1, 1, 0, 0, 0)
ZIP = b"PK\x03\x04"  # how every zip begins
WHOLE, TEXT_PARTS = "npy", ("utf8", "offsets")  # the parts that arrays are stored as
# What zipfile, json, NumPy and the functions here raise if a file is damaged.
BROKEN = (
    zipfile.BadZipFile, struct.error, ValueError, LookupError, TypeError, AttributeError, EOFError,
    OSError, RuntimeError, OverflowError,
)  # fmt: skip


def write_archive(
    path: AnyPath,
    kind: str,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
) -> None:
    """Write arrays and further facts as one file of the given kind.

    Parameters
    ----------
    path : path
        Written whole or not at all.
    kind : str
        What the file is; `read_archive` asks for the same word.
    arrays : mapping of str to array
        Arrays of any dtype; arrays of objects only if all of them are strings.
    meta : mapping
        Facts that JSON can hold.

    Examples
    --------
    >>> import numpy as np
    >>> write_archive("sizes.npz", "sizes", {"n": np.arange(3)}, {"unit": "cm"})
    >>> arrays, meta = read_archive("sizes.npz", "sizes")
    >>> arrays["n"], meta
    (array([0, 1, 2]), {'unit': 'cm'})
    """
    stored: dict[str, dict[str, str]] = {}
    types: dict[str, Any] = {}
    header = {"format": FORMAT, "version": VERSION, "kind": kind, "meta": meta, "arrays": stored}
    header["types"] = types
    with atomic_write(path) as file, _Draft(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            stored[name] = {}
            for part, member, content in _parts(name, np.asarray(array)):
                stored[name][part] = _write_member(archive, member, content)
                types[member] = _type_of(content)
        archive.writestr(zipfile.ZipInfo(HEADER, WHEN), signed(header))


def read_archive(path: AnyPath, kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what `write_archive` wrote; raise if it is damaged or of another kind.

    Strings come back as an object array of `str`; every other array as it was.
    """
    with counted(path) as file:
        try:
            return _read_all(file, path, kind)
        except FileFormatError:
            raise
        except BROKEN as error:
            if not is_archive(path):
                raise FileFormatError(
                    f"is not a file that vest-tucker wrote, where one of a {kind} is wanted", path
                ) from None
            raise DamagedFileError.because(error, path) from error


def _read_all(
    file: BinaryIO, path: AnyPath, kind: str
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    with zipfile.ZipFile(file) as archive:
        header = read_header(archive, path, kind)
        _check_members(archive, header["arrays"], path)
        types = header.get("types")
        arrays = {
            name: _read_array(archive, name, parts, types)
            for name, parts in header["arrays"].items()
        }
        return arrays, header["meta"]


def is_archive(path: AnyPath) -> bool:
    """Whether the first bytes of a file are those of an archive."""
    with Path(path).open("rb") as file:
        return file.read(len(ZIP)) == ZIP


def kind_of(path: AnyPath) -> str | None:
    """Return what an archive says that it holds; None for another file, or if it does not say.

    Examples
    --------
    >>> import numpy as np
    >>> write_archive("sizes.npz", "sizes", {"n": np.arange(3)}, {})
    >>> kind_of("sizes.npz")
    'sizes'
    """
    try:
        with Path(path).open("rb") as file, zipfile.ZipFile(file) as archive:
            return str(load_header(archive, path)[0]["kind"])
    except BROKEN:
        if not Path(path).is_file():
            raise
        return None


# --- Writing --------------------------------------------------------------------------------------


class _Draft(zipfile.ZipFile):
    """A zip that is thrown away, not closed, if anything goes wrong while it is written.

    In the middle of a member, closing raises an error of its own, also when it is Ctrl-C's.
    """

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self.close()

    # Nor is it closed when it is collected. No function of Python, in which a Ctrl-C would be lost.
    __del__ = object.__init__


def _parts(name: str, array: NDArray[Any]) -> Iterator[tuple[str, str, NDArray[Any]]]:
    """Yield part, member and content for each array that an array is stored as.

    That is the array itself, or for strings two arrays: their bytes and their offsets.
    """
    if array.dtype.kind not in "OUT":
        if array.dtype.names or not array.dtype.itemsize:
            raise DtypeError(
                f"the array {name!r} is of {array.dtype}; store its columns one by one"
            )
        # C order whatever it was, so that the bytes are in the order of the elements.
        yield WHOLE, _member(name, WHOLE), np.asarray(array, order="C")
        return
    for part, content in zip(TEXT_PARTS, _pack(name, array), strict=True):
        yield part, _member(name, part), content


def _member(name: str, part: str) -> str:
    return f"{name}.npy" if part == WHOLE else f"{name}.{part}.npy"


def _pack(name: str, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    texts = array.tolist()
    if array.ndim != 1 or not all(isinstance(text, str) for text in texts):
        strange = next((text for text in texts if not isinstance(text, str)), texts)
        raise DtypeError(
            f"the array {name!r} holds {strange!r}, {type_text(strange)}; objects can be "
            f"stored only if they are strings in one dimension: convert them first"
        )
    # Lone surrogates are not valid UTF-8, but some names that came from files have them.
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def _type_of(array: NDArray[Any]) -> list[Any]:
    return [array.dtype.str, list(array.shape)]


def _write_member(archive: zipfile.ZipFile, member: str, array: NDArray[Any]) -> str:
    """Write one ``.npy`` and return the SHA-256 of the elements' bytes."""
    content = _bytes_of(array)
    digest = hashlib.sha256()
    # The size is known only afterwards, and may be too large for a zip without 64-bit sizes.
    with archive.open(zipfile.ZipInfo(member, WHEN), "w", force_zip64=True) as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        for begin in range(0, len(content), CHUNK):
            chunk = content[begin : begin + CHUNK].data
            file.write(chunk)
            digest.update(chunk)
    return digest.hexdigest()


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    # A view, because arrays of dates have no buffer interface.
    return array.reshape(-1).view(np.uint8)


# --- Reading --------------------------------------------------------------------------------------


def _check_members(archive: zipfile.ZipFile, arrays: Mapping[str, Any], path: AnyPath) -> None:
    """Raise, before anything is allocated, if the members are more than was written."""
    members = archive.infolist()
    for member in members:
        require_plain(member, path)
    claimed, there = sum(member.file_size for member in members), Path(path).stat().st_size
    if claimed > there:
        raise ValueError(f"its arrays claim {claimed:,} bytes, but the file has {there:,}")
    names = [member.filename for member in members]
    known = {HEADER, *(_member(name, part) for name, parts in arrays.items() for part in parts)}
    if len(names) != len(set(names)) or set(names) != known:
        raise ValueError("its members are not those that its header names, each of them once")


def _read_array(
    archive: zipfile.ZipFile, name: str, parts: dict[str, str], types: dict[str, Any] | None
) -> NDArray[Any]:
    if WHOLE in parts:
        return _read_member(archive, _member(name, WHOLE), parts[WHOLE], types)
    text, offsets = (
        _read_member(archive, _member(name, part), parts[part], types) for part in TEXT_PARTS
    )
    return _unpack(text, offsets)


def _unpack(text: NDArray[Any], offsets: NDArray[Any]) -> NDArray[Any]:
    if text.dtype != np.uint8 or text.ndim != 1:
        raise ValueError("the bytes of strings are not stored as bytes")
    if offsets.dtype != np.int64 or offsets.ndim != 1 or not offsets.size:
        raise ValueError("the offsets of strings are not a list of whole numbers")
    if offsets[0] != 0 or offsets[-1] != len(text) or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"the offsets of strings do not go from 0 to {len(text)} in order")
    content, ends = text.tobytes(), offsets.tolist()
    strings = np.empty(len(ends) - 1, dtype=object)
    strings[:] = [
        content[begin:end].decode("utf-8", "surrogatepass")
        for begin, end in itertools.pairwise(ends)
    ]
    return strings


def _read_member(
    archive: zipfile.ZipFile, member: str, checksum: str, types: dict[str, Any] | None
) -> NDArray[Any]:
    digest = hashlib.sha256()
    with archive.open(member) as file:
        dtype, shape = read_head(file)
        there = archive.getinfo(member).file_size - file.tell()
        if there != dtype.itemsize * math.prod(shape):
            raise ValueError(f"an array of {dtype} {shape} has {there:,} bytes")
        array: NDArray[Any] = np.empty(shape, dtype)
        if types is not None and types[member] != _type_of(array):
            raise ValueError(f"{member} is of another type or shape than when it was written")
        content = _bytes_of(array)
        for begin in range(0, len(content), CHUNK):
            chunk = file.read(min(CHUNK, len(content) - begin))
            digest.update(chunk)
            content[begin : begin + CHUNK] = np.frombuffer(chunk, dtype=np.uint8)
    if digest.hexdigest() != checksum:
        raise ValueError(f"the bytes of {member} have another checksum than when it was written")
    return array
