"""Elements with variances: an entry of weight w is w entries, for values and variances alike."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from conftest import SmallProblem
from helpers import assert_close, orders, threads_
from reference import Problem
from vest_tucker import _core

NOISE = 0.3


class Noisy:
    """A solver with variances that stands where a problem does."""

    def __init__(
        self, p: Problem, weights: np.ndarray | None, *, sparse_core: bool, threads: int
    ) -> None:
        rng = np.random.default_rng(7)
        self.values = [part.copy() for part in p.parts]
        self.variances = [rng.uniform(0.05, 0.4, part.shape) for part in p.parts]
        if sparse_core:  # the first column of every factor is one
            for factor in self.values[1:]:
                factor[:, 0] = 1.0
        tensor = _core.SparseTensor(p.coords, p.values, p.shape, weights)
        plan = _core.Plan(tensor, p.core.shape, threads=threads, sparse_core=sparse_core)
        core, *factors = self.values
        self.solver = _core.Solver(
            plan, core, factors, kind=_core.PenaltyKind.NOISE, lam=0.0, threads=threads,
            variances=self.variances,
        )  # fmt: skip
        for part, mask in enumerate(p.pruned):
            pruned = mask.copy()
            if sparse_core and part > 0:
                pruned[:, 0] = False
                first = np.zeros(mask.shape, bool)
                first[:, 0] = True
                self.solver.set_pruned(part, pruned)
                self.solver.set_fixed(part, first)
            else:
                self.solver.set_pruned(part, pruned)
            columns = 1 if part == 0 else mask.shape[1]
            precision = (1.0 + np.arange(columns)).tolist()
            self.solver.set_prior(part, precision=precision, noise=NOISE)

    def step(self, part: int) -> list[np.ndarray]:
        """Update a part; return all values and variances."""
        if part == 0:
            self.solver.update_core()
        else:
            self.solver.update_factor(part - 1)
        return [each.copy() for each in (*self.values, *self.variances)]


def _repeated(p: Problem, times: np.ndarray) -> Problem:
    return dataclasses.replace(
        p, coords=np.repeat(p.coords, times, axis=0), values=np.repeat(p.values, times)
    )


@orders
@threads_
@pytest.mark.parametrize("sparse_core", [False, True], ids=["dense", "by runs"])
@pytest.mark.parametrize("pruned", [0.0, 0.3, 0.8])
def test_an_entry_of_weight_w_is_w_entries(
    order: int,
    threads: int,
    sparse_core: bool,
    pruned: float,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    p = small_problem(order, rng, pruned=pruned)
    times = rng.integers(1, 5, len(p.values))
    weighted = Noisy(p, times.astype(np.float64), sparse_core=sparse_core, threads=threads)
    often = Noisy(_repeated(p, times), None, sparse_core=sparse_core, threads=threads)
    unweighted = Noisy(p, None, sparse_core=sparse_core, threads=threads)
    for part in (*range(1, order + 1), 0):
        got, want = weighted.step(part), often.step(part)
        for mine, theirs in zip(got, want, strict=True):
            assert_close(mine, theirs)
        once = unweighted.step(part)[order + 1 + part]
        if pruned < 0.5:  # then something is left of which weights say something
            assert not np.allclose(once, got[order + 1 + part])
        assert weighted.solver.error() == pytest.approx(often.solver.error(), rel=1e-10)
        for judged in range(order + 1):
            assert_close(
                weighted.solver.responsibilities(judged), often.solver.responsibilities(judged)
            )


@orders
@pytest.mark.parametrize("pruned", [0.0, 0.8])
def test_an_entry_of_weight_one_is_an_entry_without_weight(
    order: int, pruned: float, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng, pruned=pruned)
    of_one = Noisy(p, np.ones(len(p.values)), sparse_core=False, threads=1)
    without = Noisy(p, None, sparse_core=False, threads=1)
    for part in range(order + 1):
        for got, want in zip(of_one.step(part), without.step(part), strict=True):
            np.testing.assert_array_equal(got, want)
