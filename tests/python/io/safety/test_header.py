"""The header: signed when it is written, and believed only as it was signed."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import vest_tucker as vt
from vest_tucker.io.safety.header import HEADER, load_header, read_header, signed

GOOD: dict[str, Any] = {
    "format": "vest-tucker", "version": 1, "kind": "thing",
    "meta": {"label": "soup", "error": 0.25}, "arrays": {},
}  # fmt: skip


def archive(content: bytes, path: Path, **how: Any) -> zipfile.ZipFile:
    with zipfile.ZipFile(path, "w", **how) as file:
        file.writestr(HEADER, content)
    return zipfile.ZipFile(path)


def test_what_is_signed_is_read(tmp_path: Path) -> None:
    content = signed(GOOD)
    assert content == signed(GOOD)
    header = read_header(archive(content, tmp_path / "x"), tmp_path / "x", "thing")
    assert len(header.pop("checksum")) == 64
    assert header == GOOD


@pytest.mark.parametrize(
    ("was", "becomes"),
    [(b"soup", b"soap"), (b"0.25", b"0.26"), (b'{"label"', b'{ "label"'), (b'"}', b'" }')],
)
def test_any_change_is_noticed(tmp_path: Path, was: bytes, becomes: bytes) -> None:
    content = signed(GOOD)
    place = content.rindex(was)
    changed = content[:place] + becomes + content[place + len(was) :]
    assert json.loads(changed)
    with pytest.raises(ValueError, match="another checksum"):
        read_header(archive(changed, tmp_path / "x"), tmp_path / "x", "thing")


def test_files_of_before_have_no_signature(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert read_header(archive(json.dumps(GOOD).encode(), path), path, "thing") == GOOD


def test_a_newer_version_may_sign_in_another_way(tmp_path: Path) -> None:
    newer = json.dumps(GOOD | {"version": 2, "checksum": "other"}).encode()
    with pytest.raises(vt.errors.FileFormatError, match="upgrade"):
        read_header(archive(newer, tmp_path / "x"), tmp_path / "x", "thing")


def test_compressed_encrypted_and_lying_members(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(vt.errors.FileFormatError, match="compressed"):
        load_header(archive(signed(GOOD), path, compression=zipfile.ZIP_DEFLATED), path)
    lying = archive(signed(GOOD), path)
    lying.getinfo(HEADER).flag_bits |= 1
    with pytest.raises(vt.errors.FileFormatError, match="encrypted"):
        load_header(lying, path)
    for name in ("compress_size", "file_size"):
        lying = archive(signed(GOOD), path)
        setattr(lying.getinfo(HEADER), name, 1 << 25)
        with pytest.raises(ValueError, match="claims more bytes than there are"):
            load_header(lying, path)
    with (
        zipfile.ZipFile(io.BytesIO(), "w") as empty,
        pytest.raises(vt.errors.FileFormatError, match="did not write"),
    ):
        load_header(empty, path)
