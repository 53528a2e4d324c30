"""Bytes of files: compressed or not, whatever they are called, and named when they are damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pytest

import vest_tucker as vt
from vest_tucker.io.compression import (
    compression_of,
    create_bytes,
    open_bytes,
    suffixes,
    whole_lines,
)

TEXT = b"".join(b"%d %d %d.5\n" % (k % 97, k, k % 5) for k in range(1, 50_000))
SUFFIXES = {"": None, ".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}


def written(folder: Path, suffix: str) -> Path:
    path = folder / f"x.tns{suffix}"
    with create_bytes(path) as file:
        file.write(TEXT[:1000])
        file.write(TEXT[1000:])
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, suffix)
    assert compression_of(path) == SUFFIXES[suffix]
    assert (path.stat().st_size < len(TEXT) / 2) == (suffix != "")
    with open_bytes(path) as stream:
        assert stream.read(10) + stream.readline() + stream.read() == TEXT
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_name_does_not_matter_for_reading(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, suffix).rename(tmp_path / "anything.gz")
    with open_bytes(path) as stream:
        assert stream.read() == TEXT


def test_files_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for packed in (gzip.compress(TEXT), bz2.compress(TEXT), lzma.compress(TEXT)):
        for content, times in ((packed, 1), (packed + packed, 2)):
            path.write_bytes(content)
            with open_bytes(path) as stream:
                assert stream.read() == TEXT * times


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for suffix in SUFFIXES:
        one, two = written(tmp_path, suffix), written(tmp_path / "other", suffix)
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("suffix", list(SUFFIXES)[1:])
def test_a_file_cut_short_is_damaged(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, suffix)
    whole = path.read_bytes()
    for length in (8, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:length])
        with pytest.raises(vt.errors.DamagedFileError, match=f"{suffix[1:]} compression"):
            read(path)


@pytest.mark.parametrize("suffix", list(SUFFIXES)[1:])
def test_rubbish_after_the_first_bytes_is_damaged(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, suffix)
    path.write_bytes(path.read_bytes()[:6] + b"rubbish" * 100)
    with pytest.raises(vt.errors.DamagedFileError, match="damaged"):
        read(path)


def read(path: Path) -> bytes:
    with open_bytes(path) as stream:
        return stream.read()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, suffix)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def write_half(path: Path) -> None:
    with create_bytes(path) as file:
        file.write(TEXT[:5000])
        raise KeyboardInterrupt


def test_errors_of_the_operating_system_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "missing.gz")
    with pytest.raises((IsADirectoryError, PermissionError)):
        read(tmp_path)


def test_suffixes_in_capitals_and_with_dots_before() -> None:
    assert suffixes("A.B/nips.v2.TNS.GZ") == (".tns", "gz")
    assert suffixes("x.gz") == ("", "gz")


@pytest.mark.parametrize("size", [1, 3, 4, 5, 100])
def test_whole_lines(size: int) -> None:
    content = b"12\n3456\n\n7"
    for start in (b"", b"\xef\xbb\xbf"):
        blocks = list(whole_lines(io.BytesIO(start + content), max(size, len(start) + 1)))
        assert b"".join(blocks) == content
        assert all(block.endswith(b"\n") for block in blocks[:-1])


# A frame of zstd that has the sum of its content at its end, as the program `zstd` writes it.
SUMMED = bytes.fromhex("28b52ffd240c61000031203120350a32203220340ab0878707")


def test_the_sum_in_a_zst_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "x.tns.zst"
    path.write_bytes(SUMMED)
    assert read(path) == b"1 1 5\n2 2 4\n"
    path.write_bytes(SUMMED.replace(b" 5", b" 7"))
    with pytest.raises(vt.errors.DamagedFileError, match="checksum"):
        read(path)
