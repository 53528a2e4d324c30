"""What must hold for any tensor: laws of the method, tried on problems that hypothesis invents."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import reference
import vest_tucker as vt
from conftest import SmallProblem
from helpers import assert_close, solver_of
from reference import Problem
from vest_tucker import _core

TOL = 1e-8  # of whole fits, where rounding adds up

seeds = st.integers(0, 2**32 - 1)
orders = st.integers(2, 5)
losses = st.sampled_from(["lf", "l1"])
lams = st.sampled_from([0.0, 1e-3, 0.5, 20.0])
shares = st.sampled_from([0.0, 0.1, 0.5])
threads_ = st.integers(1, 3)


def loss_of(solver: _core.Solver, p: Problem, loss: str, lam: float) -> float:
    factors = [solver.factor(n) for n in range(solver.order)]
    return reference.penalised_loss(Problem(p.coords, p.values, solver.core, factors), loss, lam)


def positive(p: Problem) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """A start in (0, 1), as the paper's, so that no element begins at zero."""
    core, *factors = [np.clip(np.abs(part), 0.01, None) for part in p.parts]
    return core, factors


def fit(p: Problem, loss: Any, **options: Any) -> vt.TuckerModel:
    settings: dict[str, Any] = {
        "lam": 0.3, "scale_lam": False, "sparsity": 0.0, "standardize": False, "max_iter": 6,
        "tol": None, "init": positive(p), "threads": 1,
    }  # fmt: skip
    tensor = vt.SparseTensor(p.coords, p.values, p.shape)
    return vt.fit(tensor, p.core.shape, loss=loss, **(settings | options))


# --- The descent ---------------------------------------------------------------------------------


@given(seeds, orders, losses, lams, shares, threads_)
def test_no_update_raises_the_penalised_loss(
    small_problem: SmallProblem,
    seed: int, order: int, loss: str, lam: float, share: float, threads: int,
) -> None:  # fmt: skip
    p = small_problem(order, np.random.default_rng(seed), nnz=120, pruned=share)
    solver = solver_of(p, loss, lam, threads)
    before = loss_of(solver, p, loss, lam)
    for step in range(2 * (order + 1)):
        if step % (order + 1) < order:
            solver.update_factor(step % (order + 1))
        else:
            solver.update_core()
        after = loss_of(solver, p, loss, lam)
        assert after <= before * (1 + 1e-12) + 1e-12
        before = after


