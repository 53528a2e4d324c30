"""One path from one start, against the same done by hand with a solver."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting.engine import make_solver
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.starts.data import data_start
from vest_tucker.fitting.starts.random import random_start
from vest_tucker.fitting.starts.start import Start
from vest_tucker.fitting.state import FitState
from vest_tucker.studies.path.prune_down import Pruned, bases, expected_stops


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((14, 12, 9), 2, nnz=700, sparsity=0.4, noise=0.2, seed=0)[0]


def problem_down_to(X: vt.SparseTensor, allocation: Any = "global", least: float = 0.1) -> Problem:
    options = {"threads": 1, "loss": "lf", "lam": 0.01, "sparsity": 0.0, "allocation": allocation}
    problem = problem_of(X, 2, options)
    plan = Pruning.down_to(X.shape, problem.ranks, least, allocation)
    return dataclasses.replace(problem, pruning=plan)


def started(X: vt.SparseTensor) -> Start:
    return Start(*random_start(X.shape, (2, 2, 2), 0))


def test_the_same_by_hand(tensor: vt.SparseTensor) -> None:
    problem = problem_down_to(tensor)
    run = Pruned("plain", problem, started(tensor), None)
    run.go(step=0.1, refit=3)

    hand = started(tensor)
    state = FitState(hand.core, hand.factors)
    solver = make_solver(problem, state, hand.schedule, 0.01)
    total = 8 + 28 + 24 + 18
    pruned = 0
    for record, snapshot in zip(run.records, run.snapshots, strict=True):
        for _ in range(3):
            for mode in range(3):
                solver.update_factor(mode)
            solver.update_core()
        assert solver.error(judge=True) == record.error
        for part, kept in zip((hand.core, *hand.factors), snapshot.parts(), strict=True):
            assert (part == kept).all()
        left = total - pruned
        count = max(1, min(math.floor(0.1 * total), int(0.25 * left)))
        count = min(count, total - math.ceil(0.1 * total) - pruned)
        assert record.prune_rate == count / total
        if count:
            solver.prune([count])
        pruned += count
    assert pruned == total - math.ceil(0.1 * total)


def test_it_ends_when_nothing_is_explained(tensor: vt.SparseTensor) -> None:
    run = Pruned("plain", problem_down_to(tensor, least=0.01), started(tensor), None)
    run.go(step=0.02, refit=1)
    last = run.records[-1].error
    assert last > 0.999 or run.snapshots[-1].n_nonzero <= 1
    assert all(record.error <= 0.999 for record in run.records[:-1])


def test_per_matrix_keeps_something_of_every_part(tensor: vt.SparseTensor) -> None:
    run = Pruned("plain", problem_down_to(tensor, "per_matrix", least=0.03), started(tensor), None)
    run.go(step=0.1, refit=1)
    for snapshot in run.snapshots:
        assert all(part.any() for part in snapshot.parts())


@pytest.mark.parametrize(
    ("basis", "names"),
    [("auto", ["rotated", "plain"]), ("rotated", ["rotated"]), ("plain", ["plain"])],
)
def test_bases(tensor: vt.SparseTensor, basis: Any, names: list[str]) -> None:
    problem = problem_down_to(tensor)
    rng = np.random.default_rng(0)
    dense = data_start(problem, 1, rng)
    assert [name for name, _ in bases(dense, problem, basis, rng)] == names


def test_how_many_stops() -> None:
    assert expected_stops(0.5, 0.5) == [1.0, 0.5]
    assert expected_stops(1.0, 1.0) == [1.0]


def test_the_stops_are_about_as_many_as_expected(tensor: vt.SparseTensor) -> None:
    run = Pruned("plain", problem_down_to(tensor, least=0.3), started(tensor), None)
    run.go(step=0.1, refit=1)
    assert abs(len(run.records) - len(expected_stops(0.1, 0.3))) <= 2
