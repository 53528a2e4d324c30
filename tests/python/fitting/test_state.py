"""The state of a fit: a copy or a file of it goes on to the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting.algorithm import Run, first_phase, resume, step
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.engine import make_solver
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.starts import KINDS
from vest_tucker.fitting.state import FitState, Phase

LAM = 0.01
CASES: dict[str, dict[str, Any]] = {
    "the paper's": {},
    "a target, all in one ranking": {"sparsity": 0.5, "allocation": "global", "penalty": "lf"},
    "pairs, which settle first": {"init": "pairs", "offset": "biases", "sparsity": 0.4},
    "early stopping": {"sparsity": 0.3, "max_prune_rate": 0.2, "validation": True},
}


@pytest.fixture(scope="module")
def parts() -> tuple[vt.SparseTensor, vt.SparseTensor]:
    X, _ = vt.datasets.synthetic((20, 15, 10), 3, nnz=1200, noise=0.3, seed=1)
    return vt.train_test_split(X, test=0.2, seed=0)


def begun(
    parts: tuple[vt.SparseTensor, vt.SparseTensor], case: str
) -> tuple[FitState, Run, Problem]:
    options = {"max_iter": 30, "threads": 1} | CASES[case]
    init, held = options.pop("init", "random"), options.pop("validation", False)
    problem = problem_of(parts[0], 3, options)
    start = KINDS[init].make(problem, np.random.default_rng(0))
    state = FitState(start.core, start.factors, rng=np.random.default_rng(5))
    solver = make_solver(problem, state, start.schedule, LAM)
    held_out = HeldOut.over(problem, parts[1]) if held else None
    run = Run(solver, problem, start.schedule, LAM, held_out)
    state.phase = first_phase(run)
    return state, run, problem


def bits(state: FitState) -> list[Any]:
    arrays: list[Any] = [state.core, *state.factors, *state.marks, *state.best.parts]
    facts = [state.phase, state.errors, state.best.error, state.best.waited, state.stopped]
    return [[array.tobytes() for array in arrays], facts]


def resumed(state: FitState, run: Run, problem: Problem) -> Run:
    again = resume(state, problem, run.schedule, LAM)
    return Run(again.solver, problem, run.schedule, LAM, run.held_out)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("iterations", [1, 4, 7, 17])
def test_a_state_read_from_a_file_goes_on_to_the_same_bits(
    parts: tuple[vt.SparseTensor, vt.SparseTensor], case: str, iterations: int, tmp_path: Path
) -> None:
    state, run, problem = begun(parts, case)
    for _ in range(iterations):
        step(state, run)
    state.save(tmp_path / "state.npz")
    other = FitState.load(tmp_path / "state.npz")
    assert bits(other) == bits(state)
    assert other.rng is not None
    assert other.rng.random() == np.random.default_rng(5).random()
    other_run = resumed(other, run, problem)
    for each, its_run in ((state, run), (other, other_run)):
        while not each.stopped:
            step(each, its_run)
    assert bits(other) == bits(state)


def test_the_cases_pass_through_every_phase(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    seen = set()
    for case in CASES:
        state, run, _ = begun(parts, case)
        while not state.stopped:
            seen.add(state.phase)
            step(state, run)
        assert (case == "early stopping") == bool(state.best.parts)
    assert seen == set(Phase)


def test_a_copy_does_not_change_with_the_fit(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    state, run, _ = begun(parts, "the paper's")
    step(state, run)
    copy = state.copy()
    before = bits(copy)
    step(state, run)
    assert bits(copy) == before != bits(state)
    assert copy.iteration == 1


def test_the_last_batch_can_be_revived_after_resuming(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    state, run, problem = begun(parts, "the paper's")
    for _ in range(3):
        step(state, run)
    other = state.copy()
    solver = resumed(other, run, problem).solver
    assert solver.n_pruned == run.solver.n_pruned
    assert solver.revive() == run.solver.revive() > 0
    assert solver.n_pruned == run.solver.n_pruned


def test_marks_that_do_not_exist_are_refused(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    _, run, _ = begun(parts, "the paper's")
    with pytest.raises(ValueError, match="a mark above 3"):
        run.solver.set_marks(1, np.full((20, 3), 4, dtype=np.uint8))


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
def test_every_generator_is_stored(kind: Any, tmp_path: Path) -> None:
    rng = np.random.Generator(kind(3))
    rng.random(7)
    FitState(np.zeros((1, 1)), [np.zeros((1, 1))] * 2, rng=rng).save(tmp_path / "state.npz")
    read = FitState.load(tmp_path / "state.npz").rng
    assert read is not None
    assert read.random() == rng.random()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    vt.TuckerModel(np.ones((1, 1)), [np.ones((1, 1))] * 2).save(tmp_path / "model.npz")
    with pytest.raises(vt.errors.FileFormatError, match="fit state"):
        FitState.load(tmp_path / "model.npz")
