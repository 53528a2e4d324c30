"""Elements with variances: the noise-aware kernels against reference_noise.py, and its bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reference_noise as slow
from conftest import SmallProblem
from helpers import LAM, assert_close, orders, parts_of, threads_
from reference import Problem
from reference_noise import NoisyProblem
from vest_tucker import _core

NOISE = _core.PenaltyKind.NOISE


def noisy(p: Problem, rng: np.random.Generator, fixed: float = 0.1) -> NoisyProblem:
    """Give a problem variances, priors, and some elements that are fixed."""
    return NoisyProblem(
        coords=p.coords,
        values=p.values,
        core=p.core,
        factors=p.factors,
        pruned=p.pruned,
        variances=[rng.uniform(0.02, 0.3, part.shape) for part in p.parts],
        fixed=[(rng.random(pruned.shape) < fixed) & ~pruned for pruned in p.pruned],
        priors=[rng.uniform(0.3, 3.0, size) for size in (1, *p.core.shape)],
        noise=0.6,
    )  # fmt: skip


class Noisy:
    """A solver that stands where the problem does, and the arrays that it works in."""

    def __init__(self, p: NoisyProblem, *, sparse_core: bool = False, **options: Any) -> None:
        tensor = _core.SparseTensor(p.coords, p.values, p.shape)
        self.plan = _core.Plan(tensor, p.core.shape, sparse_core=sparse_core)
        self.variances = [s.copy() for s in p.variances]
        self.solver = _core.Solver(
            self.plan, p.core.copy(), [a.copy() for a in p.factors], kind=NOISE, lam=0.0,
            variances=self.variances, **{"threads": 1, **options},
        )  # fmt: skip
        for part in range(len(p.parts)):
            self.solver.set_pruned(part, p.pruned[part])
            self.solver.set_fixed(part, p.fixed[part])
        self.set_priors(p)

    def set_priors(self, p: NoisyProblem, *, nonnegative: bool = False) -> None:
        for part, precision in enumerate(p.priors):
            self.solver.set_prior(
                part, precision=precision.tolist(), noise=p.noise, nonnegative=nonnegative
            )

    def assert_same(self, p: NoisyProblem, tol: float = 1e-10) -> None:
        for got, want in zip(parts_of(self.solver), p.parts, strict=True):
            assert_close(got, want, tol)
        for got, want in zip(self.variances, p.variances, strict=True):
            assert_close(got, want, tol)

    def update(self, part: int) -> None:
        if part == 0:
            self.solver.update_core()
        else:
            self.solver.update_factor(part - 1)

    def sweep(self) -> None:
        for part in range(len(self.variances)):
            self.update(part)


# --- The judge judged ----------------------------------------------------------------------------


@orders
def test_the_bound_never_falls_with_all_terms(
    order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(order, rng, nnz=60, ranks=(2,) * order, pruned=0.1), rng)
    last = slow.bound(p)
    for _ in range(4):
        for part in range(order + 1):
            if part == 0:
                slow.update_core(p, all_terms=True)
            else:
                slow.update_factor(p, part - 1, None)
            now = slow.bound(p)
            assert now >= last - 1e-9 * abs(last)
            last = now


def test_an_element_with_all_terms_stands_where_the_bound_is_highest(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(3, rng, nnz=60, ranks=(2, 2, 2)), rng, fixed=0.0)
    slow.update_factor(p, 1, None)
    best = slow.bound(p)
    i, j = p.shape[1] - 1, 1  # the element that the sweep of a row visits last
    for array, step in ((p.factors[1], 1e-3), (p.variances[2], 1e-4)):
        for sign in (-1, 1):
            array[i, j] += sign * step
            assert slow.bound(p) < best
            array[i, j] -= sign * step


@pytest.mark.parametrize("seed", range(3))
def test_only_last_stays_near_the_bound_of_all_terms(
    seed: int, small_problem: SmallProblem
) -> None:
    """From where all terms have led, no update loses more than 1 % of what they have gained."""
    rng = np.random.default_rng(seed)
    p = noisy(small_problem(3, rng, nnz=250, shape=(14, 10, 5), ranks=(2, 2, 2)), rng, fixed=0.0)
    start = slow.bound(p)
    for _ in range(10):
        for mode in range(3):
            slow.update_factor(p, mode, None)
        slow.update_core(p, all_terms=True)
    reached = slow.bound(p)
    assert reached > start
    for _ in range(3):
        for mode in range(3):
            slow.update_factor(p, mode, 1 if mode == 0 else 0)  # the longest of the others
            assert reached - slow.bound(p) < 0.01 * (reached - start)
        slow.update_core(p, all_terms=False)
        assert reached - slow.bound(p) < 0.01 * (reached - start)


# --- The kernels ---------------------------------------------------------------------------------


@threads_
@orders
@pytest.mark.parametrize("nonnegative", [False, True])
def test_updates(
    order: int, threads: int, nonnegative: bool, rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:  # fmt: skip
    for pruned, ranks in ((0.3, None), (0.7, None), (0.2, (13, *(2,) * (order - 1)))):
        p = noisy(small_problem(order, rng, pruned=pruned, ranks=ranks), rng)
        got = Noisy(p, threads=threads)
        got.set_priors(p, nonnegative=nonnegative)
        got.assert_same(p)
        for mode in range(order):
            got.solver.update_factor(mode)
            slow.update_factor(p, mode, got.plan.last[mode], nonnegative=nonnegative)
            got.assert_same(p)
        got.solver.update_core()
        slow.update_core(p, all_terms=False, nonnegative=nonnegative)
        got.assert_same(p)


@orders
def test_a_sparse_core_counts_its_products_as_independent(
    order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(order, rng, pruned=0.5), rng)
    p.ones = True
    for n, a in enumerate(p.factors):
        a[:, 0], p.pruned[n + 1][:, 0], p.fixed[n + 1][:, 0] = 1.0, False, True
        p.variances[n + 1][:, 0] = 0.0
    got = Noisy(p, sparse_core=True, threads=2)
    for mode in range(order):
        got.solver.update_factor(mode)
        slow.update_factor(p, mode, None, by_runs=True)
        got.assert_same(p)
    got.solver.update_core()
    slow.update_core(p, all_terms=False)
    got.assert_same(p)


def test_the_same_bits_for_any_number_of_threads_and_rows_in_pieces(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    """A third of 6,000 entries stand in one row, which is then cut into pieces."""
    p = noisy(small_problem(3, rng, nnz=6000, shape=(6, 90, 80), ranks=(4, 14, 2), pruned=0.2), rng)
    for sparse_core in (False, True):
        found = []
        for threads in (1, 2, 7):
            got = Noisy(p, threads=threads, sparse_core=sparse_core)
            for _ in range(2):
                got.sweep()
            found.append([x.tobytes() for x in (*parts_of(got.solver), *got.variances)])
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("isa", _core.isas())
def test_every_build_of_the_kernels_agrees(
    isa: str, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(4, rng, pruned=0.3), rng)
    got = Noisy(p, isa=isa)
    for mode in range(4):
        got.solver.update_factor(mode)
        slow.update_factor(p, mode, got.plan.last[mode])
    got.assert_same(p)


# --- Marks ---------------------------------------------------------------------------------------


def test_what_is_pruned_has_no_variance(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(3, rng, pruned=0.2), rng)
    got = Noisy(p)

    def check() -> None:
        for part, s in enumerate(got.variances):
            assert not s[got.solver.pruned(part) | p.fixed[part]].any()
            assert not parts_of(got.solver)[part][got.solver.pruned(part)].any()

    steps: list[Callable[[], object]] = [
        got.sweep,
        lambda: got.solver.prune([3, 10, 10, 5]),
        got.sweep,
        lambda: got.solver.prune([1, 4, 4, 4]),
        got.solver.revive,
        got.sweep,
    ]
    for step in steps:
        step()
        check()
    marks = got.solver.marks(1).copy()
    free = np.flatnonzero(marks == 0)[:4]
    marks.flat[free] = 2  # pruned
    got.solver.set_marks(1, marks)
    assert not got.variances[1].flat[free].any()
    check()
    got.variances[1][...] = 1.0
    got.solver.values_changed()
    check()


def test_fixed_elements_stay_and_are_neither_free_nor_pruned(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(3, rng, pruned=0.2), rng, fixed=0.3)
    got = Noisy(p)
    for part, fixed in enumerate(p.fixed):
        assert got.solver.n_free[part] == (p.live(part)).sum()
        assert got.solver.n_pruned[part] == p.pruned[part].sum()
        got.update(part)
        np.testing.assert_array_equal(parts_of(got.solver)[part][fixed], p.parts[part][fixed])
    got.solver.prune(got.solver.n_free)
    for part, fixed in enumerate(p.fixed):
        np.testing.assert_array_equal(parts_of(got.solver)[part][fixed], p.parts[part][fixed])
        assert not got.variances[part].any()


def test_what_does_not_fit_is_refused(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = noisy(small_problem(3, rng, ranks=(3, 2, 2)), rng)
    solver = Noisy(p).solver
    for part, precision in ((0, [1.0, 1.0]), (1, [1.0]), (2, []), (4, [1.0])):
        with pytest.raises(ValueError, match="does not have"):
            solver.set_prior(part, precision=precision, noise=1.0)
    for prior, noise in ((0.0, 1.0), (-1.0, 1.0), (np.nan, 1.0), (1.0, 0.0), (1.0, np.nan)):
        with pytest.raises(ValueError, match="must be positive"):
            solver.set_prior(0, precision=[prior], noise=noise)
    with pytest.raises(ValueError, match="by their priors"):
        solver.set_penalty(1, lam=1.0)
    tensor = _core.SparseTensor(p.coords, p.values, p.shape)

    def plain(kind: _core.PenaltyKind = _core.PenaltyKind.LF, **options: Any) -> _core.Solver:
        factors = [a.copy() for a in p.factors]
        return _core.Solver(tensor, p.core.copy(), factors, kind=kind, lam=LAM, **options)

    with pytest.raises(ValueError, match="go together"):
        plain(variances=p.variances)
    with pytest.raises(ValueError, match="go together"):
        plain(NOISE)
    with pytest.raises(ValueError, match="varianc"):
        plain(NOISE, variances=p.variances[:2])
    with pytest.raises(ValueError, match="varianc"):
        plain(NOISE, variances=[p.variances[0], *p.variances[:3]])
    solver = plain()
    with pytest.raises(ValueError, match="only where they have variances"):
        solver.set_fixed(1, p.fixed[1])
    with pytest.raises(ValueError, match="a mark above 3"):
        solver.set_marks(1, np.full(p.factors[0].shape, 4, dtype=np.uint8))
    with pytest.raises(ValueError, match="only elements with variances have priors"):
        solver.set_prior(0, precision=[1.0], noise=1.0)
