"""The call `fit`: what goes into the model, what is warned of, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.fitting import fit as fitting
from vest_tucker.fitting.starts import starts as all_starts
from vest_tucker.fitting.starts.random import random_start
from vest_tucker.model.measure import constant_error


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((15, 12, 10), 2, nnz=800, seed=3)[0]


# --- Whole fits ----------------------------------------------------------------------------------


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
            preset="paper",
        )
        assert model.error < 0.9
        assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)
        assert model.sparsity == pytest.approx(model.history[-1].sparsity)


def test_the_model_knows_how_it_was_fitted(tensor: vt.SparseTensor) -> None:
    model = vt.fit(tensor, (2, 3, 1), loss="lf", sparsity=0.0, lam=0.5, max_iter=3, seed=0)
    elements = 6 + 15 * 2 + 12 * 3 + 10
    assert (model.loss, model.lam, model.nnz) == ("lf", 0.5, 800)
    assert model.lam_used == pytest.approx(0.5 * 800 / elements)
    assert model.baseline_error == constant_error(tensor.mean, tensor)
    assert (model.n_iter, model.stopped) == (3, "max_iter")
    assert model.seconds >= sum(record.seconds for record in model.history)
    assert (
        vt.fit(tensor, 2, lam=0.5, scale_lam=False, max_iter=1, seed=0, preset="paper").lam_used
        == 0.5
    )


def test_standardize_scales_columns_and_nothing_else(tensor: vt.SparseTensor) -> None:
    plain, scaled = (
        vt.fit(tensor, 2, lam=0.1, seed=1, standardize=flag, preset="paper")
        for flag in (False, True)
    )
    for factor in scaled.factors:
        norms = np.linalg.norm(factor, axis=0)
        np.testing.assert_allclose(norms[norms > 0], 1.0)
    np.testing.assert_allclose(scaled.predict(tensor.coords), plain.predict(tensor.coords))
    assert not np.array_equal(scaled.core, plain.core)


def test_a_seed_or_an_init_decides_the_model(tensor: vt.SparseTensor) -> None:
    start = random_start(tensor.shape, (2, 2, 2), seed=4)
    by_seed, again, other = (
        vt.fit(tensor, 2, lam=0.1, max_iter=5, seed=seed, init=init, preset="paper")
        for seed, init in ((4, None), (None, start), (5, None))
    )
    np.testing.assert_array_equal(by_seed.core, again.core)
    assert not np.array_equal(by_seed.core, other.core)


def test_the_callers_init_is_left_alone(tensor: vt.SparseTensor) -> None:
    core, factors = random_start(tensor.shape, (2, 2, 2), seed=4)
    before = [part.copy() for part in (core, *factors)]
    vt.fit(tensor, 2, lam=0.1, init=(core, factors), max_iter=3, preset="paper")
    for part, old in zip((core, *factors), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_a_target_that_leaves_a_part_empty_is_warned_of(tensor: vt.SparseTensor) -> None:
    with pytest.warns(RuntimeWarning, match="prunes all 8 elements of the core"):
        vt.fit(tensor, 2, sparsity=0.9, max_iter=1, seed=0, preset="paper")


@pytest.mark.parametrize("lam", [0.1, "auto"])
def test_what_is_wrong_with_a_call_is_said_once_and_of_its_line(
    tensor: vt.SparseTensor, lam: Any
) -> None:
    with pytest.warns(RuntimeWarning, match="prunes all") as caught:
        vt.fit(tensor, 2, sparsity=0.9, lam=lam, max_iter=1, seed=0, preset="paper")
    assert [each.filename for each in caught] == [__file__]
    keep: dict[str | int, Any] = {"core": np.eye(2, dtype=bool)[:, :, None].repeat(2, axis=2)}
    vt.fit(
        tensor, 2, sparsity=0.9, lam=0.1, keep=keep, max_iter=1, seed=0, preset="paper"
    )  # nor is it said


def test_names_may_come_from_a_generator(tensor: vt.SparseTensor) -> None:
    once = (mode for mode in (0, 1, 2, "core"))
    model = vt.fit(
        tensor, 2, lam="auto", nonnegative=once, sparsity=0.0, offset="mean", seed=0, preset="paper"
    )
    listed: list[str | int] = [0, 1, 2, "core"]
    want = vt.fit(
        tensor,
        2,
        lam="auto",
        nonnegative=listed,
        sparsity=0.0,
        offset="mean",
        seed=0,
        preset="paper",
    )
    np.testing.assert_array_equal(model.core, want.core)
    assert model.chosen == want.chosen


def test_a_fit_that_ends_all_zero_says_what_to_try(tensor: vt.SparseTensor) -> None:
    small = vt.SparseTensor(tensor.coords, tensor.values * 1e-3, tensor.shape)
    with pytest.warns(vt.errors.EmptyModelWarning, match="lam=5 .*too large.*try lam=") as caught:
        model = vt.fit(small, 2, sparsity=0.0, seed=0, threads=1, preset="paper")
    assert model.is_zero
    lam = float(re.findall(r"try lam=([-e.\d]+)", str(caught[0].message))[0])
    assert not vt.fit(small, 2, sparsity=0.0, lam=lam, seed=0, threads=1, preset="paper").is_zero


def test_names_labels_and_entries_per_row_go_into_the_model(tensor: vt.SparseTensor) -> None:
    labels = {"b": [f"row {row}" for row in range(tensor.shape[1])]}
    X = vt.SparseTensor(
        tensor.coords, tensor.values, tensor.shape, modes=("a", "b", "c"), labels=labels
    )
    model = vt.fit(X, 2, lam=0.01, max_iter=2, seed=0, threads=1, preset="paper")
    assert model.modes == X.modes
    assert [own is None for own in model.labels] == [True, False, True]
    np.testing.assert_array_equal(model.labels[1], X.labels[1])
    assert model.entries is not None
    for mode, counts in enumerate(model.entries):
        want = np.bincount(tensor.coords[:, mode], minlength=tensor.shape[mode])
        np.testing.assert_array_equal(counts, want)


def test_values_beyond_the_range_of_squares_are_refused_before_any_work() -> None:
    with pytest.raises(vt.errors.ScaleError):
        vt.fit(vt.SparseTensor([[0, 0], [1, 1]], [1.7e308, 1.7e308]), 1, preset="paper")


# --- Ctrl-C --------------------------------------------------------------------------------------


def test_an_interrupt_returns_the_model_as_it_stands(tensor: vt.SparseTensor) -> None:
    def callback(record: vt.IterationRecord) -> None:
        if record.iteration == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(RuntimeWarning, match="after 3 complete iterations"):
        model = vt.fit(tensor, 2, lam=0.1, seed=0, callback=callback, preset="paper")
    assert (model.stopped, model.n_iter) == ("interrupted", 3)
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)


def test_an_interrupt_from_outside_is_heard() -> None:
    """As a terminal sends it: at any moment after the first iteration."""
    X, _ = vt.datasets.synthetic((200, 150, 100), 5, nnz=20_000, seed=0)
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    outside = threading.Thread(target=interrupt, daemon=True)
    outside.start()
    with pytest.warns(RuntimeWarning, match="interrupted"):
        model = vt.fit(
            X, 5, lam=0.1, sparsity=0.0, tol=None, max_iter=2000, seed=0,
            callback=lambda _: begun.set(), preset="paper"
        )  # fmt: skip
    outside.join()
    assert model.stopped == "interrupted"
    assert np.isfinite(model.error)


@pytest.mark.parametrize(
    ("file", "step"),
    [("algorithm", "final_error"), ("fit", "unit_columns"), ("fit", "TuckerModel")],
)
def test_an_interrupt_of_the_last_steps_loses_nothing(
    tensor: vt.SparseTensor, file: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"lam": 0.1, "seed": 0, "max_iter": 4, "sparsity": 0.3}
    undisturbed = vt.fit(tensor, 2, **settings, preset="paper")
    module = sys.modules[f"vest_tucker.fitting.{file}"]
    real = getattr(module, step)

    def disturbed(*args: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*args, **options)

    monkeypatch.setattr(module, step, disturbed)
    with pytest.warns(RuntimeWarning, match="after 4 complete iterations"):
        model = vt.fit(tensor, 2, **settings, preset="paper")
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

    monkeypatch.setattr(fitting, "TuckerModel", keep)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="interrupted"):
            vt.fit(
                tensor,
                2,
                seed=0,
                callback=lambda _: signal.raise_signal(signal.SIGINT),
                preset="paper",
            )
    assert [model.stopped for model in made] == ["interrupted"]


def test_an_interrupt_before_the_first_iteration_goes_through(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planning(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "Solver", planning)
    with pytest.raises(KeyboardInterrupt):
        vt.fit(tensor, 2, seed=0, preset="paper")


def test_an_interrupt_of_a_later_start_is_told(tensor: vt.SparseTensor) -> None:
    seen: list[int] = []

    def interrupt(record: vt.IterationRecord) -> None:
        seen.append(record.iteration)
        if seen.count(1) == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(RuntimeWarning, match="interrupted"):
        model = vt.fit(
            tensor, 2, lam=0.01, n_starts=9, max_iter=8, callback=interrupt, seed=0, preset="paper"
        )
    assert (model.stopped, seen.count(1)) == ("interrupted", 2)
    assert model.n_iter == 8  # the first was complete, and better
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)


def test_an_interrupt_between_starts_keeps_those_before(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        yield from list(starts(*given))[:2]
        raise KeyboardInterrupt

    starts = all_starts
    monkeypatch.setattr(fitting, "starts", interrupted)
    with pytest.warns(RuntimeWarning, match="interrupted"):
        model = vt.fit(tensor, 2, lam=0.01, n_starts=9, max_iter=8, seed=0, preset="paper")
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)
