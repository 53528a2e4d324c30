"""Whole fits of entries in shards: the bytes of a fit of the same entries in one piece."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from fingerprints import numbers_of
from sharded import all_in_shards, long_rows
from vest_tucker.fitting.shards.entries import ShardedEntries, make_plan, solver_on

COUNTS = (1, 2, 3, 4, 7)
PAPER: dict[str, dict[str, Any]] = {
    "lf": {"penalty": "lf", "lam": 0.01, "sparsity": 0.4},
    "l1": {"penalty": "l1", "lam": 0.01, "sparsity": 0.5},
    "auto, global, revived": {
        "lam": 0.01,
        "sparsity": "auto",
        "allocation": "global",
        "elbow": 0.5,
    },
    "rows that pay by their size": {"lam": 0.01, "sparsity": 0.3, "lam_rows": "sqrt"},
    "biases": {"lam": 0.01, "sparsity": 0.3, "offset": "biases", "init": "data"},
    "nonnegative": {"lam": 0.01, "sparsity": 0.3, "nonnegative": True},
}


def fitted(X: vt.SparseTensor, **options: Any) -> list[bytes]:
    model = vt.fit(X, seed=0, threads=1, **options)
    carried = model.measured
    assert carried is not None
    return [*numbers_of(model), repr(carried).encode()]


def weighted() -> vt.SparseTensor:
    X = long_rows()
    coords = np.column_stack([X.coords, X.coords[:, 0] % 7])
    weights = np.random.default_rng(1).uniform(0.5, 2.0, X.nnz)
    return vt.SparseTensor(coords, X.values, (*X.shape, 7), weights=weights)


@pytest.mark.parametrize("options", PAPER.values(), ids=PAPER)
def test_fits_of_the_paper(options: dict[str, Any]) -> None:
    pays_by_size = "lam_rows" in options
    X = weighted() if pays_by_size else long_rows()
    want = fitted(X, ranks=2, preset="paper", max_iter=8, **options)
    for count in COUNTS if options.get("penalty") else (3, 7):
        with all_in_shards(count) as seen:
            shards = vt.SparseTensor(X.coords, X.values, X.shape, weights=X.weights)
            assert fitted(shards, ranks=2, preset="paper", max_iter=8, **options) == want
        assert seen.most_shards == count


@pytest.mark.parametrize(
    "options", [{}, {"sparsity": 0.6}, {"ranks": 2, "sparsity": "auto"}], ids=str
)
def test_plain_calls(options: dict[str, Any]) -> None:
    X = long_rows()
    want = fitted(X, **options)
    for count in (3, 7) if options else (3,):
        with all_in_shards(count) as seen:
            shards = vt.SparseTensor(X.coords, X.values, X.shape)
            assert fitted(shards, **options) == want
        assert seen.most_shards == count
        assert seen.open_rows, "no row was cut between shards, so nothing was shown of such rows"
        assert seen.sparse_cores, "no candidate had a sparse core"


def test_entries_in_one_piece_stay_so() -> None:
    X = long_rows()
    plan = make_plan(X._handle, (2, 2, 2), threads=1)
    parts = np.ones((2, 2, 2)), [np.ones((dim, 2)) for dim in X.shape]
    solver = solver_on(plan, *parts, kind=vt._core.PenaltyKind.LF, lam=0.0)
    assert type(solver) is vt._core.Solver


def test_shards_know_what_a_tensor_knows() -> None:
    X = long_rows()
    shards = ShardedEntries(X.coords, X.values, X.shape, count=2)
    assert (shards.shape, shards.order, shards.nnz, shards.norm) == (X.shape, 3, X.nnz, X.norm)
    assert shards.with_values(2.0 * X.values).norm == pytest.approx(2.0 * X.norm)
    assert shards.is_unchanged()
    assert shards.find_duplicate() is None
