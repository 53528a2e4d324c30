"""How much of a file has been read, whoever reads it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.telling.steps import Step, watched
from vest_tucker.base.telling.texts import BYTES
from vest_tucker.io import files
from vest_tucker.io.compression import open_bytes
from vest_tucker.io.counted import BUFFER, Counted, counted, size_of


def test_bytes_count_where_the_step_counts_bytes(tmp_path: Path) -> None:
    file = tmp_path / "some.bin"
    file.write_bytes(bytes(3 * BUFFER))
    with watched(False, "reading", size_of(file), BYTES) as reading:
        with counted(file) as stream:
            stream.read(10)
            assert reading.done == BUFFER
            stream.read()
        assert reading.done == reading.total == 3 * BUFFER
        with counted(file) as stream:  # again, from the start
            assert reading.done == 0
            stream.seek(0)
            stream.read(2 * BUFFER)
            stream.seek(0)
            stream.read(2 * BUFFER)
        assert reading.done == 3 * BUFFER  # no more than there is


def test_elsewhere_a_file_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "some.bin"
    file.write_bytes(b"12")
    with watched(False, "fit") as fit, counted(file) as stream:
        assert stream.read() == b"12"
        assert not isinstance(getattr(stream, "raw", None), Counted)
    assert fit.done == 0


def test_a_file_that_is_not_there_has_no_size(tmp_path: Path) -> None:
    assert size_of(tmp_path / "none") is None


@pytest.mark.parametrize("name", ["X.tns", "X.tns.gz", "X.sptensor", "X.csv", "X.parquet", "X.npz"])
def test_every_format_counts(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name.endswith((".csv", ".parquet")):
        pytest.importorskip("pyarrow")
    X, _ = vt.datasets.synthetic((40, 30, 20), 2, nnz=5000, seed=0)
    vt.write(X, tmp_path / name)
    kept: list[Step] = []

    @contextmanager
    def noticed(*given: Any) -> Iterator[Step]:
        with watched(*given) as reading:
            kept.append(reading)
            yield reading

    monkeypatch.setattr(files, "watched", noticed)
    read = vt.read(tmp_path / name)
    assert np.array_equal(np.sort(read.values), np.sort(X.values))
    (reading,) = kept
    assert reading.title == f"reading {name}"
    assert reading.total == (tmp_path / name).stat().st_size
    assert reading.done > 0.5 * reading.total


def test_a_compressed_file_counts_what_is_on_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "X.tns.gz"
    file.write_bytes(gzip.compress(b"1 1 2.5\n" + b"# nothing\n" * 100_000))
    with watched(False, "reading", size_of(file), BYTES) as reading:
        with open_bytes(file) as stream:
            assert len(stream.read()) > 1_000_000
        assert reading.done == reading.total == size_of(file)
