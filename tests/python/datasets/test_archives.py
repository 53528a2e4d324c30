"""Folders, archives and single files look the same from inside; what is missing is named."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from pathlib import Path

import pytest

import vest_tucker as vt
from vest_tucker.datasets.archives import Source, contents, find


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "release"
    inside.mkdir()
    (inside / "data.txt").write_bytes(b"content\n")
    (inside / "README").write_bytes(b"read me\n")
    return inside


def packed(folder: Path, name: str) -> Path:
    """Pack a folder as its publisher would, a shadow of macOS included."""
    path = folder.parent / name
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(folder, "release/")
            for file in sorted(folder.iterdir()):
                archive.write(file, f"release/{file.name}")
            archive.writestr("__MACOSX/release/data.txt", b"shadow")
        return path
    with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as tar:
        tar.add(folder, "release")
    return path


def read(source: Source | None) -> bytes:
    assert source is not None
    with source.open() as stream:
        return stream.read()


def test_a_file_of_a_folder(folder: Path) -> None:
    found = find(folder, "other.txt", "data.txt")
    assert read(found) == b"content\n"
    assert str(found) == str(folder / "data.txt")
    assert find(folder, "other.txt") is None


@pytest.mark.parametrize("name", ["release.zip", "release.tar", "release.tar.gz", "release.tgz"])
def test_a_file_of_an_archive(folder: Path, name: str) -> None:
    archive = packed(folder, name)
    found = find(archive, "other.txt", "data.txt")
    assert found is not None
    assert (found.name, str(found)) == ("data.txt", f"{archive}/release/data.txt")
    assert read(found) == b"content\n"
    assert find(archive, "other.txt") is None
    assert contents(archive) == "it has release/README, release/data.txt"
    assert sorted(path.name for path in folder.parent.iterdir()) == sorted(["release", name])


def test_a_file_given_by_its_path_is_read(tmp_path: Path) -> None:
    path = tmp_path / "whatever.gz"
    path.write_bytes(gzip.compress(b"content\n"))
    assert read(find(path, "data.txt")) == b"content\n"


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(vt.errors.MissingFileError, match=r"no file or folder '.*nowhere'"):
        find(tmp_path / "nowhere", "data.txt")
    assert issubclass(vt.errors.MissingFileError, FileNotFoundError)


def test_contents_of_a_folder(tmp_path: Path) -> None:
    assert contents(tmp_path) == "it is empty"
    (tmp_path / "sub").mkdir()
    for k in range(10):
        (tmp_path / f"{k}.txt").touch()
    assert contents(tmp_path).startswith("it has 0.txt, 1.txt, ")
    assert contents(tmp_path).endswith(", 7.txt and 3 more")


@pytest.mark.parametrize("name", ["release.zip", "release.tar"])
def test_a_file_that_is_not_an_archive_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"this is no archive at all")
    with pytest.raises(vt.errors.DamagedFileError, match=name):
        find(path, "data.txt")


def test_an_archive_whose_bytes_have_changed(folder: Path) -> None:
    (folder / "data.txt").write_bytes(bytes(range(256)) * 40)
    path = packed(folder, "release.zip")
    source = find(path, "data.txt")
    whole = path.read_bytes()
    at = whole.index(b"data.txt") + 60
    path.write_bytes(whole[:at] + b"~" + whole[at + 1 :])
    with pytest.raises(vt.errors.DamagedFileError, match=r"release\.zip: is damaged or cut short"):
        read(source)
