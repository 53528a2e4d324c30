"""Shows: nested steps, how often they are drawn, when they are silent, and what is logged."""

from __future__ import annotations

import io
import logging
import re
import sys
import threading
import types

import pytest

from screens import Clock, Terminal, pseudo_terminal
from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import ProgressOption
from vest_tucker.base.telling import steps
from vest_tucker.base.telling.steps import preferring, step, underway, watched


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(steps, "clock", clock)
    return clock


def see(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shows find another standard error; pytest sets the real one anew for each test."""
    monkeypatch.setattr(steps, "sys", types.SimpleNamespace(stderr=stream))


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal, and no tqdm."""
    screen = Terminal()
    see(screen, monkeypatch)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    return screen


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    file = io.StringIO()
    see(file, monkeypatch)
    return file


def lines_of(screen: io.StringIO) -> list[str]:
    return [each.rstrip() for each in re.split(r"[\r\n]", screen.getvalue()) if each.strip()]


# --- On a terminal --------------------------------------------------------------------------------


def test_steps_inside_of_steps_are_shown_together(screen: Terminal, clock: Clock) -> None:
    with watched(True, "path"):
        clock.now += 1
        with step("pruning", 5, "stop") as stops:
            clock.now += 1
            stops.advance(2, words="61 % zeros")
            clock.now += 1
            with step("stop 3", 2):
                clock.now += 1
                underway().advance()
    assert lines_of(screen) == [
        "[0.0 s] path",
        "[1.0 s] path > pruning: 0 of 5",
        "[2.0 s] path > pruning: 2 of 5, 61 % zeros",
        "[3.0 s] path > pruning: 2 of 5, 61 % zeros > stop 3: 0 of 2",
        "[4.0 s] path > pruning: 2 of 5, 61 % zeros > stop 3: 1 of 2",
        "[4.0 s] path",
    ]
    assert screen.getvalue().endswith("\n")


def test_at_most_ten_times_a_second(screen: Terminal, clock: Clock) -> None:
    with watched(True, "fit") as fit:
        for _ in range(1000):
            clock.now += 0.001
            fit.advance()
    assert 9 <= len(lines_of(screen)) <= 12


def test_words_are_made_only_when_they_are_shown(screen: Terminal, clock: Clock) -> None:
    made = []

    def words() -> str:
        made.append(1)
        return "some"

    with watched(True, "fit") as fit:
        for _ in range(100):
            fit.advance(words=words)
    assert len(made) == 1  # by the last line


def test_auto_waits_three_seconds_and_leaves_nothing(screen: Terminal, clock: Clock) -> None:
    with watched("auto", "fit") as fit:
        clock.now += 2.9
        fit.advance()
        assert screen.getvalue() == ""
        clock.now += 0.2
        fit.advance()
        assert lines_of(screen) == ["[3.1 s] fit: 2 steps"]
    assert screen.getvalue().rpartition("\r")[2] == ""
    assert screen.getvalue().split("\r")[-2].isspace()


def test_auto_on_a_real_terminal(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with pseudo_terminal() as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        with watched("auto", "fit") as fit:
            fit.advance()
            assert terminal.seen() == ""
            clock.now += 3.5
            fit.advance()
            assert "fit: 2 steps" in terminal.seen()


def test_auto_is_silent_where_nobody_looks(file: io.StringIO, clock: Clock) -> None:
    with watched("auto", "fit") as fit:
        clock.now += 1000
        fit.advance()
    assert file.getvalue() == ""


def test_false_is_silent(screen: Terminal, clock: Clock) -> None:
    with watched(False, "fit") as fit:
        clock.now += 1000
        fit.advance()
    assert screen.getvalue() == ""


def test_an_interrupt_leaves_a_clean_terminal(screen: Terminal, clock: Clock) -> None:
    def interrupted(progress: ProgressOption) -> None:
        with watched(progress, "fit"), step("pruning") as pruning:
            clock.now += 5
            pruning.advance()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(True)
    assert screen.getvalue().endswith("\n")
    with pytest.raises(KeyboardInterrupt):
        interrupted("auto")
    assert screen.getvalue().endswith(" \r")
    assert steps._HERE.show is None


# --- In a file ------------------------------------------------------------------------------------


def test_a_file_has_a_line_a_minute(file: io.StringIO, clock: Clock) -> None:
    with watched(True, "stability", 4, "fit") as fits:
        for _ in range(400):
            with step("fit") as fit:
                clock.now += 0.5
                fit.advance()
        fits.advance()
    assert lines_of(file) == [
        "[0.5 s] stability: 0 of 4 > fit: 1 step",
        "[60 s] stability: 0 of 4 > fit: 1 step",
        "[2 min] stability: 0 of 4 > fit: 1 step",
        "[3 min] stability: 0 of 4 > fit: 1 step",
        "[3 min] stability: 1 of 4",
    ]
    assert "\r" not in file.getvalue()


def test_what_is_over_at_once_leaves_one_line(file: io.StringIO, clock: Clock) -> None:
    with watched(True, "fit"), step("pruning"):
        pass
    assert lines_of(file) == ["[0.0 s] fit"]


# --- Calls inside of calls ------------------------------------------------------------------------


def test_a_call_inside_of_another_is_a_step_of_it(screen: Terminal, clock: Clock) -> None:
    with watched(True, "cross_validate", 5, "fold"):
        clock.now += 1
        with watched("auto", "fit"):
            pass
    assert "[1.0 s] cross_validate: 0 of 5 > fit" in lines_of(screen)


def test_a_silent_call_silences_those_inside_unless_they_ask(
    screen: Terminal, clock: Clock
) -> None:
    with watched(False, "cross_validate"):
        with watched("auto", "fit") as fit:
            clock.now += 100
            fit.advance()
        assert screen.getvalue() == ""
        with watched(True, "predict"):
            pass
    assert lines_of(screen)[-1] == "[0.0 s] predict"


def test_what_calls_leave_open_can_be_preferred(screen: Terminal, clock: Clock) -> None:
    with preferring(True), watched("auto", "read"):
        pass
    assert lines_of(screen)[-1] == "[0.0 s] read"
    before = screen.getvalue()
    with preferring(True), watched(False, "read"):
        pass
    with watched("auto", "read"):
        pass
    assert screen.getvalue() == before


def test_threads_have_shows_of_their_own(screen: Terminal, clock: Clock) -> None:
    titles: list[str] = []
    with watched(False, "fit"):
        thread = threading.Thread(target=lambda: titles.append(underway().title))
        thread.start()
        thread.join()
        assert underway().title == "fit"
    assert titles == [""]


def test_a_step_left_without_an_end_ends_with_the_one_around_it(clock: Clock) -> None:
    with watched(False, "fit") as fit:
        with step("outer"):
            step("never closed").__enter__()
        assert underway() is fit


def test_a_show_left_without_an_end_does_not_outlive_the_one_around_it(
    screen: Terminal, clock: Clock
) -> None:
    """As that of a generator that nobody reads to its end."""
    with watched(False, "outer"):
        left = watched(True, "left")
        left.__enter__()
        assert underway().title == "left"
    assert steps._HERE.show is None
    with watched(False, "another") as another:
        left.__exit__(None, None, None)  # late, as when it is collected
        assert underway() is another


@pytest.mark.parametrize("wrong", ["yes", 1, None, "Auto"])
def test_other_values_are_refused(wrong: object) -> None:
    with pytest.raises(OptionError, match='choose True, False or "auto"'), watched(wrong, "fit"):  # type: ignore[arg-type]
        pass


# --- Streams that break ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [BrokenPipeError(), OSError("disk full"), ValueError("closed"), RuntimeError("its own way")],
)
def test_a_stream_that_breaks_ends_the_show_only(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, error: Exception
) -> None:
    class Broken(io.StringIO):
        writes = 0

        def write(self, text: str) -> int:
            self.writes += 1
            raise error

    stream = Broken()
    monkeypatch.setattr(sys, "stderr", stream)
    with watched(True, "fit") as fit:
        for _ in range(3):
            clock.now += 100
            fit.advance()
    assert fit.done == 3
    assert stream.writes == 1


def test_without_standard_error_all_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with watched(True, "fit") as fit:
        fit.advance()
    assert fit.done == 1


# --- The log --------------------------------------------------------------------------------------


def test_steps_are_logged_and_iterations_for_those_who_want_all(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    def work() -> None:
        with watched(False, "fit"), step("pruning", 2) as pruning:
            clock.now += 2
            pruning.advance(words="61 % zeros")

    caplog.set_level(logging.INFO, "vest_tucker")
    work()
    assert caplog.messages == [
        "fit",
        "fit > pruning: 0 of 2",
        "fit > pruning: 1 of 2, 61 % zeros (2.0 s)",
        "fit (2.0 s)",
    ]
    assert {each.name for each in caplog.records} == {"vest_tucker"}
    caplog.clear()
    caplog.set_level(logging.DEBUG, "vest_tucker")
    work()
    told = [each.getMessage() for each in caplog.records if each.levelno == logging.DEBUG]
    assert told == ["fit > pruning: 1 of 2, 61 % zeros"]


def test_a_program_that_says_nothing_of_logging_hears_nothing() -> None:
    handlers = logging.getLogger("vest_tucker").handlers
    assert [type(each) for each in handlers] == [logging.NullHandler]
