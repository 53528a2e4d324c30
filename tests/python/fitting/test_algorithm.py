"""Algorithm 1: the order of its steps, when it prunes and when it ends.

The loop runs here over a scripted solver; whole fits are in test_fitting, and those held against
stored ones in test_oracle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.fitting.algorithm import (
    Run,
    final_error,
    first_phase,
    step,
)
from vest_tucker.fitting.callback import Listener
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.options import FitOptions
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.state import FitState


class ScriptedSolver:
    """A solver whose errors are written down beforehand, and which writes down what is asked."""

    order = 2

    def __init__(self, errors: Sequence[float], sizes: Sequence[int] = (100, 1000, 500)) -> None:
        self.errors = iter(errors)
        self.sizes = list(sizes)
        self.n_pruned = [0] * len(sizes)
        self.batch = [0] * len(sizes)
        self.asked: list[str] = []

    @property
    def n_free(self) -> list[int]:
        return [size - done for size, done in zip(self.sizes, self.n_pruned, strict=True)]

    @property
    def n_zeros(self) -> list[int]:
        return [done + 1 for done in self.n_pruned]

    def update_factors(self, modes: Sequence[int]) -> None:
        self.asked += [f"A{mode}" for mode in modes]

    def update_core(self) -> None:
        self.asked.append("G")

    def error(self, judge: bool = False) -> float:
        self.asked.append("RE+R" if judge else "RE")
        return next(self.errors)

    def prune(self, counts: Sequence[int]) -> None:
        self.asked.append("prune")
        self.batch = list(counts)
        self.n_pruned = [a + b for a, b in zip(self.n_pruned, counts, strict=True)]

    def revive(self) -> int:
        self.asked.append("revive")
        self.n_pruned = [a - b for a, b in zip(self.n_pruned, self.batch, strict=True)]
        return sum(self.batch)


def run(
    solver: ScriptedSolver, limits: Sequence[int] = (90, 900, 450), **options: Any
) -> tuple[str, list[vt.IterationRecord]]:
    settings = FitOptions(**options)
    pruning = Pruning("per_matrix", tuple(solver.sizes), tuple(limits))
    problem = SimpleNamespace(
        options=settings, pruning=pruning, constraints=Constraints(), free_modes=range(solver.order)
    )
    listener = Listener(lambda record: None, settings.callback, cast(Any, None), 1.0)
    run = Run(cast("_core.Solver", solver), cast(Any, problem), Schedule(), 1.0, tell=listener.tell)
    state = FitState(np.zeros(1), [], phase=first_phase(run))
    while not state.stopped:
        step(state, run)
    return state.stopped, state.history


# --- The loop ------------------------------------------------------------------------------------


def test_one_iteration_updates_measures_and_prunes_in_this_order() -> None:
    solver = ScriptedSolver([0.5])
    assert run(solver, max_iter=1)[0] == "max_iter"
    assert solver.asked == ["A0", "A1", "G", "RE+R", "prune"]
    assert solver.batch == [1, 10, 5]


def test_the_pruning_rate_grows_with_the_iteration() -> None:
    solver = ScriptedSolver([0.5] * 12)
    _, history = run(solver, max_iter=12, init_prune_rate=0.02, max_prune_rate=0.07)
    assert [r.prune_rate for r in history[:5]] == [0.02, 0.04, 0.06, 0.07, 0.07]


def test_an_elbow_stops_pruning_and_revives_the_last_batch() -> None:
    solver = ScriptedSolver([0.9, 0.5, 0.49, 0.55, 0.5, 0.49995, 0.4])
    stopped, history = run(solver)
    steps = " ".join(solver.asked).split("A0 A1 G ")[1:]  # what each iteration does then
    assert steps == ["RE+R prune "] * 3 + ["RE+R revive ", "RE ", "RE"]
    assert [r.prune_rate > 0 for r in history] == [True] * 4 + [False] * 2
    assert [round(r.pruned * 1600) for r in history] == [16, 48, 96, 48, 48, 48]
    assert stopped == "converged"


def test_a_slow_climb_stops_at_1_3_times_the_lowest() -> None:
    climb = [0.5, 0.5, 0.54, 0.58, 0.62, 0.66, 0.7]
    solver = ScriptedSolver(climb)
    _, history = run(solver, max_iter=7, elbow=10.0)
    assert [r.prune_rate > 0 for r in history] == [True] * 6 + [False]


def test_revival_can_be_turned_off() -> None:
    solver = ScriptedSolver([0.9, 0.5, 0.49, 0.55, 0.5])
    _, history = run(solver, max_iter=5, revive=False)
    assert "revive" not in solver.asked
    assert history[-1].prune_rate == 0.0
    assert history[-1].pruned == history[2].pruned


def test_a_manual_target_ignores_the_elbow_and_ends_exactly_there() -> None:
    solver = ScriptedSolver([0.9, 0.5, 0.49, 0.9, 1.0, 1.0, 1.0])
    limits = [7, 70, 50]
    _, history = run(solver, limits, sparsity=0.07, max_iter=7, tol=None)
    assert solver.n_pruned == limits
    # 1 + 2 + 3 + 1 %, and for the last part 1 + 2 + 3 + 4 %: the others wait for it.
    assert [r.prune_rate > 0 for r in history] == [True] * 4 + [False] * 3
    assert "revive" not in solver.asked


def test_reaching_the_limit_in_auto_mode_ends_pruning_without_revival() -> None:
    solver = ScriptedSolver([0.9, 0.5, 0.8, 0.7])
    _, history = run(solver, [1, 15, 6], max_iter=4)
    assert [r.prune_rate > 0 for r in history] == [True, True, False, False]
    assert "revive" not in solver.asked


def test_nothing_to_prune_means_no_pruning_at_all() -> None:
    solver = ScriptedSolver([0.9, 0.5, 0.4])
    _, history = run(solver, [0, 0, 0], max_iter=3)
    assert "prune" not in solver.asked
    assert [r.prune_rate for r in history] == [0.0] * 3


def test_records_count_zeros_and_pruned_over_all_parts() -> None:
    _, history = run(ScriptedSolver([0.5]), max_iter=1)
    assert history[0].iteration == 1
    assert history[0].error == 0.5
    assert history[0].pruned == 16 / 1600
    assert history[0].sparsity == 19 / 1600
    assert history[0].seconds >= 0.0


# --- The end -------------------------------------------------------------------------------------


def test_convergence_waits_for_an_iteration_that_began_after_pruning() -> None:
    solver = ScriptedSolver([0.5, 0.5, 0.5, 0.5])
    stopped, history = run(solver, [1, 20, 10], sparsity=0.02)
    assert stopped == "converged"
    assert len(history) == 3  # pruning ends within iteration 2, although 0.5 = 0.5 there


@pytest.mark.parametrize(
    ("errors", "tol", "iterations"),
    [
        ([0.5, 0.4, 0.3999, 0.2], 1e-3, 3),  # falls a little: settled
        ([0.5, 0.4, 0.4001, 0.2], 1e-3, 4),  # rises a little: not settled
        ([0.5, 0.5, 0.5, 0.2], None, 4),
        ([0.5, 0.5, 0.5, 0.2], 0.0, 2),
    ],
)
def test_the_error_has_settled_if_it_falls_by_no_more_than_tol(
    errors: list[float], tol: float | None, iterations: int
) -> None:
    assert len(run(ScriptedSolver(errors), [0, 0, 0], tol=tol, max_iter=4)[1]) == iterations


@pytest.mark.parametrize(
    ("answer", "iterations"), [(True, 2), (np.True_, 2), (None, 5), (1, 5), ("yes", 5), (False, 5)]
)
def test_only_true_from_the_callback_ends_the_fit(answer: Any, iterations: int) -> None:
    seen: list[int] = []

    def callback(record: vt.IterationRecord) -> Any:
        seen.append(record.iteration)
        return answer if record.iteration == 2 else None

    stopped, _ = run(ScriptedSolver([0.5] * 5), max_iter=5, callback=callback)
    assert seen == list(range(1, iterations + 1))
    assert stopped == ("callback" if iterations == 2 else "max_iter")


@pytest.mark.parametrize("error", [math.nan, math.inf])
def test_an_error_that_is_no_number_ends_the_fit(error: float) -> None:
    with pytest.raises(vt.errors.DivergedError, match=f"became {error} in iteration 2"):
        run(ScriptedSolver([0.5, error]))


def test_the_final_error_is_measured_again_only_after_pruning() -> None:
    solver = cast("_core.Solver", ScriptedSolver([0.7]))
    still = vt.IterationRecord(9, 0.5, 0.1, 0.1, 0.0, 0.1)
    pruning = vt.IterationRecord(9, 0.5, 0.1, 0.1, 0.05, 0.1)
    assert final_error(solver, [still]) == 0.5
    assert final_error(solver, [pruning]) == 0.7
