"""Parts that make no model, cells that it cannot predict, and what kinds of errors there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_names
from small import COORDS, START, changed


@pytest.mark.parametrize(
    ("coords", "error", "fragments"),
    [
        ([[0, 0, 0], [4, 0, 0]], vt.errors.CoordinateError, (1, 4)),
        ([[0, 0, 0], [1, -1, 0]], vt.errors.CoordinateError, (1, -1)),
        ([[0, 0, 2**40]], vt.errors.CoordinateError, (0, 2**40)),
        ([[0, 0]], vt.errors.ShapeError, (2, 3)),
        ([0, 0, 0], vt.errors.ShapeError, ("(3,)",)),
        ([[0.0, 0.0, 0.0]], vt.errors.DtypeError, ("float64",)),
    ],
)
def test_bad_cells_to_predict(
    coords: Any, error: type[Exception], fragments: tuple[object, ...]
) -> None:
    with pytest.raises(error) as caught:
        vt.TuckerModel(*START).predict(coords)
    assert_names(caught.value, *fragments)


def test_bad_threads_to_predict() -> None:
    with pytest.raises(vt.errors.ThreadsError, match="-2"):
        vt.TuckerModel(*START).predict(COORDS, threads=-2)


@pytest.mark.parametrize(
    ("core", "factors", "error"),
    [
        (START[0], START[1][:2], vt.errors.ShapeError),
        (START[0], [a.T for a in START[1]], vt.errors.ShapeError),
        (changed(START[0], 0, np.nan), START[1], vt.errors.NonFiniteError),
        (START[0] * 1j, START[1], vt.errors.DtypeError),
        (np.ones(2), [np.ones((4, 2))], vt.errors.ShapeError),
    ],
)
def test_parts_that_make_no_model(core: Any, factors: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        vt.TuckerModel(core, factors)


def test_every_error_about_an_argument_is_a_value_or_type_error() -> None:
    others = {
        "ClusterError": RuntimeError,
        "DivergedError": FloatingPointError,
        "DownloadError": OSError,
        "MissingFileError": FileNotFoundError,
        "MissingPackageError": ImportError,
        "NotEnoughMemoryError": MemoryError,
    }
    kinds = {name: getattr(vt.errors, name) for name in vt.errors.__all__ if name.endswith("Error")}
    assert kinds
    for name, kind in kinds.items():
        assert issubclass(kind, others.get(name, (ValueError, TypeError))), name
