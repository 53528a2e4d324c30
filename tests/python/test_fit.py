"""Algorithm 1: the order of its steps, when it prunes and when it ends.

The loop runs here over a scripted solver; whole fits are held against stored ones in test_oracle.
"""

from __future__ import annotations

import math
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

import vest_tucker as vt
from helpers import DEFAULTS
from vest_tucker import _core
from vest_tucker.fit import error_as_it_stands, final_error, random_start, repeat
from vest_tucker.measure import constant_error
from vest_tucker.options import FitOptions
from vest_tucker.pruning import Pruning


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

    def update_factor(self, mode: int) -> None:
        self.asked.append(f"A{mode}")

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
    history: list[vt.IterationRecord] = []
    settings = FitOptions(**(DEFAULTS | options))
    plan = Pruning("per_matrix", tuple(solver.sizes), tuple(limits))
    stopped = repeat(cast("_core.Solver", solver), plan, settings, history, lambda record: None)
    return stopped, history


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((15, 12, 10), 2, nnz=800, seed=3)[0]


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
    assert solver.asked.count("prune") == 3
    assert solver.asked[15:19] == ["A0", "A1", "G", "RE+R"]  # iteration 4 measures, then stops
    assert solver.asked[19] == "revive"
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
    with pytest.raises(vt.DivergedError, match=f"became {error} in iteration 2"):
        run(ScriptedSolver([0.5, error]))


def test_the_final_error_is_measured_again_only_after_pruning() -> None:
    solver = cast("_core.Solver", ScriptedSolver([0.7]))
    still = vt.IterationRecord(9, 0.5, 0.1, 0.1, 0.0, 0.1)
    pruning = vt.IterationRecord(9, 0.5, 0.1, 0.1, 0.05, 0.1)
    assert final_error(solver, [still]) == 0.5
    assert final_error(solver, [pruning]) == 0.7


def test_a_second_interrupt_gives_up_on_the_final_error() -> None:
    class Impatient(ScriptedSolver):
        def error(self, judge: bool = False) -> float:
            raise KeyboardInterrupt

    assert math.isnan(error_as_it_stands(cast("_core.Solver", Impatient([]))))


# --- Whole fits ----------------------------------------------------------------------------------


def test_the_start_draws_factors_in_mode_order_then_the_core() -> None:
    core, factors = random_start((3, 4), (2, 2), seed=5)
    drawn = np.concatenate([factors[0].ravel(), factors[1].ravel(), core.ravel()])
    np.testing.assert_array_equal(drawn, np.random.default_rng(5).random(6 + 8 + 4))


@pytest.mark.parametrize("sparsity", ["auto", 0.4, 0.0])
@pytest.mark.parametrize("standardize", [True, False])
def test_the_error_reported_is_that_of_the_model_returned(
    tensor: vt.SparseTensor, sparsity: Any, standardize: bool
) -> None:
    for max_iter in (1, 3, 8, 60):
        model = vt.fit(
            tensor,
            2,
            lam=0.1,
            sparsity=sparsity,
            max_iter=max_iter,
            standardize=standardize,
            seed=0,
        )
        assert model.error < 0.9
        assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)
        assert model.sparsity == pytest.approx(model.history[-1].sparsity)


def test_the_model_knows_how_it_was_fitted(tensor: vt.SparseTensor) -> None:
    model = vt.fit(tensor, (2, 3, 1), loss="lf", sparsity=0.0, lam=0.5, max_iter=3)
    elements = 6 + 15 * 2 + 12 * 3 + 10
    assert (model.loss, model.lam, model.nnz) == ("lf", 0.5, 800)
    assert model.lam_used == pytest.approx(0.5 * 800 / elements)
    assert model.baseline_error == constant_error(tensor.mean, tensor)
    assert (model.n_iter, model.stopped) == (3, "max_iter")
    assert model.seconds >= sum(record.seconds for record in model.history)
    assert vt.fit(tensor, 2, lam=0.5, scale_lam=False, max_iter=1).lam_used == 0.5


def test_standardize_scales_columns_and_nothing_else(tensor: vt.SparseTensor) -> None:
    plain, scaled = (vt.fit(tensor, 2, lam=0.1, seed=1, standardize=flag) for flag in (False, True))
    for factor in scaled.factors:
        norms = np.linalg.norm(factor, axis=0)
        np.testing.assert_allclose(norms[norms > 0], 1.0)
    np.testing.assert_allclose(scaled.predict(tensor.coords), plain.predict(tensor.coords))
    assert not np.array_equal(scaled.core, plain.core)


def test_a_seed_or_an_init_decides_the_model(tensor: vt.SparseTensor) -> None:
    start = random_start(tensor.shape, (2, 2, 2), seed=4)
    by_seed, again, other = (
        vt.fit(tensor, 2, lam=0.1, max_iter=5, seed=seed, init=init)
        for seed, init in ((4, None), (None, start), (5, None))
    )
    np.testing.assert_array_equal(by_seed.core, again.core)
    assert not np.array_equal(by_seed.core, other.core)


