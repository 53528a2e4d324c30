"""The header of our binary files: what a file is, signed by a checksum, and believed only then."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vest_tucker.base.errors import FileFormatError
from vest_tucker.base.options import type_text
from vest_tucker.base.types import AnyPath

FORMAT = "vest-tucker"
VERSION = 1
HEADER = "header.json"
HEADER_LIMIT = 1 << 26
SHOWN = 80  # characters of a member's name in a message
ENCRYPTED = 1  # the bit of a member's flags
SIGNATURE = b', "checksum": "'  # before the checksum of all that comes before, at the very end


def signed(header: Mapping[str, Any]) -> bytes:
    """Return a header as JSON whose last entry is the checksum of all others.

    Examples
    --------
    >>> signed({"kind": "model"})[:43]
    b'{"kind": "model", "checksum": "62c12a77d3a8'
    """
    content = json.dumps(header).encode()
    return content[:-1] + SIGNATURE + _digest(content)


def _digest(content: bytes) -> bytes:
    return f'{hashlib.sha256(content).hexdigest()}"}}'.encode()


def read_header(archive: zipfile.ZipFile, path: AnyPath, kind: str) -> dict[str, Any]:
    """Return the header of an archive of one kind; raise if it has changed since it was written."""
    header, content = load_header(archive, path)
    version = header["version"]
    if version > VERSION:
        raise FileFormatError(
            f"was written in version {version} of the format, but this vest-tucker reads up to "
            f"{VERSION}; upgrade it",
            path,
        )
    if header["kind"] != kind:
        raise FileFormatError(f"holds a {header['kind']}, not a {kind}", path)
    if "checksum" in header:  # files of earlier versions have none
        _check_signature(content)
    return header


def load_header(archive: zipfile.ZipFile, path: AnyPath) -> tuple[dict[str, Any], bytes]:
    """Return the header of an archive of any kind and version, and its bytes."""
    if HEADER not in archive.namelist():
        raise FileFormatError(
            f"is a zip without {HEADER}, so vest-tucker did not write it; arrays of another .npz "
            f"come in with np.load and SparseTensor(coords, values)",
            path,
        )
    member = archive.getinfo(HEADER)
    if member.file_size > HEADER_LIMIT:
        raise FileFormatError(f"has a {HEADER} of more than {HEADER_LIMIT:,} bytes", path)
    require_plain(member, path)
    content = archive.read(member)
    header = json.loads(content)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError("is a zip that vest-tucker did not write", path)
    if type(header["version"]) is not int or header["version"] < 1:
        raise ValueError(f"the version of the format is {header['version']!r}")
    for name in ("meta", "arrays"):
        if not isinstance(header[name], dict):
            raise ValueError(f"{name} in {HEADER} is {type_text(header[name])}")
    return header, content


def _check_signature(content: bytes) -> None:
    before, _, after = content.rpartition(SIGNATURE)
    if after != _digest(before + b"}"):
        raise ValueError(f"{HEADER} has another checksum than when it was written")


def require_plain(member: zipfile.ZipInfo, path: AnyPath) -> None:
    """Raise if a member is anything but bytes as they are."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise FileFormatError("has compressed arrays, which vest-tucker never writes", path)
    if member.flag_bits & ENCRYPTED:
        raise FileFormatError("has encrypted arrays, which vest-tucker never writes", path)
    if member.compress_size != member.file_size or member.file_size > Path(path).stat().st_size:
        # Looked at before it is read, because zipfile asks for all bytes that a member claims.
        raise ValueError(f"the member {member.filename[:SHOWN]!r} claims more bytes than there are")
