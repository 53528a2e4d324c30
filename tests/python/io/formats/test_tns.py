"""FROSTT's format: read and written, with what it has no place for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_same
from vest_tucker.io import lines
from vest_tucker.io.formats import tns

X = vt.SparseTensor([[0, 4, 1], [2, 0, 0], [1, 1, 1]], [0.1 + 0.2, -0.0, 1e-320])


def test_it_is_written_from_1_with_all_digits(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.tns")
    lines = [line.split() for line in (tmp_path / "x.tns").read_text().splitlines()]
    assert [line[:3] for line in lines] == [["1", "5", "2"], ["3", "1", "1"], ["2", "2", "2"]]
    # With Arrow -0 is written so, without it -0.0: the bits count.
    written = [float(line[3]).hex() for line in lines]
    assert written == [value.hex() for value in (0.30000000000000004, -0.0, 1e-320)]


@pytest.mark.parametrize("index_base", [0, 1])
@pytest.mark.parametrize("shape", [(3, 5, 2), (30, 5, 20)])
@pytest.mark.parametrize("shift", [0, 1])
def test_round_trip(tmp_path: Path, index_base: int, shape: tuple[int, ...], shift: int) -> None:
    """Also where neither the shape nor the base can be seen from the indices."""
    Y = vt.SparseTensor(X.coords + shift, X.values, np.add(shape, shift))
    vt.write(Y, tmp_path / "x.tns", index_base=index_base)
    got, info = vt.read(tmp_path / "x.tns", return_info=True)
    assert info.index_base == index_base
    assert_same(got, Y)


def test_the_shape_comes_from_the_first_line_or_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "x.tns"
    path.write_text("# shape 30 50 from 0\n1 2 3.5\n")
    assert vt.read(path).shape == (30, 50)
    assert vt.read(path).coords.tolist() == [[1, 2]]
    given = vt.read(path, shape=(4, 4))
    assert (given.shape, given.coords.tolist()) == ((4, 4), [[1, 2]])
    assert vt.read(path, index_base=0).shape == (30, 50)
    with pytest.raises(vt.errors.OptionError, match=r"index_base is 1, but .* count from 0"):
        vt.read(path, index_base=1)
    path.write_text("# shape of things to come\n1 2 3.5\n")
    assert vt.read(path).shape == (1, 2)


def test_written_in_chunks_and_without_arrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    cells = rng.permutation(30 * 40)[:1000]
    Y = vt.SparseTensor(np.stack(divmod(cells, 40), axis=1), rng.standard_normal(1000))
    vt.write(Y, tmp_path / "whole.tns")
    monkeypatch.setattr(tns, "CHUNK", 77)
    vt.write(Y, tmp_path / "chunks.tns")
    assert (tmp_path / "chunks.tns").read_bytes() == (tmp_path / "whole.tns").read_bytes()
    for module in (tns, lines):
        monkeypatch.setattr(module, "arrow_or_none", lambda: None)
    vt.write(Y, tmp_path / "numpy.tns")
    got = vt.read(tmp_path / "numpy.tns")
    assert got.coords.tobytes() == Y.coords.tobytes()
    assert got.values.tobytes() == Y.values.tobytes()


def test_names_for_the_modes(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.tns")
    assert vt.read(tmp_path / "x.tns", modes=["user", "film", "hour"]).modes[1] == "film"


def test_many_modes(tmp_path: Path) -> None:
    Y = vt.SparseTensor(np.eye(20, dtype=int), np.arange(20))
    vt.write(Y, tmp_path / "x.tns")
    got: Any = vt.read(tmp_path / "x.tns")
    assert got.shape == (2,) * 20
    assert got.coords.tolist() == Y.coords.tolist()


def test_values_of_nan_are_dropped_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.tns"
    path.write_text("# i j value\n1 1 2.5\n1 2 nan\n2 1 3\n")
    with pytest.raises(vt.errors.FileFormatError, match=r'line 3: .*nan.*missing="drop"'):
        vt.read(path)
    with pytest.warns(UserWarning, match=r"1 of 3 rows was dropped .*'value' \(first in line 3\)"):
        assert vt.read(path, missing="drop").values.tolist() == [2.5, 3.0]
    path.write_text("1 1 nan\n1 2 inf\n")
    with (
        pytest.warns(UserWarning, match="1 of 2 rows"),
        pytest.raises(vt.errors.FileFormatError, match=r"line 2: .*inf"),
    ):
        vt.read(path, missing="drop")
