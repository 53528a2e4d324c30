"""What a running fit tells: in words, on standard error, to the log, and at what cost."""

from __future__ import annotations

import logging
import math
import re
import sys

import pytest

import vest_tucker as vt
from screens import Clock, Terminal
from vest_tucker.base.telling import steps
from vest_tucker.base.telling.steps import watched
from vest_tucker.fitting.progress import describe, tell_step, zeros
from vest_tucker.fitting.state import FitState

PAPER = {"lam": 0.01, "max_iter": 2, "tol": None, "seed": 0, "preset": "paper"}


def record(error: float = 0.25, rate: float = 0.0, unseen: float = math.nan) -> vt.IterationRecord:
    return vt.IterationRecord(5, error, 0.5, 0.4, rate, 2.0, unseen)


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((12, 10, 8), 2, nnz=600, noise=0.1, seed=0)[0]


def test_an_iteration_in_words() -> None:
    assert describe(record()) == "error 0.2500, 50 % zeros"
    assert describe(record(rate=0.05)) == "error 0.2500, 50 % zeros, pruning 5 %"
    assert describe(record(unseen=0.3)) == "error 0.2500, held-out 0.3000, 50 % zeros"
    assert zeros(0.5) == "50 % zeros"


def test_the_step_under_way_is_told() -> None:
    with watched(False, "fit") as fit:
        tell_step(record())
        assert fit.done == 1
        assert callable(fit.words)
        assert fit.words() == "error 0.2500, 50 % zeros"


def test_fit_shows_its_progress_on_standard_error(
    tensor: vt.SparseTensor, capsys: pytest.CaptureFixture[str]
) -> None:
    vt.fit(tensor, 2, progress=True, **PAPER)  # type: ignore[arg-type]
    shown = capsys.readouterr()
    assert shown.out == ""
    first, last = shown.err.splitlines()
    assert re.fullmatch(r"\[0\.\d s\] fit > iterating, random: 1 of 2, error 0\.\d{4}, .*", first)
    assert re.fullmatch(r"\[\d\.\d s\] fit, \d+ % zeros", last)


@pytest.mark.parametrize("progress", [False, "auto"])
def test_otherwise_nothing_is_shown_in_a_file(
    tensor: vt.SparseTensor, capsys: pytest.CaptureFixture[str], progress: bool
) -> None:
    vt.fit(tensor, 2, progress=progress, **PAPER)  # type: ignore[arg-type]
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""


def test_a_plain_fit_on_a_terminal_from_the_third_second_on(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that goes a tenth of a second further whenever it is asked."""
    screen, clock = Terminal(), Clock(each=0.1)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(steps, "clock", clock)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    vt.fit(tensor, seed=0)
    shown = [line.rstrip() for line in screen.getvalue().split("\r") if line.strip()]
    seconds = re.match(r"\[(\d\.\d) s\]", shown[0])
    assert seconds is not None
    assert 2.8 < float(seconds[1]) < 3.5  # the show begins a little before the step
    assert any("fit > comparing structures: 2 of 5, the best 0." in line for line in shown)
    assert any(re.search(r"> pruning.* % zeros, held-out 0\.\d{4}$", line) for line in shown)
    assert any("> refitting to all entries: " in line for line in shown)
    assert screen.getvalue().endswith(" \r")  # and nothing stays


def test_steps_and_sweeps_are_logged(
    tensor: vt.SparseTensor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "vest_tucker")
    model = vt.fit(tensor, 2, seed=0)
    told = [each.getMessage() for each in caplog.records if each.levelno == logging.INFO]
    assert told[0] == "fit"
    assert told[-1].startswith(f"fit, {zeros(model.sparsity, model.validation_error)} (")
    sweeps = [each for each in caplog.records if each.levelno == logging.DEBUG]
    assert len(sweeps) >= model.n_iter > 0


def test_it_makes_no_difference_to_the_model(
    tensor: vt.SparseTensor, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = (vt.fit(tensor, 2, seed=0, progress=progress) for progress in (True, False))
    assert "fit" in capsys.readouterr().err
    assert one.core.tobytes() == other.core.tobytes()


def test_a_fit_without_standard_error_still_fits(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert vt.fit(tensor, 2, progress=True, **PAPER).n_iter == 2  # type: ignore[arg-type]


def test_a_callback_hears_what_it_always_heard(tensor: vt.SparseTensor) -> None:
    heard: list[vt.IterationRecord] = []
    state = FitState(None, [], history=[record()])  # type: ignore[arg-type]
    assert state.history[-1].iteration == 5
    vt.fit(tensor, 2, callback=heard.append, **PAPER)  # type: ignore[arg-type]
    assert [each.iteration for each in heard] == [1, 2]
