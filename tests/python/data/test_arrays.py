"""Arrays of SciPy, pydata's sparse and NumPy: stored zeros were observed, gaps were not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.errors import (
    CoordinateError,
    DtypeError,
    DuplicateError,
    EmptyTensorError,
    NonFiniteError,
    NotEnoughMemoryError,
    OptionError,
    ShapeError,
)

scipy = pytest.importorskip("scipy")
sp = pytest.importorskip("scipy.sparse")

sparse = pytest.importorskip("sparse")

ROWS, COLUMNS, VALUES = [0, 2, 2, 1], [3, 0, 1, 2], [4.0, 0.0, -1.5, 2.0]
SHAPE = (3, 4)
CELLS = {(0, 3): 4.0, (2, 0): 0.0, (2, 1): -1.5, (1, 2): 2.0}


def cells(X: vt.SparseTensor) -> dict[tuple[int, ...], float]:
    return {tuple(c): v for c, v in zip(X.coords.tolist(), X.values.tolist(), strict=True)}


@pytest.mark.parametrize("kind", [sp.coo_matrix, sp.coo_array])
@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_scipy_stored_zeros_are_observations(kind: Any, form: str) -> None:
    matrix = kind((VALUES, (ROWS, COLUMNS)), shape=SHAPE).asformat(form)
    X = vt.SparseTensor.from_scipy(matrix)
    assert cells(X) == CELLS
    assert X.shape == SHAPE


@pytest.mark.parametrize("form", ["lil", "dok", "dia", "bsr"])
def test_scipy_other_formats_know_the_values_that_are_not_zero(form: Any) -> None:
    matrix = sp.coo_array((VALUES, (ROWS, COLUMNS)), shape=SHAPE)
    matrix.eliminate_zeros()
    X = vt.SparseTensor.from_scipy(matrix.asformat(form))
    assert cells(X) == {cell: value for cell, value in CELLS.items() if value}


@pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15), reason="SciPy 1.15 has modes"
)
def test_scipy_of_higher_order() -> None:
    coords = np.array([[0, 1, 2], [4, 0, 3], [1, 1, 0]])
    X = vt.SparseTensor.from_scipy(
        sp.coo_array(([1.0, 0.0, 3.0], tuple(coords)), shape=(3, 5, 2)),
        modes=["a", "b", "c"],
        labels={"c": ["x", "y"]},
    )
    assert cells(X) == {(0, 4, 1): 1.0, (1, 0, 1): 0.0, (2, 3, 0): 3.0}
    assert (X.shape, X.modes) == ((3, 5, 2), ("a", "b", "c"))
    assert X.labels[2] is not None


def test_scipy_duplicates_are_reported() -> None:
    matrix = sp.coo_array(([1.0, 2.0], ([1, 1], [0, 0])), shape=(2, 2))
    with pytest.raises(DuplicateError):
        vt.SparseTensor.from_scipy(matrix)
    assert cells(vt.SparseTensor.from_scipy(matrix, duplicates="sum")) == {(1, 0): 3.0}


def test_scipy_integers_are_read_and_vectors_or_empty_arrays_refused() -> None:
    assert vt.SparseTensor.from_scipy(sp.eye_array(3, dtype=int, format="csr")).nnz == 3
    with pytest.raises(ShapeError, match="2 modes"):
        vt.SparseTensor.from_scipy(sp.coo_array(np.array([1.0, 2.0])))
    with pytest.raises(EmptyTensorError):
        vt.SparseTensor.from_scipy(sp.csr_array((3, 4)))


def test_scipy_indices_beyond_32_bits() -> None:
    matrix = sp.coo_array(([1.0], ([0], [2**40])), shape=(2, 2**41))
    with pytest.raises(CoordinateError, match=f"mode 1 .* {2**40}"):
        vt.SparseTensor.from_scipy(matrix)


@pytest.mark.parametrize("fill", [0.0, np.nan, 3.0])
def test_pydata_the_fill_value_is_missing(fill: float) -> None:
    array = sparse.COO(np.array([ROWS, COLUMNS]), VALUES, shape=SHAPE, fill_value=fill)
    X = vt.SparseTensor.from_sparse(array, modes=["a", "b"])
    assert cells(X) == CELLS
    assert (X.shape, X.modes) == (SHAPE, ("a", "b"))


def test_pydata_other_formats() -> None:
    array = sparse.COO(np.array([[0, 1], [1, 2], [0, 1]]), [1.0, 2.0], shape=(2, 3, 2))
    for form in ("gcxs", "dok"):
        X = vt.SparseTensor.from_sparse(array.asformat(form))
        assert cells(X) == {(0, 1, 0): 1.0, (1, 2, 1): 2.0}


def test_dense_zeros_are_observations_and_nan_is_missing() -> None:
    X = vt.SparseTensor.from_dense([[0.0, np.nan], [2.0, 0.0]], labels=[["a", "b"], None])
    assert cells(X) == {(0, 0): 0.0, (1, 0): 2.0, (1, 1): 0.0}
    assert vt.SparseTensor.from_dense(np.zeros((2, 3), dtype=int)).density == 1.0


def test_dense_mask_is_missing() -> None:
    array = np.arange(6.0).reshape(2, 3)
    mask = array > 3
    expected = {(0, 0): 0.0, (0, 1): 1.0, (0, 2): 2.0, (1, 0): 3.0}
    assert cells(vt.SparseTensor.from_dense(array, mask)) == expected
    assert cells(vt.SparseTensor.from_dense(np.ma.masked_array(array, mask))) == expected
    array[0, 1] = np.nan
    del expected[0, 1]
    assert cells(vt.SparseTensor.from_dense(array, mask)) == expected
    array[1, 1] = np.inf  # hidden by the mask, so of no interest
    assert cells(vt.SparseTensor.from_dense(array, mask)) == expected


# What is wrong: (method, arguments, error, what the message names).
BAD: dict[str, tuple[str, tuple[Any, ...], type[Exception], tuple[str, ...]]] = {
    "a list for SciPy": ("from_scipy", ([[1]],), DtypeError, ("from_scipy", "list")),
    "pydata for SciPy": (
        "from_scipy", (sparse.eye(2),), DtypeError, ("COO", "from_sparse")),
    "SciPy for pydata": (
        "from_sparse", (sp.eye_array(2),), DtypeError, ("from_sparse", "dia_array")),
    "infinity": ("from_dense", ([[1, 2], [3, np.inf]],), NonFiniteError, ("(1, 1)", "inf")),
    "text": ("from_dense", ([["a", "b"]],), DtypeError, ("<U1",)),
    "a mask of another shape": (
        "from_dense", (np.eye(2), [True, False]), ShapeError, ("(2, 2)", "(2,)")),
    "a mask of numbers": (
        "from_dense", (np.eye(2), np.eye(2)), ShapeError, ("True where", "float64")),
    "everything missing": ("from_dense", ([[np.nan] * 2],), EmptyTensorError, ()),
    "one mode": ("from_dense", ([1.0, 2.0],), ShapeError, ("2 modes", "(2,)")),
    "a single number": ("from_dense", (3.0,), ShapeError, ("2 modes", "()")),
    "ragged": ("from_dense", ([[1.0], [2.0, 3.0]],), ShapeError, ("row 1 of the cells",)),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_arrays(what: str) -> None:
    method, arguments, error, fragments = BAD[what]
    with pytest.raises(error) as caught:
        getattr(vt.SparseTensor, method)(*arguments)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_weights_of_stored_cells_and_of_all_cells() -> None:
    weights = [5.0, 1.0, 2.0, 3.0]
    matrix = sp.coo_array((VALUES, (ROWS, COLUMNS)), shape=SHAPE)
    X = vt.SparseTensor.from_scipy(matrix, weights=weights)
    assert X.weights is not None
    assert X.weights.tolist() == weights
    array = sparse.COO(np.array([ROWS, COLUMNS]), VALUES, shape=SHAPE)
    X = vt.SparseTensor.from_sparse(array, weights=array.coords[1] + 1.0)
    assert X.weights is not None
    assert X.weights.tolist() == (X.coords[:, 1] + 1).tolist()
    repeats = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=SHAPE)
    X = vt.SparseTensor.from_scipy(repeats, duplicates="mean", count_as_weight=True)
    assert (X.values.tolist(), X.total_weight) == ([1.5], 2.0)
    X = vt.SparseTensor.from_dense([[1.0, np.nan], [2.0, 3.0]], weights=[[4, 0], [5, 6]])
    assert X.weights is not None
    assert X.weights.tolist() == [4.0, 5.0, 6.0]
    with pytest.raises(ShapeError, match=r"shape \(2,\), but the array has \(2, 2\)"):
        vt.SparseTensor.from_dense([[1.0, 2.0], [2.0, 3.0]], weights=[4, 5])


def test_entries_become_an_array_with_gaps_and_back() -> None:
    X = vt.SparseTensor(np.stack([ROWS, COLUMNS], axis=1), VALUES, SHAPE)
    array = X.to_dense()
    assert array.shape == SHAPE
    assert np.isnan(array).sum() == 12 - 4
    assert cells(vt.SparseTensor.from_dense(array)) == CELLS
    zeros = X.to_dense(fill=0)
    assert zeros.dtype == np.float64
    np.testing.assert_array_equal(zeros, np.nan_to_num(array))
    with pytest.raises(OptionError, match="fill is 'none'"):
        X.to_dense("none")  # type: ignore[arg-type]


def test_too_many_cells_are_refused_with_a_figure() -> None:
    X = vt.SparseTensor([[0, 0, 0]], [1.0], (2**31 - 1,) * 3)
    with pytest.raises(NotEnoughMemoryError, match=r"cells, which takes .* GiB, but"):
        X.to_dense()
