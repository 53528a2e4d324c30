"""Our own file: all of a tensor, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_same
from vest_tucker.io.archive import write_archive

X = vt.SparseTensor(
    [[0, 4, 1], [2, 0, 0], [1, 1, 1]],
    [0.1 + 0.2, -0.0, 5e-324],
    (3, 5, 4),
    modes=["user", "film", "month"],
    labels={
        "film": ["Amélie", "", 'Big, "bad"\n', "千と千尋", "10"],
        "month": np.array(["2020-01", "2020-02", "2021-12", "1969-07"], dtype="M8[M]"),
    },
)


def test_everything_comes_back(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.npz")
    got = vt.read(tmp_path / "x.npz")
    assert_same(got, X)
    assert [labels.dtype for labels in got.labels if labels is not None] == ["O", "M8[M]"]


def test_a_tensor_without_names(tmp_path: Path) -> None:
    vt.write(vt.SparseTensor(X.coords, X.values), tmp_path / "x.npz")
    got = vt.read(tmp_path / "x.npz")
    assert got.modes == ("mode_0", "mode_1", "mode_2")
    assert got.labels == (None, None, None)


def test_archives_that_hold_no_tensor_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    write_archive(path, "model", {}, {})
    with pytest.raises(vt.errors.FileFormatError, match=r"x\.npz: holds a model, not a tensor"):
        vt.read(path)
    write_archive(path, "tensor", {"coords": X.coords}, {"shape": [3, 5, 4], "modes": None})
    with pytest.raises(vt.errors.DamagedFileError, match=r"does not hold a tensor.*values"):
        vt.read(path)
    arrays: dict[str, Any] = {"coords": X.coords, "values": X.values}
    write_archive(path, "tensor", arrays, {"shape": [1, 1, 1], "modes": ["a", "b", "c"]})
    with pytest.raises(vt.errors.DamagedFileError, match=r"does not hold a tensor.*coordinate"):
        vt.read(path)


def test_repeated_cells_are_an_error_unless_merged(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"coords": np.array([[0, 1], [0, 1]]), "values": np.array([1.0, 2.0])}
    write_archive(tmp_path / "x.npz", "tensor", arrays, {"shape": [1, 2], "modes": None})
    with pytest.raises(vt.errors.DamagedFileError, match="duplicates"):
        vt.read(tmp_path / "x.npz")
    assert vt.read(tmp_path / "x.npz", duplicates="mean").values.tolist() == [1.5]
    with pytest.raises(vt.errors.OptionError, match="duplicates"):
        vt.read(tmp_path / "x.npz", duplicates="mode")  # type: ignore[call-overload]
