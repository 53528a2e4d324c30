"""Calls of fit that cannot be: each has its named error, which says what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_names
from small import COORDS, SHAPE, START, VALUES, changed
from vest_tucker.errors import (
    AllZeroError,
    ChangedArrayError,
    DtypeError,
    InitError,
    LossError,
    OptionError,
    RankError,
    ScaleError,
    SparsityError,
    ThreadsError,
)

# What is wrong: (options that replace the good ones, error, what the message names).
BAD_FITS: dict[str, tuple[dict[str, Any], type[Exception], tuple[object, ...]]] = {
    "too few ranks": ({"ranks": (2, 2)}, RankError, (2, 3)),
    "too many ranks": ({"ranks": (2, 2, 2, 2)}, RankError, (4, 3)),
    "rank above the dimension": ({"ranks": (2, 2, 3)}, RankError, ("mode 2", 3, 2)),
    "one rank above a dimension": ({"ranks": 3}, RankError, ("mode 2", 3, 2)),
    "rank 0": ({"ranks": (2, 0, 2)}, RankError, ("mode 1", 0)),
    "negative rank": ({"ranks": (2, 2, -1)}, RankError, ("mode 2", -1)),
    "float rank": ({"ranks": (2, 2.0, 2)}, RankError, (2.0,)),
    "one float rank": ({"ranks": 2.0}, RankError, (2.0,)),
    "bool rank": ({"ranks": True}, RankError, (True,)),
    "bool among the ranks": ({"ranks": (2, True, 2)}, RankError, (True,)),
    "text ranks": ({"ranks": "222"}, RankError, ("222",)),
    "no ranks": ({"ranks": ()}, RankError, (0, 3)),
    "None for ranks": ({"ranks": None}, RankError, (None,)),
    "sparsity 1": ({"sparsity": 1.0}, SparsityError, (1.0,)),
    "sparsity above 1": ({"sparsity": 80}, SparsityError, (80,)),
    "negative sparsity": ({"sparsity": -0.1}, SparsityError, (-0.1,)),
    "NaN sparsity": ({"sparsity": np.nan}, SparsityError, ("nan",)),
    "unknown sparsity": ({"sparsity": "Auto"}, SparsityError, ("Auto", "auto")),
    "no sparsity": ({"sparsity": None}, SparsityError, (None,)),
    "bool sparsity": ({"sparsity": False}, SparsityError, (False,)),
    "unknown loss": ({"loss": "l2"}, LossError, ("l2", "l1", "lf")),
    "loss of another type": ({"loss": 1}, LossError, (1, "l1", "lf")),
    "init that is no pair": ({"init": START[1]}, InitError, ("pair",)),
    "init without a factor": ({"init": (START[0], START[1][:2])}, InitError, (3, 2)),
    "init with a core of other ranks": (
        {"init": (np.ones((2, 1, 2)), START[1])}, InitError, ("factor 1", "(3, 2)", 1)),
    "init of other ranks": (
        {"init": (np.ones((1, 2, 2)), [np.ones((4, 1)), *START[1][1:]])},
        InitError, ("(1, 2, 2)", "(2, 2, 2)")),
    "init for another shape": (
        {"init": (START[0], [np.ones((5, 2)), *START[1][1:]])},
        InitError, ("(5, 3, 2)", "(4, 3, 2)")),
    "NaN in the init's core": (
        {"init": (changed(START[0], (1, 0, 1), np.nan), START[1])},
        InitError, ("nan", "(1, 0, 1)")),
    "infinity in an init's factor": (
        {"init": (START[0], [START[1][0], changed(START[1][1], (2, 0), np.inf), START[1][2]])},
        InitError, ("factor 1", "inf", "(2, 0)")),
    "masked init": (
        {"init": (START[0], [np.ma.masked_equal(a, 1.0) for a in START[1]])},
        InitError, ("masked", "factor 0")),
    "text in the init": (
        {"init": (START[0].astype(str), START[1])}, InitError, ("<U",)),
    "negative threads": ({"threads": -1}, ThreadsError, (-1,)),
    "float threads": ({"threads": 2.0}, ThreadsError, (2.0,)),
    "bool threads": ({"threads": True}, ThreadsError, (True,)),
    "absurd threads": ({"threads": 10**9}, ThreadsError, (10**9,)),
    "negative lam": ({"lam": -1.0}, OptionError, ("lam", -1.0)),
    "NaN lam": ({"lam": np.nan}, OptionError, ("lam", "nan")),
    "infinite lam": ({"lam": np.inf}, OptionError, ("lam", "inf")),
    "text lam": ({"lam": "5"}, OptionError, ("lam", "'5'")),
    "lam beyond any float": ({"lam": 10**400}, OptionError, ("lam", "1329 bits")),
    "lam of more digits than Python prints": ({"lam": 10**9000}, OptionError, ("lam", "bits")),
    "tol beyond any float": ({"tol": 10**400}, OptionError, ("tol", "bits")),
    "sparsity beyond any float": ({"sparsity": 10**400}, SparsityError, ("bits",)),
    "rate below any float": ({"max_prune_rate": -(10**400)}, OptionError, ("bits",)),
    "max_iter beyond 64 bits": ({"max_iter": 2**63}, OptionError, ("max_iter", "2**63")),
    "no iteration": ({"max_iter": 0}, OptionError, ("max_iter", 0)),
    "negative max_iter": ({"max_iter": -3}, OptionError, ("max_iter", -3)),
    "float max_iter": ({"max_iter": 10.0}, OptionError, ("max_iter", 10.0)),
    "negative tol": ({"tol": -1e-4}, OptionError, ("tol", -0.0001)),
    "NaN tol": ({"tol": np.nan}, OptionError, ("tol", "nan")),
    "first rate 0": ({"init_prune_rate": 0.0}, OptionError, ("init_prune_rate", 0.0)),
    "first rate above 1": ({"init_prune_rate": 1.5}, OptionError, ("init_prune_rate", 1.5)),
    "highest rate 0": ({"max_prune_rate": 0.0}, OptionError, ("max_prune_rate", 0.0)),
    "highest rate NaN": ({"max_prune_rate": np.nan}, OptionError, ("max_prune_rate", "nan")),
    "negative rate": ({"max_prune_rate": -0.1}, OptionError, ("max_prune_rate", -0.1)),
    "elbow 0": ({"elbow": 0.0}, OptionError, ("elbow", 0.0)),
    "negative elbow": ({"elbow": -0.05}, OptionError, ("elbow", -0.05)),
    "NaN elbow": ({"elbow": np.nan}, OptionError, ("elbow", "nan")),
    "negative seed": ({"seed": -1}, OptionError, ("seed", -1)),
    "negative seed beside an init": (
        {"seed": -1, "init": START}, OptionError, ("seed", -1)),
    "text seed": ({"seed": "one"}, OptionError, ("seed", "one")),
    "callback that is no function": ({"callback": 3}, OptionError, ("callback", 3)),
    "revive that is no flag": ({"revive": "no"}, OptionError, ("revive", "no")),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_FITS)
def test_bad_fit(what: str) -> None:
    options, error, fragments = BAD_FITS[what]
    arguments: dict[str, Any] = {"ranks": (2, 2, 2), "max_iter": 2, "seed": 0} | options
    with pytest.raises(error) as caught:
        vt.fit(vt.SparseTensor(COORDS, VALUES, SHAPE), **arguments, preset="paper")
    assert caught.type is error
    assert_names(caught.value, *fragments)


def test_options_just_inside_their_bounds_are_accepted() -> None:
    """The bounds themselves are fine, and so are NumPy's scalars."""
    for options in (
        {"ranks": np.array([2, 2, 2])},
        {"ranks": np.int64(2)},
        {"sparsity": 0.0},
        {"sparsity": np.float32(0.5)},
        {"sparsity": 0},
        {"lam": 0},
        {"tol": 0.0},
        {"init_prune_rate": 1.0, "max_prune_rate": 1},
        {"threads": np.int32(1)},
        {"max_iter": 1},
        {"init": START},
    ):
        arguments: dict[str, Any] = {"ranks": 2, "max_iter": 2, "seed": 0, "threads": 1} | options
        assert np.isfinite(
            vt.fit(vt.SparseTensor(COORDS, VALUES, SHAPE), **arguments, preset="paper").error
        )


