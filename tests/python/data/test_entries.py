"""Some of the entries of a tensor: by mask, by number, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

X = vt.SparseTensor(
    [[0, 3], [1, 1], [2, 0]], [1.0, 2.0, 3.0], (5, 4), modes=["a", "b"], labels=[range(5), None]
)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([True, False, True], [1.0, 3.0]),
        (np.array([2, 0]), [3.0, 1.0]),
        ([-1], [3.0]),
        (np.array([1], dtype=np.uint8), [2.0]),
    ],
)
def test_entries_are_chosen_by_mask_or_by_number(rows: Any, values: list[float]) -> None:
    some = X.subset(rows)
    assert some.values.tolist() == values
    assert some.shape == X.shape
    assert some.mode_labels is X.mode_labels


def test_choosing_an_entry_twice_is_refused() -> None:
    with pytest.raises(vt.errors.DuplicateError):
        X.subset([1, 1])


# What is wrong: (rows, error, what the message names).
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "nothing": ([], vt.errors.EmptyTensorError, "none was chosen"),
    "nothing marked": ([False] * 3, vt.errors.EmptyTensorError, "at least one"),
    "a short mask": ([True], vt.errors.ShapeError, "1 truth values for 3 entries"),
    "too large": ([0, 3], vt.errors.CoordinateError, "no entry 3"),
    "too small": ([-4], vt.errors.CoordinateError, "no entry -4"),
    "floats": ([0.0], vt.errors.DtypeError, "float64"),
    "a table": ([[0]], vt.errors.DtypeError, r"\(1, 1\)"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_choices_are_refused(what: str) -> None:
    rows, error, message = BAD[what]
    with pytest.raises(error, match=message):
        X.subset(rows)
