"""From indices to a tensor: what they count from, and which line is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.io.indexed import Place, by_line, tensor_of
from vest_tucker.io.read_options import Request


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.tns"
    path.write_text("# header\none\n\ntwo\nthree\n")
    return path


def made(path: Path, indices: Any, values: Any = (1.0, 2.0, 3.0), **options: Any) -> Any:
    request = Request(**options)
    given = np.array(indices), np.array(values, dtype=float)
    return tensor_of(*given, path, by_line(path), request)


@pytest.mark.parametrize(
    ("indices", "given", "base"),
    [
        ([[1, 1], [2, 3], [2, 2]], None, 1),
        ([[1, 1], [2, 3], [0, 2]], None, 0),
        ([[1, 1], [2, 3], [2, 2]], 0, 0),
        ([[1, 1], [2, 3], [2, 2]], 1, 1),
    ],
)
def test_the_index_base_is_found_or_given(
    path: Path, indices: Any, given: int | None, base: int
) -> None:
    tensor, found = made(path, indices, index_base=given)
    assert found == base
    assert tensor.coords.tolist() == (np.array(indices) - base).tolist()


def test_int32_is_not_copied(path: Path) -> None:
    indices, values = np.array([[1, 1], [2, 3]], dtype=np.int32), np.array([1.0, 2.0])
    tensor, _ = tensor_of(indices, values, path, by_line(path), Request())
    assert np.shares_memory(tensor.coords, indices)
    assert np.shares_memory(tensor.values, values)


@pytest.mark.parametrize(
    ("indices", "options", "said"),
    [
        ([[1, 1], [2, 0], [1, 2]], {"index_base": 1}, "index 0 in column 2, .* from 1"),
        ([[1, 1], [2, -4], [1, 2]], {}, "index -4 in column 2"),
        ([[0, 1], [2, 2**40], [1, 2]], {}, "index 1099511627776 in column 2, .* to 2147483646"),
        ([[1, 1], [5, 3], [2, 2]], {"shape": (4, 3)}, "index 5 in column 1, .* from 1 to 4"),
    ],
)
def test_an_index_out_of_range(path: Path, indices: Any, options: Any, said: str) -> None:
    with pytest.raises(vt.errors.FileFormatError, match=f"line 4: {said}.*'two'") as caught:
        made(path, indices, **options)
    assert caught.value.line == 4


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite(path: Path, value: float) -> None:
    with pytest.raises(vt.errors.FileFormatError, match=f"line 5: the value is {value}.*'three'"):
        made(path, [[1, 1], [2, 3], [2, 2]], [1, 2, value])


def test_a_shape_of_another_order(path: Path) -> None:
    with pytest.raises(vt.errors.ShapeError, match=r"\(4, 3, 2\) has 3 modes, but the file has 2"):
        made(path, [[1, 1], [2, 3], [2, 2]], shape=(4, 3, 2))


def test_duplicates_are_named_by_their_lines(path: Path) -> None:
    indices = [[1, 1], [2, 3], [1, 1]]
    with pytest.raises(
        vt.errors.DuplicateError, match=r"lines 2 \('one'\) and 5 \('three'\).*\"mean\""
    ):
        made(path, indices)
    tensor, _ = made(path, indices, duplicates="mean")
    assert tensor.values.tolist() == [2.0, 2.0]


def test_without_line_numbers_rows_are_named() -> None:
    assert str(Place(7).error("is odd", "x.parquet")) == "x.parquet: row 7: is odd"
