"""X, y and sample weights of every form become the same tensor."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from meals import LIBRARIES
from sklearn_cells import NAMES, columns, rows

pytest.importorskip("sklearn")

from vest_tucker.sklearn import VestRegressor
from vest_tucker.sklearn.cells import is_named_frame, tensor_of

EAGER = {name: make for name, make in LIBRARIES.items() if "lazy" not in name}


def made(X: Any, y: Any, weights: Any = None, duplicates: Any = "mean") -> vt.SparseTensor:
    return tensor_of(VestRegressor(), X, y, weights, duplicates)


def same(one: vt.SparseTensor, two: vt.SparseTensor) -> bool:
    return (
        np.array_equal(one.coords, two.coords)
        and np.array_equal(one.values, two.values)
        and one.mode_labels.labels[0].tolist() == two.mode_labels.labels[0].tolist()  # type: ignore[union-attr]
    )


@pytest.mark.parametrize("make", EAGER.values(), ids=EAGER)
def test_frames_keep_types_and_names(make: Callable[..., Any]) -> None:
    labels, values = columns()
    tensor = made(make(labels), values)
    assert tensor.modes == NAMES
    text, whole, days = (own for own in tensor.labels if own is not None)
    assert text[0] == "person a"
    assert whole.tolist() == list(range(100, 110))
    assert np.datetime64(days[0], "D") == np.datetime64("2021-05-01")
    assert tensor.weights is None


def test_lists_and_arrays_of_objects_keep_types() -> None:
    given, values = rows()
    tensor = made(given, values)
    assert tensor.modes == ("mode_0", "mode_1", "mode_2")
    assert [own is not None and own.dtype.kind for own in tensor.labels] == ["O", "i", "M"]
    array = np.empty((len(given), 3), dtype=object)
    array[:] = given
    assert same(made(array, values), tensor)


def test_the_order_of_the_rows_does_not_matter(rng: np.random.Generator) -> None:
    given, values = rows()
    order = rng.permutation(len(given))
    assert same(made([given[k] for k in order], values[order]), made(given, values))


def test_a_repeated_cell_weighs_as_many_rows() -> None:
    cells = [["a", 1], ["a", 1], ["b", 2]]
    tensor = made(cells, [1.0, 3.0, 5.0])
    assert tensor.values.tolist() == [2.0, 5.0]
    assert tensor.weights is not None
    assert tensor.weights.tolist() == [2.0, 1.0]
    assert made(cells, [1.0, 3.0, 5.0], duplicates="sum").values.tolist() == [4.0, 5.0]
    with pytest.raises(vt.errors.DuplicateError):
        made(cells, [1.0, 3.0, 5.0], duplicates="error")


def test_weights_count_rows_and_zero_removes_them() -> None:
    cells = [["a", 1], ["c", 9], ["a", 1], ["b", 2]]
    weighted = made(cells, [1.0, 7.0, 4.0, 5.0], [2, 0, 1, 1])
    repeated = made([cells[k] for k in (0, 0, 2, 3)], [1.0, 1.0, 4.0, 5.0])
    assert same(weighted, repeated)
    assert np.array_equal(weighted.weights, repeated.weights)  # type: ignore[arg-type]
    ones = made(cells, [1.0, 7.0, 4.0, 5.0], np.ones(4), "first")
    assert ones.weights is None


def test_weights_are_checked() -> None:
    cells = [["a", 1], ["b", 2]]
    with pytest.raises(vt.errors.WeightError, match="all sample weights are zero"):
        made(cells, [1.0, 2.0], [0, 0])
    with pytest.raises(vt.errors.WeightError, match="-1"):
        made(cells, [1.0, 2.0], [1, -1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        made(cells, [1.0, 2.0], [1, 1, 1])


@pytest.mark.parametrize(
    ("make", "gap"), [("pandas", None), ("polars", None), ("pandas", float("nan"))]
)
def test_a_missing_label_is_named(make: str, gap: Any) -> None:
    frame = LIBRARIES[make]({"who": ["a", gap, "b"], "dish": [1, 2, 3]})
    with pytest.raises(vt.errors.LabelError, match="row 1 has no label in the column 'who'"):
        made(frame, [1.0, 2.0, 3.0])


def test_a_missing_label_of_a_list_is_named() -> None:
    with pytest.raises(vt.errors.LabelError, match="row 1 has no label in the column 'mode_0'"):
        made([["a", 1], [None, 2]], [1.0, 2.0])


def test_frames_that_are_too_small_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    for frame, shape in (
        (pd.DataFrame({"who": ["a", "b"]}), r"2 sample\(s\) and 1 feature"),
        (pd.DataFrame({"who": ["a"], "dish": [1]}), r"1 sample\(s\) and 2 feature"),
    ):
        with pytest.raises(vt.errors.ShapeError, match=shape):
            made(frame, np.ones(len(frame)))


def test_columns_without_names_are_taken_in_order() -> None:
    pd = pytest.importorskip("pandas")
    labels, values = columns()
    nameless = pd.DataFrame(labels).set_axis(range(3), axis=1)
    assert not is_named_frame(nameless)
    assert is_named_frame(pd.DataFrame(labels))
    assert not is_named_frame([["a", 1]])
    tensor = made(nameless, values)
    assert tensor.modes == ("mode_0", "mode_1", "mode_2")
    assert tensor.labels[2] is not None
    assert np.datetime64(dt.date(2021, 5, 1)) in tensor.labels[2].astype("datetime64[D]")
