"""Plans are made once per tensor, shared by all solvers, and gone with them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.fitting.problem import LazyPlan

QUICK: dict[str, Any] = {"max_iter": 3, "seed": 0, "threads": 1, "sparsity": 0.3}


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=900, noise=0.1, seed=0)
    return vt.SparseTensor(X.coords, X.values + 3.0, X.shape)


class Counted:
    """Makes plans and counts them, and those that are still there."""

    def __init__(self) -> None:
        self.plans: list[weakref.ref[_core.Plan]] = []
        self.solvers = 0

    def plan(self, *args: Any, **options: Any) -> _core.Plan:
        made = PLAN(*args, **options)
        self.plans.append(weakref.ref(made))
        return made

    def solver(self, entries: _core.Plan, *args: Any, **options: Any) -> _core.Solver:
        assert isinstance(entries, PLAN)  # a tensor would be sorted once more
        self.solvers += 1
        return SOLVER(entries, *args, **options)


PLAN, SOLVER = _core.Plan, _core.Solver


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counts = Counted()
    monkeypatch.setattr(_core, "Plan", counts.plan)
    monkeypatch.setattr(_core, "Solver", counts.solver)
    return counts


# What is asked for -> plans made, and the fewest solvers that share them.
CALLS: dict[str, tuple[Callable[[vt.SparseTensor], object], int, int]] = {
    "one fit": (lambda X: vt.fit(X, 2, lam=0.1, **QUICK, preset="paper"), 1, 1),
    "an offset": (lambda X: vt.fit(X, 2, lam=0.1, offset="biases", **QUICK, preset="paper"), 1, 1),
    "several starts": (lambda X: vt.fit(X, 2, lam=0.1, n_starts=3, **QUICK, preset="paper"), 1, 3),
    "a start that the data make": (
        lambda X: vt.fit(X, 2, init="data", **QUICK, preset="paper"),
        1,
        3,
    ),
    "a search": (lambda X: vt.fit(X, 2, lam="auto", offset="mean", **QUICK, preset="paper"), 2, 6),
    "a path": (lambda X: vt.path(X, 2, preset="paper", step=0.3, seed=0, threads=1), 1, 3),
    "stability": (lambda X: vt.stability(X, 2, 3, lam=0.1, preset="paper", **QUICK), 1, 3),
}


@pytest.mark.parametrize("what", CALLS)
def test_solvers_share_a_plan(what: str, tensor: vt.SparseTensor, counted: Counted) -> None:
    call, plans, solvers = CALLS[what]
    call(tensor)
    assert len(counted.plans) == plans
    assert counted.solvers >= solvers


@pytest.mark.parametrize("what", CALLS)
def test_no_plan_outlives_its_call(what: str, tensor: vt.SparseTensor, counted: Counted) -> None:
    result = CALLS[what][0](tensor)
    assert [plan() for plan in counted.plans] == [None] * len(counted.plans)
    assert result is not None


def test_a_search_frees_its_plan_before_the_next_is_made(
    tensor: vt.SparseTensor, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan(*args: Any, **options: Any) -> _core.Plan:
        assert all(made() is None for made in counted.plans)
        return counted.plan(*args, **options)

    monkeypatch.setattr(_core, "Plan", plan)
    vt.fit(tensor, 2, lam="auto", offset="mean", **QUICK, preset="paper")
    assert len(counted.plans) == 2


def test_nothing_is_sorted_before_a_solver_asks(tensor: vt.SparseTensor, counted: Counted) -> None:
    plan = LazyPlan(tensor._handle, (2, 2, 2), threads=1)
    assert counted.plans == []
    assert plan.made is plan.made
    assert len(counted.plans) == 1


def test_a_plan_holds_the_values_of_its_tensor(tensor: vt.SparseTensor) -> None:
    """Solvers at the same time, one after the other, and of other values at the same cells."""
    rng = np.random.default_rng(0)
    start = [rng.random((2, 2, 2)), *(rng.random((dim, 2)) for dim in tensor.shape)]

    def updated(entries: _core.Plan | _core.SparseTensor) -> _core.Solver:
        core, *factors = (part.copy() for part in start)
        solver = SOLVER(entries, core, factors, kind=_core.PenaltyKind.LF, lam=0.1, threads=1)
        solver.update_factor(1)
        solver.update_core()
        return solver

    plan = PLAN(tensor._handle, (2, 2, 2))
    others = tensor._handle.with_values(np.arange(tensor.nnz, dtype=np.float64))
    first, second, alone = updated(plan), updated(plan), updated(tensor._handle)
    for solver in (first, second):
        np.testing.assert_array_equal(solver.core, alone.core)
        assert solver.error() == alone.error()
    other = updated(others)
    assert not np.array_equal(other.core, alone.core)
    np.testing.assert_array_equal(other.core, updated(PLAN(others, (2, 2, 2))).core)


def test_a_plan_fits_one_shape_and_ranks(tensor: vt.SparseTensor) -> None:
    handle = tensor._handle
    with pytest.raises(ValueError, match="rank of at least 1 for each of the 3 modes"):
        PLAN(handle, (2, 2))
    with pytest.raises(ValueError, match="rank of at least 1 for each of the 3 modes"):
        PLAN(handle, (2, 0, 2))
    plan = PLAN(handle, (2, 2, 2))
    for ranks, shape, message in (
        ((2, 3, 2), (20, 15, 10), "other ranks"),
        ((2, 2, 2), (20, 15, 11), "factor 2 has 11 rows"),
    ):
        factors = [np.ones(size) for size in zip(shape, ranks, strict=True)]
        with pytest.raises(ValueError, match=message):
            SOLVER(plan, np.ones(ranks), factors, kind=_core.PenaltyKind.LF, lam=0.1)
