"""One path from one start: what every stop prunes and refits, and where it ends."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from helpers import assert_close, problem_of
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.starts.data import data_start
from vest_tucker.fitting.starts.random import random_start
from vest_tucker.fitting.starts.start import Start
from vest_tucker.studies.path.prune_down import Pruned, bases, expected_stops

ELEMENTS = 8 + 60 + 40 + 20


def problem_down_to(X: vt.SparseTensor, allocation: Any = "global", least: float = 0.1) -> Problem:
    options = {"threads": 1, "penalty": "lf", "lam": 0.01, "sparsity": 0.0}
    options["allocation"] = allocation
    problem = problem_of(X, 2, options)
    plan = Pruning.down_to(X.shape, problem.ranks, least, allocation)
    return dataclasses.replace(problem, pruning=plan)


def batches(run: Pruned) -> list[int]:
    """How many elements each stop pruned."""
    return [round(record.prune_rate * ELEMENTS) for record in run.records]


def started(X: vt.SparseTensor) -> Start:
    return Start(*random_start(X.shape, (2, 2, 2), 0))


def test_every_stop_refits_what_the_least_responsible_have_left(prunable: vt.SparseTensor) -> None:
    """Against the slow transcription of the paper, which prunes as many as the path says."""
    run = Pruned("plain", problem_down_to(prunable), started(prunable), None)
    run.go(step=0.1, refit=3)
    start = started(prunable)
    p = reference.Problem(prunable.coords, prunable.values, start.core, start.factors)
    lam = 0.01 * prunable.nnz / ELEMENTS
    for count, record, snapshot in zip(batches(run), run.records, run.snapshots, strict=True):
        for _ in range(3):
            for mode in range(3):
                reference.update_factor(p, mode, "lf", lam)
            reference.update_core(p, "lf", lam)
        assert record.error == pytest.approx(reference.error(p), rel=1e-9)
        for part, kept in zip(p.parts, snapshot.parts(), strict=True):
            assert_close(kept, part, tol=1e-7)
            part[...] = kept
        reference.prune_global(p, count)


def test_a_path_slows_down_and_goes_as_far_as_it_should(prunable: vt.SparseTensor) -> None:
    run = Pruned("plain", problem_down_to(prunable, least=0.1), started(prunable), None)
    run.go(step=0.1, refit=1)
    *pruned, last = batches(run)
    assert pruned[0] == ELEMENTS // 10  # a step of all elements, while many are left
    assert pruned == sorted(pruned, reverse=True)
    assert pruned[0] >= 2 * pruned[-2] > 0  # fewer, when few are left; the last is what remains
    assert last == 0
    assert sum(pruned) == ELEMENTS - math.ceil(0.1 * ELEMENTS)


def test_it_ends_when_nothing_is_explained(prunable: vt.SparseTensor) -> None:
    run = Pruned("plain", problem_down_to(prunable, least=0.01), started(prunable), None)
    run.go(step=0.02, refit=1)
    assert run.records[-1].error > 0.999
    assert all(record.error <= 0.999 for record in run.records[:-1])
    assert run.records[-1].pruned < 1 - 1 / ELEMENTS  # the plan would have gone on


def test_per_matrix_keeps_something_of_every_part(prunable: vt.SparseTensor) -> None:
    run = Pruned(
        "plain", problem_down_to(prunable, "per_matrix", least=0.03), started(prunable), None
    )
    run.go(step=0.1, refit=1)
    for snapshot in run.snapshots:
        assert all(part.any() for part in snapshot.parts())


@pytest.mark.parametrize(
    ("basis", "names"),
    [("auto", ["rotated", "plain"]), ("rotated", ["rotated"]), ("plain", ["plain"])],
)
def test_bases(prunable: vt.SparseTensor, basis: Any, names: list[str]) -> None:
    problem = problem_down_to(prunable)
    rng = np.random.default_rng(0)
    dense = data_start(problem, 1, rng)
    assert [name for name, _ in bases(dense, problem, basis, rng)] == names


def test_expected_stops() -> None:
    assert expected_stops(0.5, 0.5) == [1.0, 0.5]
    assert expected_stops(1.0, 1.0) == [1.0]


def test_the_stops_are_about_as_many_as_expected(prunable: vt.SparseTensor) -> None:
    run = Pruned("plain", problem_down_to(prunable, least=0.3), started(prunable), None)
    run.go(step=0.1, refit=1)
    assert abs(len(run.records) - len(expected_stops(0.1, 0.3))) <= 2