def test_values_that_are_all_zero() -> None:
    zeros = vt.SparseTensor(COORDS, np.zeros(5), SHAPE)  # fine as a tensor, hopeless to fit
    with pytest.raises(AllZeroError, match="zero"):
        vt.fit(zeros, 2, preset="paper")
    with pytest.raises(AllZeroError, match="zero"):
        vt.relative_error(vt.TuckerModel(*START), zeros)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_values_whose_squares_overflow_or_vanish(scale: float) -> None:
    with pytest.raises(ScaleError):
        vt.fit(vt.SparseTensor(COORDS, VALUES * scale, SHAPE), 2, preset="paper")


@pytest.mark.parametrize("x", [VALUES, None, (COORDS, VALUES)])
def test_something_else_than_a_tensor(x: Any) -> None:
    with pytest.raises(DtypeError, match=r"fit needs a SparseTensor\(coords, values\)"):
        vt.fit(x, 2, preset="paper")
    with pytest.raises(DtypeError, match=r"relative_error needs a SparseTensor\(coords, values"):
        vt.relative_error(vt.TuckerModel(*START), x)


@pytest.mark.parametrize(
    ("coords", "values", "named"),
    [
        (COORDS, VALUES + 1.0, "their norm was"),
        (COORDS, changed(VALUES, 2, np.nan), "nan"),
        (COORDS, VALUES * 0.0, "their norm was"),
        (changed(COORDS, (2, 1), 7_000_000), VALUES, "7000000"),
        (COORDS[::-1], VALUES, "entries have moved"),
    ],
)
def test_arrays_overwritten_after_the_tensor_was_made(coords: Any, values: Any, named: str) -> None:
    own_coords, own_values = COORDS.astype(np.int32), VALUES.copy()
    borrowed = vt.SparseTensor(own_coords, own_values, SHAPE)
    own_coords[...], own_values[...] = coords, values
    with pytest.raises(ChangedArrayError, match=f"changed after it was made.*{named}"):
        vt.fit(borrowed, 2, preset="paper")