def test_the_callers_init_is_left_alone(tensor: vt.SparseTensor) -> None:
    core, factors = random_start(tensor.shape, (2, 2, 2), seed=4)
    before = [part.copy() for part in (core, *factors)]
    vt.fit(tensor, 2, lam=0.1, init=(core, factors), max_iter=3)
    for part, old in zip((core, *factors), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_a_target_that_leaves_a_part_empty_is_warned_of(tensor: vt.SparseTensor) -> None:
    with pytest.warns(RuntimeWarning, match="prunes all 8 elements of the core"):
        vt.fit(tensor, 2, sparsity=0.9, max_iter=1)


def test_a_fit_that_ends_all_zero_says_what_to_try(tensor: vt.SparseTensor) -> None:
    small = vt.SparseTensor(tensor.coords, tensor.values * 1e-3, tensor.shape)
    with pytest.warns(vt.EmptyModelWarning, match="lam=5 .*too large.*try lam=") as caught:
        model = vt.fit(small, 2, sparsity=0.0, seed=0, threads=1)
    assert model.is_zero
    lam = float(re.findall(r"try lam=([-e.\d]+)", str(caught[0].message))[0])
    assert not vt.fit(small, 2, sparsity=0.0, lam=lam, seed=0, threads=1).is_zero


def test_names_labels_and_entries_per_row_go_into_the_model(tensor: vt.SparseTensor) -> None:
    labels = {"b": [f"row {row}" for row in range(tensor.shape[1])]}
    X = vt.SparseTensor(
        tensor.coords, tensor.values, tensor.shape, modes=("a", "b", "c"), labels=labels
    )
    model = vt.fit(X, 2, lam=0.01, max_iter=2, threads=1)
    assert model.modes == X.modes
    assert [own is None for own in model.labels] == [True, False, True]
    np.testing.assert_array_equal(model.labels[1], X.labels[1])
    assert model.entries is not None
    for mode, counts in enumerate(model.entries):
        want = np.bincount(tensor.coords[:, mode], minlength=tensor.shape[mode])
        np.testing.assert_array_equal(counts, want)


def test_values_beyond_the_range_of_squares_are_refused_before_any_work() -> None:
    with pytest.raises(vt.ScaleError):
        vt.fit(vt.SparseTensor([[0, 0], [1, 1]], [1.7e308, 1.7e308]), 1)


# --- Ctrl-C --------------------------------------------------------------------------------------


def test_an_interrupt_returns_the_model_as_it_stands(tensor: vt.SparseTensor) -> None:
    def callback(record: vt.IterationRecord) -> None:
        if record.iteration == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(RuntimeWarning, match="after 3 complete iterations"):
        model = vt.fit(tensor, 2, lam=0.1, seed=0, callback=callback)
    assert (model.stopped, model.n_iter) == ("interrupted", 3)
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)


def test_an_interrupt_is_heard_in_the_middle_of_a_step() -> None:
    X, _ = vt.datasets.synthetic((200, 150, 100), 5, nnz=20_000, seed=0)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        timer.start()
        model = vt.fit(X, 5, lam=0.1, sparsity=0.0, tol=None, max_iter=10**7)
    assert model.stopped == "interrupted"
    assert time.monotonic() - began < 10.0
    assert np.isfinite(model.error)
    timer.join()


@pytest.mark.parametrize("step", ["final_error", "unit_columns", "TuckerModel"])
def test_an_interrupt_of_the_last_steps_loses_nothing(
    tensor: vt.SparseTensor, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"lam": 0.1, "seed": 0, "max_iter": 4, "sparsity": 0.3}
    undisturbed = vt.fit(tensor, 2, **settings)
    module = sys.modules["vest_tucker.fit"]
    real = getattr(module, step)

    def disturbed(*args: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*args, **options)

    monkeypatch.setattr(module, step, disturbed)
    with pytest.warns(RuntimeWarning, match="after 4 complete iterations"):
        model = vt.fit(tensor, 2, **settings)
    assert (model.stopped, model.error) == ("interrupted", undisturbed.error)
    np.testing.assert_array_equal(model.core, undisturbed.core)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_warning_turned_into_an_error_comes_when_the_model_is_there(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[vt.TuckerModel] = []

    def keep(*args: Any, **facts: Any) -> vt.TuckerModel:
        made.append(vt.TuckerModel(*args, **facts))
        return made[-1]

    monkeypatch.setattr(sys.modules["vest_tucker.fit"], "TuckerModel", keep)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="interrupted"):
            vt.fit(tensor, 2, callback=lambda _: signal.raise_signal(signal.SIGINT))
    assert [model.stopped for model in made] == ["interrupted"]


def test_an_interrupt_before_the_first_iteration_goes_through(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planning(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "Solver", planning)
    with pytest.raises(KeyboardInterrupt):
        vt.fit(tensor, 2)
