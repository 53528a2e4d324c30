"""What a running fit shows, on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys
from typing import TextIO, cast

import pytest

import vest_tucker as vt
from vest_tucker.fitting.progress import Progress, describe


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def record(iteration: int, prune_rate: float = 0.0) -> vt.IterationRecord:
    return vt.IterationRecord(iteration, 0.25, 0.5, 0.4, prune_rate, 2.0)


def test_nothing_is_shown_unless_asked_for() -> None:
    stream = Terminal()
    with Progress(False, 10, stream=stream) as show:
        show(record(1))
    assert stream.getvalue() == ""


def test_a_terminal_sees_one_line_rewritten() -> None:
    stream = Terminal()
    with Progress(True, 10, stream=stream) as show:
        for iteration in (1, 2, 3):
            show(record(iteration))
    shown = stream.getvalue()
    assert shown.count("\r") == shown.count("\x1b[K") == 3
    assert shown.endswith("left\x1b[K\n")
    assert shown.count("\n") == 1


def test_a_title_comes_first() -> None:
    stream = io.StringIO()
    with Progress(True, 10, title="fit 2/5  ", stream=stream) as show:
        show(record(1))
    assert stream.getvalue().startswith("fit 2/5  iteration 1/10  error")


def test_elsewhere_lines_are_few() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress(True, 100, stream=stream, clock=clock) as show:
        for iteration in range(1, 24):
            clock.now += 1.0
            show(record(iteration, prune_rate=0.1 if iteration < 15 else 0.0))
    shown = [line.split()[1] for line in stream.getvalue().splitlines()]
    # The first, ten seconds later, the end of pruning, and the last.
    assert shown == ["1/100", "11/100", "15/100", "23/100"]
    assert "\r" not in stream.getvalue()


def test_the_last_iteration_is_shown_once_even_if_the_fit_fails() -> None:
    stream = io.StringIO()

    def failing_fit() -> None:
        with Progress(True, 9, stream=stream, clock=Clock()) as show:
            show(record(1))
            show(record(2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing_fit()
    assert [line.split()[1] for line in stream.getvalue().splitlines()] == ["1/9", "2/9"]


def test_a_fit_that_ends_before_its_first_iteration_shows_nothing() -> None:
    stream = Terminal()
    with Progress(True, 9, stream=stream):
        pass
    assert stream.getvalue() == ""


class Broken(Terminal):
    """Takes the first line and then no more."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        if self.getvalue():
            raise self.error
        return super().write(text)


@pytest.mark.parametrize(
    "error",
    [BrokenPipeError(), OSError("disk full"), ValueError("closed"), RuntimeError("its own way")],
)
def test_a_stream_that_breaks_ends_the_show_only(error: Exception) -> None:
    stream = Broken(error)
    with Progress(True, 9, stream=stream) as show:
        for iteration in (1, 2, 3):
            show(record(iteration))
    assert stream.getvalue().count("iteration") == 1


def test_a_closed_stream_is_tried_once_and_then_left_alone() -> None:
    class Counting(io.StringIO):
        writes = 0

        def write(self, text: str) -> int:
            self.writes += 1
            return super().write(text)

    stream = Counting()
    stream.close()
    with Progress(True, 9, stream=stream) as show:
        for iteration in (1, 2, 3):
            show(record(iteration))
    assert stream.writes == 1


def test_a_stream_that_only_writes_is_no_terminal() -> None:
    class Writer:
        text = ""

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None:
            pass

    stream = Writer()
    with Progress(True, 9, stream=cast("TextIO", stream)) as show:
        show(record(1))
    assert stream.text.startswith("iteration 1/9")


def test_a_fit_without_standard_error_still_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = vt.datasets.synthetic((6, 5, 4), 1, nnz=50, seed=0)
    monkeypatch.setattr(sys, "stderr", None)
    assert (
        vt.fit(X, 1, lam=0.01, max_iter=2, tol=None, seed=0, progress=True, preset="paper").n_iter
        == 2
    )


def test_a_line_says_how_good_what_and_how_long() -> None:
    line = describe(record(5, prune_rate=0.05), 100, 2.0)
    assert line.startswith("iteration 5/100  error 0.2500  sparsity 0.500  pruning 5 %")
    assert line.endswith("2 s each, at most 3 min left")
    assert "refining" in describe(record(5), 100, 2.0)
    assert describe(record(100), 100, 0.01).endswith("0.01 s each, at most 0 s left")
    assert describe(record(1), 100, 1000.0).endswith("17 min each, at most 28 h left")


def test_fit_shows_its_progress_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    X, _ = vt.datasets.synthetic((6, 5, 4), 1, nnz=50, seed=0)
    vt.fit(X, 1, lam=0.01, max_iter=2, tol=None, seed=0, progress=True, preset="paper")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "iteration 2/2" in shown.err
    vt.fit(X, 1, lam=0.01, max_iter=2, tol=None, seed=0, preset="paper")
    assert capsys.readouterr().err == ""
