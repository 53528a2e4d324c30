"""Each bad input has its named error, and the message names what was wrong and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

COORDS = np.array([[0, 0, 0], [1, 2, 1], [3, 1, 0], [2, 0, 1], [0, 2, 0]])
VALUES = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
SHAPE = (4, 3, 2)


def changed(array: Any, at: Any, value: Any, dtype: Any = None) -> Any:
    copy = np.array(array, dtype=dtype)
    copy[at] = value
    return copy


def tensor() -> vt.SparseTensor:
    return vt.SparseTensor(COORDS, VALUES, SHAPE)


def assert_names(error: BaseException, *fragments: object) -> None:
    message = str(error)
    for fragment in fragments:
        assert str(fragment) in message, f"{fragment!r} is not in: {message}"


# --- The tensor ----------------------------------------------------------------------------------

# What is wrong: (coords, values, shape, error, what the message names).
BAD_TENSORS: dict[str, tuple[Any, Any, Any, type[Exception], tuple[object, ...]]] = {
    "negative coordinate": (
        changed(COORDS, (2, 1), -5), VALUES, SHAPE, vt.CoordinateError, (2, 1, -5)),
    "negative coordinate, no shape": (
        changed(COORDS, (2, 1), -5), VALUES, None, vt.CoordinateError, (2, 1, -5)),
    "coordinate equal to the dimension": (
        changed(COORDS, (3, 0), 4), VALUES, SHAPE, vt.CoordinateError, (3, 0, 4)),
    "coordinate far too large": (
        changed(COORDS, (4, 2), 12345), VALUES, SHAPE, vt.CoordinateError, (4, 2, 12345)),
    "coordinate beyond 32 bits": (
        changed(COORDS, (1, 2), 2**31 + 7), VALUES, None, vt.CoordinateError, (1, 2**31 + 7)),
    "the largest 32-bit coordinate": (
        changed(COORDS, (1, 2), 2**31), VALUES, None, vt.CoordinateError, (1, 2**31)),
    "coordinate far below 32 bits": (
        changed(COORDS, (1, 2), -(2**40)), VALUES, None, vt.CoordinateError, (1, -(2**40))),
    "uint64 coordinate that would wrap to a small one": (
        changed(COORDS, (3, 0), 2**64 - 1, np.uint64), VALUES, None,
        vt.CoordinateError, (3, 2**64 - 1)),
    "uint64 coordinate that would wrap in 32 bits": (
        changed(COORDS, (3, 0), 2**32 + 1, np.uint64), VALUES, SHAPE,
        vt.CoordinateError, (3, 2**32 + 1)),
    "NaN": (COORDS, changed(VALUES, 3, np.nan), SHAPE, vt.NonFiniteError, (3, "nan")),
    "infinity": (COORDS, changed(VALUES, 4, np.inf), SHAPE, vt.NonFiniteError, (4, "inf")),
    "minus infinity": (COORDS, changed(VALUES, 1, -np.inf), None, vt.NonFiniteError, (1, "-inf")),
    "duplicate": (
        changed(COORDS, 4, COORDS[1]), VALUES, SHAPE, vt.DuplicateError, (1, 4, "(1, 2, 1)", 2, 3)),
    "float coordinates": (COORDS + 0.5, VALUES, SHAPE, vt.DtypeError, ("row 0", 0.5)),
    "whole float coordinates": (COORDS * 1.0, VALUES, SHAPE, vt.DtypeError, ("float64", "astype")),
    "NaN coordinates": (changed(COORDS, (2, 0), np.nan, float), VALUES, SHAPE,
        vt.DtypeError, ("row 2", "nan")),
    "text coordinates": (COORDS.astype(str), VALUES, SHAPE, vt.DtypeError, ("<U",)),
    "object coordinates": (COORDS.astype(object), VALUES, SHAPE, vt.DtypeError, ("object",)),
    "bool coordinates": (COORDS.astype(bool), VALUES, SHAPE, vt.DtypeError, ("bool",)),
    "complex coordinates": (COORDS * 1j, VALUES, SHAPE, vt.DtypeError, ("complex",)),
    "complex values": (COORDS, VALUES + 1j, SHAPE, vt.DtypeError, ("complex128", "1j")),
    "text values": (COORDS, VALUES.astype(str), SHAPE, vt.DtypeError, ("<U", "1.0")),
    "object values": (COORDS, VALUES.astype(object), SHAPE, vt.DtypeError, ("object",)),
    "fewer values than coordinates": (COORDS, VALUES[:4], SHAPE, vt.ShapeError, (5, 4)),
    "transposed coordinates": (COORDS.T, VALUES, SHAPE, vt.ShapeError, (3, 5, "coords.T")),
    "flat coordinates": (COORDS.ravel(), VALUES, SHAPE, vt.ShapeError, ("(15,)",)),
    "coordinates in three dimensions": (COORDS[None], VALUES, SHAPE, vt.ShapeError, ("(1, 5, 3)",)),
    "values in two dimensions": (COORDS, VALUES[:, None], SHAPE, vt.ShapeError, ("(5, 1)",)),
    "shape of another order": (COORDS, VALUES, (4, 3), vt.ShapeError, ("(4, 3)", 3)),
    "dimension 0": (COORDS, VALUES, (4, 3, 0), vt.ShapeError, ("mode 2", 0)),
    "negative dimension": (COORDS, VALUES, (4, -3, 2), vt.ShapeError, ("mode 1", -3)),
    "dimension beyond 32 bits": (COORDS, VALUES, (4, 2**40, 2), vt.ShapeError, ("mode 1", 2**40)),
    "dimension that is no integer": (COORDS, VALUES, (4, 3.0, 2), vt.ShapeError, (3.0,)),
    "a single mode": (COORDS[:, :1], VALUES, None, vt.ShapeError, (2,)),
    "only negative coordinates in a mode, no shape": (
        COORDS - [0, 9, 0], VALUES, None, vt.CoordinateError, ("row 0", "mode 1", -9)),
    "coordinate without a dimension, no shape": (
        changed(COORDS, (1, 2), 2**31 - 1), VALUES, None, vt.CoordinateError, ("row 1", 2**31 - 1)),
    "masked values": (
        COORDS, np.ma.masked_less(VALUES, 0.7), SHAPE,
        vt.DtypeError, ("values", "2 elements", "row 2", "values.compressed()")),
    "masked coordinates": (
        np.ma.masked_equal(COORDS, 3), VALUES, SHAPE, vt.DtypeError, ("coordinates", "row 2")),
    "ragged coordinates": (
        [[0, 0, 0], [1, 2, 1], [3, 1], [2, 0, 1], [0]], VALUES, SHAPE,
        vt.ShapeError, ("row 2", "length 2", 3)),
    "ragged values": (COORDS, [1.0, 2.0, [3.0], 4.0, [5.0, 6.0]], SHAPE,
        vt.ShapeError, ("values", "row 4")),
    "65 modes": (
        np.zeros((5, 65), dtype=int), VALUES, None, vt.ShapeError, ("65 modes", "at most")),
    "no entry": (COORDS[:0], VALUES[:0], SHAPE, vt.EmptyTensorError, ()),
    "no entry, from lists": ([], [], None, vt.EmptyTensorError, ()),
    "no mode": (COORDS[:, :0], VALUES, None, vt.EmptyTensorError, ()),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_TENSORS)
def test_bad_tensor(what: str) -> None:
    coords, values, shape, error, fragments = BAD_TENSORS[what]
    with pytest.raises(error) as caught:
        vt.SparseTensor(coords, values, shape)
    assert caught.type is error
    assert_names(caught.value, *fragments)


def test_the_first_bad_row_is_named_whatever_follows() -> None:
    coords = np.zeros((200_000, 2), dtype=np.int32)
    coords[:, 0] = np.arange(200_000)
    coords[[70_123, 170_000], 1] = 9
    with pytest.raises(vt.CoordinateError) as caught:
        vt.SparseTensor(coords, np.ones(200_000), (200_000, 3))
    assert_names(caught.value, 70123, 9)
    values = np.ones(200_000)
    values[[60_321, 170_001]] = np.nan
    coords[:, 1] = 0
    with pytest.raises(vt.NonFiniteError) as caught_value:
        vt.SparseTensor(coords, values)
    assert_names(caught_value.value, 60321, "nan")


@pytest.mark.parametrize(
    ("policy", "value"), [("mean", 4.0), ("sum", 12.0), ("first", 2.0), ("last", 9.0)]
)
def test_duplicates_on_request(policy: Any, value: float) -> None:
    coords = np.array([[1, 2], [0, 0], [1, 2], [3, 1], [1, 2], [0, 0]])
    values = np.array([2.0, 5.0, 1.0, 7.0, 9.0, 5.0])
    merged = vt.SparseTensor(coords, values, duplicates=policy)
    cells = {tuple(c): v for c, v in zip(merged.coords.tolist(), merged.values, strict=True)}
    assert cells == {(1, 2): value, (0, 0): 10.0 if policy == "sum" else 5.0, (3, 1): 7.0}
    assert merged.nnz == 3


@pytest.mark.parametrize("policy", ["max", "", None, 3])
def test_unknown_policy_for_duplicates(policy: Any) -> None:
    with pytest.raises(vt.OptionError) as caught:
        vt.SparseTensor(COORDS, VALUES, duplicates=policy)
    assert_names(caught.value, repr(policy), "mean")


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">i8"])
def test_any_integer_dtype_will_do(dtype: str) -> None:
    made = vt.SparseTensor(COORDS.astype(dtype), VALUES.astype("f4"), SHAPE)
    np.testing.assert_array_equal(made.coords, COORDS)
    np.testing.assert_array_equal(made.values, VALUES)


def test_any_memory_layout_will_do() -> None:
    wide = np.repeat(COORDS, 2, axis=1)[:, ::2]
    made = vt.SparseTensor(np.asfortranarray(wide), np.repeat(VALUES, 3)[::3], SHAPE)
    np.testing.assert_array_equal(made.coords, COORDS)
    np.testing.assert_array_equal(made.values, VALUES)


# --- The fit -------------------------------------------------------------------------------------

START = (np.ones((2, 2, 2)), [np.ones((dim, 2)) for dim in SHAPE])

# What is wrong: (options that replace the good ones, error, what the message names).
BAD_FITS: dict[str, tuple[dict[str, Any], type[Exception], tuple[object, ...]]] = {
    "too few ranks": ({"ranks": (2, 2)}, vt.RankError, (2, 3)),
    "too many ranks": ({"ranks": (2, 2, 2, 2)}, vt.RankError, (4, 3)),
    "rank above the dimension": ({"ranks": (2, 2, 3)}, vt.RankError, ("mode 2", 3, 2)),
    "one rank above a dimension": ({"ranks": 3}, vt.RankError, ("mode 2", 3, 2)),
    "rank 0": ({"ranks": (2, 0, 2)}, vt.RankError, ("mode 1", 0)),
    "negative rank": ({"ranks": (2, 2, -1)}, vt.RankError, ("mode 2", -1)),
    "float rank": ({"ranks": (2, 2.0, 2)}, vt.RankError, (2.0,)),
    "one float rank": ({"ranks": 2.0}, vt.RankError, (2.0,)),
    "bool rank": ({"ranks": True}, vt.RankError, (True,)),
    "bool among the ranks": ({"ranks": (2, True, 2)}, vt.RankError, (True,)),
    "text ranks": ({"ranks": "222"}, vt.RankError, ("222",)),
    "no ranks": ({"ranks": ()}, vt.RankError, (0, 3)),
    "None for ranks": ({"ranks": None}, vt.RankError, (None,)),
    "sparsity 1": ({"sparsity": 1.0}, vt.SparsityError, (1.0,)),
    "sparsity above 1": ({"sparsity": 80}, vt.SparsityError, (80,)),
    "negative sparsity": ({"sparsity": -0.1}, vt.SparsityError, (-0.1,)),
    "NaN sparsity": ({"sparsity": np.nan}, vt.SparsityError, ("nan",)),
    "unknown sparsity": ({"sparsity": "Auto"}, vt.SparsityError, ("Auto", "auto")),
    "no sparsity": ({"sparsity": None}, vt.SparsityError, (None,)),
    "bool sparsity": ({"sparsity": False}, vt.SparsityError, (False,)),
    "unknown loss": ({"loss": "l2"}, vt.LossError, ("l2", "l1", "lf")),
    "loss of another type": ({"loss": 1}, vt.LossError, (1, "l1", "lf")),
    "init that is no pair": ({"init": START[1]}, vt.InitError, ("pair",)),
    "init without a factor": ({"init": (START[0], START[1][:2])}, vt.InitError, (3, 2)),
    "init with a core of other ranks": (
        {"init": (np.ones((2, 1, 2)), START[1])}, vt.InitError, ("factor 1", "(3, 2)", 1)),
    "init of other ranks": (
        {"init": (np.ones((1, 2, 2)), [np.ones((4, 1)), *START[1][1:]])},
        vt.InitError, ("(1, 2, 2)", "(2, 2, 2)")),
    "init for another shape": (
        {"init": (START[0], [np.ones((5, 2)), *START[1][1:]])},
        vt.InitError, ("(5, 3, 2)", "(4, 3, 2)")),
    "NaN in the init's core": (
        {"init": (changed(START[0], (1, 0, 1), np.nan), START[1])},
        vt.InitError, ("nan", "(1, 0, 1)")),
    "infinity in an init's factor": (
        {"init": (START[0], [START[1][0], changed(START[1][1], (2, 0), np.inf), START[1][2]])},
        vt.InitError, ("factor 1", "inf", "(2, 0)")),
    "masked init": (
        {"init": (START[0], [np.ma.masked_equal(a, 1.0) for a in START[1]])},
        vt.InitError, ("masked", "factor 0")),
    "text in the init": (
        {"init": (START[0].astype(str), START[1])}, vt.InitError, ("<U",)),
    "negative threads": ({"threads": -1}, vt.ThreadsError, (-1,)),
    "float threads": ({"threads": 2.0}, vt.ThreadsError, (2.0,)),
    "bool threads": ({"threads": True}, vt.ThreadsError, (True,)),
    "absurd threads": ({"threads": 10**9}, vt.ThreadsError, (10**9,)),
    "negative lam": ({"lam": -1.0}, vt.OptionError, ("lam", -1.0)),
    "NaN lam": ({"lam": np.nan}, vt.OptionError, ("lam", "nan")),
    "infinite lam": ({"lam": np.inf}, vt.OptionError, ("lam", "inf")),
    "text lam": ({"lam": "5"}, vt.OptionError, ("lam", "'5'")),
    "lam beyond any float": ({"lam": 10**400}, vt.OptionError, ("lam", "1329 bits")),
    "lam of more digits than Python prints": ({"lam": 10**9000}, vt.OptionError, ("lam", "bits")),
    "tol beyond any float": ({"tol": 10**400}, vt.OptionError, ("tol", "bits")),
    "sparsity beyond any float": ({"sparsity": 10**400}, vt.SparsityError, ("bits",)),
    "rate below any float": ({"max_prune_rate": -(10**400)}, vt.OptionError, ("bits",)),
    "max_iter beyond 64 bits": ({"max_iter": 2**63}, vt.OptionError, ("max_iter", "2**63")),
    "no iteration": ({"max_iter": 0}, vt.OptionError, ("max_iter", 0)),
    "negative max_iter": ({"max_iter": -3}, vt.OptionError, ("max_iter", -3)),
    "float max_iter": ({"max_iter": 10.0}, vt.OptionError, ("max_iter", 10.0)),
    "negative tol": ({"tol": -1e-4}, vt.OptionError, ("tol", -0.0001)),
    "NaN tol": ({"tol": np.nan}, vt.OptionError, ("tol", "nan")),
    "first rate 0": ({"init_prune_rate": 0.0}, vt.OptionError, ("init_prune_rate", 0.0)),
    "first rate above 1": ({"init_prune_rate": 1.5}, vt.OptionError, ("init_prune_rate", 1.5)),
    "highest rate 0": ({"max_prune_rate": 0.0}, vt.OptionError, ("max_prune_rate", 0.0)),
    "highest rate NaN": ({"max_prune_rate": np.nan}, vt.OptionError, ("max_prune_rate", "nan")),
    "negative rate": ({"max_prune_rate": -0.1}, vt.OptionError, ("max_prune_rate", -0.1)),
    "elbow 0": ({"elbow": 0.0}, vt.OptionError, ("elbow", 0.0)),
    "negative elbow": ({"elbow": -0.05}, vt.OptionError, ("elbow", -0.05)),
    "NaN elbow": ({"elbow": np.nan}, vt.OptionError, ("elbow", "nan")),
    "negative seed": ({"seed": -1}, vt.OptionError, ("seed", -1)),
    "negative seed beside an init": (
        {"seed": -1, "init": START}, vt.OptionError, ("seed", -1)),
    "text seed": ({"seed": "one"}, vt.OptionError, ("seed", "one")),
    "callback that is no function": ({"callback": 3}, vt.OptionError, ("callback", 3)),
    "revive that is no flag": ({"revive": "no"}, vt.OptionError, ("revive", "no")),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_FITS)
def test_bad_fit(what: str) -> None:
    options, error, fragments = BAD_FITS[what]
    arguments: dict[str, Any] = {"ranks": (2, 2, 2), "max_iter": 2, "seed": 0} | options
    with pytest.raises(error) as caught:
        vt.fit(tensor(), **arguments)
    assert caught.type is error
    assert_names(caught.value, *fragments)


def test_good_neighbours_of_bad_options() -> None:
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
        assert np.isfinite(vt.fit(tensor(), **arguments).error)


def test_values_that_are_all_zero() -> None:
    zeros = vt.SparseTensor(COORDS, np.zeros(5), SHAPE)  # fine as a tensor, hopeless to fit
    with pytest.raises(vt.AllZeroError, match="zero"):
        vt.fit(zeros, 2)
    with pytest.raises(vt.AllZeroError, match="zero"):
        vt.relative_error(vt.TuckerModel(*START), zeros)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_values_whose_squares_overflow_or_vanish(scale: float) -> None:
    with pytest.raises(vt.ScaleError):
        vt.fit(vt.SparseTensor(COORDS, VALUES * scale, SHAPE), 2)


@pytest.mark.parametrize("x", [VALUES, None, (COORDS, VALUES)])
def test_something_else_than_a_tensor(x: Any) -> None:
    with pytest.raises(vt.DtypeError, match=r"fit needs a SparseTensor\(coords, values\)"):
        vt.fit(x, 2)
    with pytest.raises(vt.DtypeError, match=r"relative_error needs a SparseTensor\(coords, values"):
        vt.relative_error(vt.TuckerModel(*START), x)


@pytest.mark.parametrize(
    ("coords", "values", "named"),
    [
        (COORDS, VALUES + 1.0, "their norm was"),
        (COORDS, changed(VALUES, 2, np.nan), "nan"),
        (COORDS, VALUES * 0.0, "their norm was"),
        (changed(COORDS, (2, 1), 7_000_000), VALUES, "7000000"),
    ],
)
def test_arrays_overwritten_after_the_tensor_was_made(coords: Any, values: Any, named: str) -> None:
    own_coords, own_values = COORDS.astype(np.int32), VALUES.copy()
    borrowed = vt.SparseTensor(own_coords, own_values, SHAPE)
    own_coords[...], own_values[...] = coords, values
    with pytest.raises(vt.ChangedArrayError, match=f"changed after it was made.*{named}"):
        vt.fit(borrowed, 2)


# --- The model -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coords", "error", "fragments"),
    [
        ([[0, 0, 0], [4, 0, 0]], vt.CoordinateError, (1, 4)),
        ([[0, 0, 0], [1, -1, 0]], vt.CoordinateError, (1, -1)),
        ([[0, 0, 2**40]], vt.CoordinateError, (0, 2**40)),
        ([[0, 0]], vt.ShapeError, (2, 3)),
        ([0, 0, 0], vt.ShapeError, ("(3,)",)),
        ([[0.0, 0.0, 0.0]], vt.DtypeError, ("float64",)),
    ],
)
def test_bad_cells_to_predict(
    coords: Any, error: type[Exception], fragments: tuple[object, ...]
) -> None:
    with pytest.raises(error) as caught:
        vt.TuckerModel(*START).predict(coords)
    assert_names(caught.value, *fragments)


def test_bad_threads_to_predict() -> None:
    with pytest.raises(vt.ThreadsError, match="-2"):
        vt.TuckerModel(*START).predict(COORDS, threads=-2)


@pytest.mark.parametrize(
    ("core", "factors", "error"),
    [
        (START[0], START[1][:2], vt.ShapeError),
        (START[0], [a.T for a in START[1]], vt.ShapeError),
        (changed(START[0], 0, np.nan), START[1], vt.NonFiniteError),
        (START[0] * 1j, START[1], vt.DtypeError),
        (np.ones(2), [np.ones((4, 2))], vt.ShapeError),
    ],
)
def test_parts_that_make_no_model(core: Any, factors: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        vt.TuckerModel(core, factors)


def test_every_error_about_an_argument_is_a_value_or_type_error() -> None:
    others = {
        "DivergedError": FloatingPointError,
        "DownloadError": OSError,
        "MissingFileError": FileNotFoundError,
        "MissingPackageError": ImportError,
        "NotEnoughMemoryError": MemoryError,
    }
    kinds = {name: getattr(vt, name) for name in vt.__all__ if name.endswith("Error")}
    assert kinds
    for name, kind in kinds.items():
        assert issubclass(kind, others.get(name, (ValueError, TypeError))), name