@given(seeds, orders, losses, lams, shares)
def test_pruned_elements_stay_zero(
    small_problem: SmallProblem, seed: int, order: int, loss: str, lam: float, share: float
) -> None:
    rng = np.random.default_rng(seed)
    p = small_problem(order, rng, nnz=120, pruned=share)
    solver = solver_of(p, loss, lam, threads=2)
    solver.prune([int(np.sum(~mask)) // 4 for mask in p.pruned])
    masks = [solver.pruned(part) for part in range(order + 1)]
    for mode in range(order):
        solver.update_factor(mode)
    solver.update_core()
    for part, mask in enumerate(masks):
        values = solver.core if part == 0 else solver.factor(part - 1)
        assert not values[mask].any()
        np.testing.assert_array_equal(solver.pruned(part), mask)


@given(seeds, orders, losses, st.sampled_from([0.2, 0.5, 0.8, "auto"]))
def test_sparsity_never_falls_until_a_revival(
    small_problem: SmallProblem, seed: int, order: int, loss: str, sparsity: float | str
) -> None:
    """L_1 also sets unpruned elements to zero for a while, so there only the marks are counted."""
    p = small_problem(order, np.random.default_rng(seed), nnz=150)
    history = fit(p, loss, sparsity=sparsity, revive=False, max_iter=20, preset="paper").history
    shares = [r.sparsity if loss == "lf" else r.pruned for r in history]
    assert all(later >= earlier for earlier, later in itertools.pairwise(shares))
    assert all(r.sparsity >= r.pruned for r in history)


@given(seeds, losses)
def test_a_revival_takes_back_exactly_the_last_batch(
    small_problem: SmallProblem, seed: int, loss: str
) -> None:
    p = small_problem(3, np.random.default_rng(seed), nnz=150)
    marks = [
        0.0,
        *(r.pruned for r in fit(p, loss, sparsity="auto", max_iter=40, preset="paper").history),
    ]
    falls = [t for t in range(1, len(marks)) if marks[t] < marks[t - 1]]
    assert len(falls) <= 1
    for t in falls:
        assert marks[t] == marks[t - 2]
        assert set(marks[t:]) == {marks[t]}  # and nothing is pruned any more


# --- What must not matter ------------------------------------------------------------------------


@given(seeds, orders, losses, st.sampled_from([0.0, 0.5]))
def test_the_order_of_entries_changes_only_rounding(
    small_problem: SmallProblem, seed: int, order: int, loss: str, sparsity: float
) -> None:
    rng = np.random.default_rng(seed)
    p = small_problem(order, rng, nnz=150)
    shuffled = copy.deepcopy(p)
    order_of = rng.permutation(len(p.values))
    shuffled.coords, shuffled.values = p.coords[order_of], p.values[order_of]
    want = fit(p, loss, sparsity=sparsity, preset="paper")
    got = fit(shuffled, loss, sparsity=sparsity, preset="paper")
    for a, b in zip([got.core, *got.factors], [want.core, *want.factors], strict=True):
        assert_close(a, b, TOL)


@given(seeds, orders, losses, st.sampled_from([0.0, 0.6, "auto"]))
def test_standardizing_changes_no_prediction(
    small_problem: SmallProblem, seed: int, order: int, loss: str, sparsity: float | str
) -> None:
    p = small_problem(order, np.random.default_rng(seed), nnz=150)
    plain = fit(p, loss, sparsity=sparsity, preset="paper")
    unit = fit(p, loss, sparsity=sparsity, standardize=True, preset="paper")
    assert_close(unit.predict(p.coords), plain.predict(p.coords), tol=1e-12)
    for a, b in zip(unit.factors, plain.factors, strict=True):
        norms = np.linalg.norm(a, axis=0)
        np.testing.assert_allclose(norms, b.any(axis=0), rtol=1e-12)  # 1, or 0 where all are 0
        np.testing.assert_array_equal(a == 0.0, b == 0.0)


@given(seeds, orders, losses, st.data())
def test_relabelling_a_mode_permutes_its_rows(
    small_problem: SmallProblem, seed: int, order: int, loss: str, data: st.DataObject
) -> None:
    """Without pruning: there, ties go by index."""
    mode = data.draw(st.integers(0, order - 1))
    rng = np.random.default_rng(seed)
    p = small_problem(order, rng, nnz=150)
    label = rng.permutation(p.shape[mode])  # old row i becomes row label[i]
    renamed = copy.deepcopy(p)
    renamed.coords[:, mode] = label[p.coords[:, mode]]
    renamed.factors[mode][label] = p.factors[mode]
    want, got = fit(p, loss, preset="paper"), fit(renamed, loss, preset="paper")
    assert_close(got.core, want.core, TOL)
    for n in range(order):
        rows = label if n == mode else np.arange(p.shape[n])
        assert_close(got.factors[n][rows], want.factors[n], TOL)


@given(seeds, orders, losses, st.data())
def test_modes_may_come_in_any_order(
    small_problem: SmallProblem, seed: int, order: int, loss: str, data: st.DataObject
) -> None:
    """Transposing tensor and model transposes a factor's update, RE and every responsibility."""
    axes = data.draw(st.permutations(range(order)))
    p = small_problem(order, np.random.default_rng(seed), nnz=150, pruned=0.1)
    turned = Problem(
        np.ascontiguousarray(p.coords[:, axes]),
        p.values,
        np.ascontiguousarray(p.core.transpose(axes)),
        [p.factors[n] for n in axes],
        pruned=[np.ascontiguousarray(p.pruned[0].transpose(axes))]
        + [p.pruned[n + 1] for n in axes],
    )
    a, b = solver_of(p, loss, 0.3), solver_of(turned, loss, 0.3)
    assert_close(b.responsibilities(0), a.responsibilities(0).transpose(axes), TOL)
    for here, there in enumerate(axes):
        assert_close(b.responsibilities(here + 1), a.responsibilities(there + 1), TOL)
        b.update_factor(here)
        a.update_factor(there)
        assert_close(b.factor(here), a.factor(there), TOL)
    np.testing.assert_allclose(b.error(), a.error(), rtol=1e-10)


# --- Scaling -------------------------------------------------------------------------------------


@given(seeds, orders, losses, st.sampled_from([2.0**-20, 0.5, 8.0, 2.0**20]))
def test_without_a_penalty_the_core_scales_with_the_values(
    small_problem: SmallProblem, seed: int, order: int, loss: str, scale: float
) -> None:
    """A power of two rounds nothing, so the scaled fit has the same bits."""
    p = small_problem(order, np.random.default_rng(seed), nnz=150)
    core, factors = positive(p)
    want = fit(p, loss, lam=0.0, sparsity=0.4, preset="paper")
    p.values = p.values * scale
    got = fit(p, loss, lam=0.0, sparsity=0.4, init=(core * scale, factors), preset="paper")
    np.testing.assert_array_equal(got.core, want.core * scale)
    for a, b in zip(got.factors, want.factors, strict=True):
        np.testing.assert_array_equal(a, b)
    assert [r.error for r in got.history] == [r.error for r in want.history]


@given(seeds, orders, losses)
def test_flipping_the_signs_of_a_column_and_its_core_slice_changes_nothing(
    small_problem: SmallProblem, seed: int, order: int, loss: str
) -> None:
    p = small_problem(order, np.random.default_rng(seed), nnz=150)
    flipped = copy.deepcopy(p)
    flipped.factors[0][:, 1] *= -1.0
    flipped.core[1] *= -1.0
    a, b = solver_of(p, loss, 0.5), solver_of(flipped, loss, 0.5)
    for solver in (a, b):
        for mode in range(order):
            solver.update_factor(mode)
        solver.update_core()
    assert_close(np.abs(b.core), np.abs(a.core), TOL)
    assert_close(b.factor(0)[:, 1], -a.factor(0)[:, 1], TOL)
    np.testing.assert_allclose(b.error(), a.error(), rtol=1e-10)


@given(seeds, orders)
def test_error_and_predict_agree(small_problem: SmallProblem, seed: int, order: int) -> None:
    p = small_problem(order, np.random.default_rng(seed), nnz=150)
    model = fit(p, "lf", sparsity=0.3, preset="paper")
    tensor = vt.SparseTensor(p.coords, p.values, p.shape)
    residuals = p.values - model.predict(p.coords)
    want = np.linalg.norm(residuals) / np.linalg.norm(p.values)
    np.testing.assert_allclose(vt.relative_error(model, tensor), want, rtol=1e-12)
    np.testing.assert_allclose(model.error, want, rtol=1e-9)
