"""The container of our binary files: an uncompressed zip of arrays, with a header that checks them.

Each array is a ``.npy`` member, so that ``np.load`` opens the file too. The member ``header.json``
has the ``kind`` of the file, the ``version`` of the format, further facts (``meta``), and for each
array how it is stored and the SHA-256 of its bytes. Nothing is ever pickled: arrays of strings are
stored as their UTF-8 bytes and the offsets between them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import DamagedFileError, DtypeError, FileFormatError
from vest_tucker.base.types import AnyPath
from vest_tucker.io.atomic import atomic_write
from vest_tucker.io.counted import counted

FORMAT = "vest-tucker"
VERSION = 1
HEADER = "header.json"
HEADER_LIMIT = 1 << 26
CHUNK = 1 << 20
# The date of every member, always the same, so that the same content gives the same bytes.
WHEN = (1980, 1, 1, 0, 0, 0)
ZIP = b"PK\x03\x04"  # how every zip begins
TEXT_PARTS = ("utf8", "offsets")
# What zipfile, json, NumPy and the functions here raise if a file is damaged.
BROKEN = (
    zipfile.BadZipFile, ValueError, KeyError, TypeError, AttributeError, EOFError, OSError,
    RuntimeError,
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
    header = {"format": FORMAT, "version": VERSION, "kind": kind, "meta": meta, "arrays": stored}
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            stored[name] = {
                part: _write_member(archive, member, content)
                for part, member, content in _parts(name, np.asarray(array))
            }
        archive.writestr(zipfile.ZipInfo(HEADER, WHEN), json.dumps(header))


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
                raise FileFormatError("is not a file that vest-tucker wrote", path) from None
            raise DamagedFileError.because(error, path) from error


def _read_all(
    file: BinaryIO, path: AnyPath, kind: str
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    with zipfile.ZipFile(file) as archive:
        header = _read_header(archive, path, kind)
        _check_sizes(archive, path)
        arrays = {
            name: _read_array(archive, name, parts) for name, parts in header["arrays"].items()
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
            return str(_load_header(archive, path)["kind"])
    except BROKEN:
        if not Path(path).is_file():
            raise
        return None


# --- Writing --------------------------------------------------------------------------------------


def _parts(name: str, array: NDArray[Any]) -> Iterator[tuple[str, str, NDArray[Any]]]:
    """Yield part, member and content for each array that an array is stored as.

    That is the array itself, or for strings two arrays: their bytes and their offsets.
    """
    if array.dtype.kind not in "OUT":
        # C order whatever it was, so that the bytes are in the order of the elements.
        yield "npy", f"{name}.npy", np.asarray(array, order="C")
        return
    for part, content in zip(TEXT_PARTS, _pack(name, array), strict=True):
        yield part, f"{name}.{part}.npy", content


def _pack(name: str, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    texts = array.tolist()
    if array.ndim != 1 or not all(isinstance(text, str) for text in texts):
        strange = next((text for text in texts if not isinstance(text, str)), texts)
        raise DtypeError(
            f"the array {name!r} holds {strange!r}, a {type(strange).__name__}; objects can be "
            f"stored only if they are strings in one dimension: convert them first"
        )
    # Lone surrogates are not valid UTF-8, but some names that came from files have them.
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


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


def _read_header(archive: zipfile.ZipFile, path: AnyPath, kind: str) -> dict[str, Any]:
    header = _load_header(archive, path)
    version = header["version"]
    if version > VERSION:
        raise FileFormatError(
            f"was written in version {version} of the format, but this vest-tucker reads up to "
            f"{VERSION}; upgrade it",
            path,
        )
    if header["kind"] != kind:
        raise FileFormatError(f"holds a {header['kind']}, not a {kind}", path)
    return header


def _load_header(archive: zipfile.ZipFile, path: AnyPath) -> dict[str, Any]:
    if HEADER not in archive.namelist():
        raise FileFormatError(
            f"is a zip without {HEADER}, so vest-tucker did not write it; arrays of another .npz "
            f"come in with np.load and SparseTensor(coords, values)",
            path,
        )
    if archive.getinfo(HEADER).file_size > HEADER_LIMIT:
        raise FileFormatError(f"has a {HEADER} of more than {HEADER_LIMIT:,} bytes", path)
    header = json.loads(archive.read(HEADER))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError("is a zip that vest-tucker did not write", path)
    if type(header["version"]) is not int or header["version"] < 1:
        raise ValueError(f"the version of the format is {header['version']!r}")
    for name in ("meta", "arrays"):
        if not isinstance(header[name], dict):
            raise ValueError(f"{name} in {HEADER} is a {type(header[name]).__name__}")
    return header


def _check_sizes(archive: zipfile.ZipFile, path: AnyPath) -> None:
    """Raise, before anything is allocated, if the members claim more bytes than the file has."""
    members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise FileFormatError("has compressed arrays, which vest-tucker never writes", path)
    claimed, there = sum(member.file_size for member in members), Path(path).stat().st_size
    if claimed > there:
        raise ValueError(f"its arrays claim {claimed:,} bytes, but the file has {there:,}")


def _read_array(archive: zipfile.ZipFile, name: str, parts: dict[str, str]) -> NDArray[Any]:
    if "npy" in parts:
        return _read_member(archive, f"{name}.npy", parts["npy"])
    text, offsets = (
        _read_member(archive, f"{name}.{part}.npy", parts[part]) for part in TEXT_PARTS
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


def _read_member(archive: zipfile.ZipFile, member: str, checksum: str) -> NDArray[Any]:
    digest = hashlib.sha256()
    with archive.open(member) as file:
        array = _empty_as_described(file, archive.getinfo(member).file_size)
        content = _bytes_of(array)
        for begin in range(0, len(content), CHUNK):
            chunk = file.read(min(CHUNK, len(content) - begin))
            digest.update(chunk)
            content[begin : begin + CHUNK] = np.frombuffer(chunk, dtype=np.uint8)
    if digest.hexdigest() != checksum:
        raise ValueError(f"the bytes of {member} have another checksum than when it was written")
    return array


def _empty_as_described(file: IO[bytes], size: int) -> NDArray[Any]:
    """Return an array for the rest of a ``.npy``, if its description agrees with the size."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array is of another version of .npy")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if fortran or dtype.hasobject:
        raise ValueError("an array is in Fortran order, or of objects")
    there = size - file.tell()
    if there != dtype.itemsize * math.prod(shape):
        raise ValueError(f"an array of {dtype} {shape} has {there:,} bytes")
    return np.empty(shape, dtype)
