"""What a show looks like on a terminal with and without tqdm, in a notebook and in a file."""

from __future__ import annotations

import io
import re
import sys
import types
from typing import Any, TextIO, cast

import pytest

from screens import Terminal, pseudo_terminal
from vest_tucker.base.telling import views
from vest_tucker.base.telling.steps import Show, Step
from vest_tucker.base.telling.texts import BYTES
from vest_tucker.base.telling.views import Bars, Line, Lines, can_rewrite, has_size, view_of


def steps(*described: tuple[str, int, int | None]) -> list[Step]:
    found = []
    for title, done, total in described:
        step = Step(Show(False), title, total, "sweep")
        step.done, step.began, step.advanced = done, 0.0, 10.0
        found.append(step)
    return found


@pytest.fixture
def no_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


class Bar:
    """Remembers what a bar of tqdm is told."""

    made: list[Bar] = []  # noqa: RUF012 - emptied by the fixture

    def __init__(self, **options: Any) -> None:
        self.options, self.bar_format = options, options["bar_format"]
        self.start_t, self.n, self.leave = 100.0, 0, options["leave"]
        self.shown: list[tuple[str, int, str]] = []
        self.closed = False
        Bar.made.append(self)

    def set_description_str(self, text: str, refresh: bool) -> None:
        self.title = text

    def set_postfix_str(self, text: str, refresh: bool) -> None:
        self.words = text

    def refresh(self) -> None:
        self.shown.append((self.title, self.n, self.words))

    def clear(self) -> None:
        self.shown.append(("", 0, ""))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def fake_tqdm(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


# --- Which view -----------------------------------------------------------------------------------


def test_a_file_has_lines_a_terminal_has_a_line_or_bars(
    no_tqdm: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(view_of(io.StringIO()), Lines)
    assert isinstance(view_of(Terminal()), Line)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(view_of(Terminal()), Lines)


def test_bars_where_tqdm_is_installed(
    fake_tqdm: list[Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(view_of(Terminal()), Bars)
    assert isinstance(view_of(io.StringIO()), Lines)


@pytest.mark.parametrize("module", views.NOTEBOOKS)
def test_a_notebook_has_bars_though_its_streams_are_no_terminals(
    fake_tqdm: list[Bar], monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
    assert can_rewrite(io.StringIO())
    assert isinstance(view_of(io.StringIO()), Bars)


def test_a_notebook_without_widgets_gets_text_and_no_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file turns all warnings into errors; tqdm warns when it does not find the widgets."""
    pytest.importorskip("tqdm")
    loaded = [name for name in sys.modules if name.partition(".")[0] == "tqdm"]
    for name in [*loaded, "ipywidgets"]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    for name in ("IPython", "ipykernel.zmqshell"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    kernel = type("ZMQInteractiveShell", (), {})()
    sys.modules["IPython"].get_ipython = lambda: kernel  # type: ignore[attr-defined]
    stream = io.StringIO()
    view = view_of(stream)
    assert isinstance(view, Bars)
    view.draw(steps(("fit", 0, None)), 1.0)
    view.close(None, 1.0)
    assert "fit [00:0" in stream.getvalue()


def test_a_stream_that_only_writes_is_no_terminal() -> None:
    class Writer:
        pass

    assert not can_rewrite(cast("TextIO", Writer()))


# --- One line -------------------------------------------------------------------------------------


def test_a_line_is_rewritten_and_what_was_longer_is_blanked() -> None:
    stream = Terminal()
    line = Line(stream)
    line.draw(steps(("fit", 0, None), ("comparing structures", 2, 5)), 4.0)
    line.draw(steps(("fit", 0, None)), 5.0)
    first, second = stream.getvalue().split("\r")[1:]
    assert first == "[4.0 s] fit > comparing structures: 2 of 5"
    assert second.rstrip() == "[5.0 s] fit"
    assert len(second) == len(first)


def test_a_line_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    Line(stream).draw(steps(("fit", 0, None), ("comparing structures", 2, 5)), 4.0)
    assert stream.getvalue() == "\r[4.0 s] fit > comparing structures: ..."
    assert len(stream.getvalue()) == 40


def test_the_last_line_stays_or_nothing_does() -> None:
    kept, cleared = Terminal(), Terminal()
    (step,) = steps(("stability", 3, 3))
    for stream, last in ((kept, step), (cleared, None)):
        line = Line(stream)
        line.draw([step], 4.0)
        line.close(last, 5.0)
    assert kept.getvalue().endswith("\r[5.0 s] stability: 3 of 3\n")
    blank = cleared.getvalue().split("\r")[-2]
    assert blank.isspace()
    assert cleared.getvalue().endswith(f"\r{blank}\r")


def test_what_is_hidden_is_drawn_again(fake_tqdm: list[Bar]) -> None:
    screen, file = Terminal(), io.StringIO()
    for view in (Line(screen), Lines(file), Bars(Terminal(), Bar)):
        shown = steps(("fit", 0, None))
        view.draw(shown, 1.0)
        view.hide()
        view.draw(shown, 2.0)
    assert screen.getvalue() == f"\r[1.0 s] fit\r{' ' * 11}\r\r[2.0 s] fit"
    assert file.getvalue() == "[1.0 s] fit\n[2.0 s] fit\n"
    assert [title for title, _, _ in fake_tqdm[0].shown] == ["fit", "", "fit"]


def test_only_the_outermost_step_says_how_long_yet() -> None:
    stream = io.StringIO()
    Lines(stream).draw(steps(("stability", 1, 4), ("burn-in", 1, 9)), 10.0)
    assert stream.getvalue() == "[10 s, about 30 s left] stability: 1 of 4 > burn-in: 1 of 9\n"


# --- Bars -----------------------------------------------------------------------------------------


def test_each_step_has_a_bar_and_a_new_one_takes_the_place_of_the_old(fake_tqdm: list[Bar]) -> None:
    whole, first, second = steps(("fit", 0, None), ("comparing", 2, 5), ("pruning", 1, None))
    bars = Bars(Terminal(), Bar)
    bars.draw([whole, first], 7.0)
    bars.draw([whole, second], 8.0)
    assert [(bar.title, bar.closed) for bar in fake_tqdm] == [
        ("fit", False), ("comparing", True), ("pruning: 1 sweep", False),
    ]  # fmt: skip
    assert fake_tqdm[1].options["total"] == 5
    assert fake_tqdm[1].options["unit"] == " sweeps"
    assert fake_tqdm[1].shown == [("comparing", 2, "")]
    assert fake_tqdm[1].start_t == 100.0 - 7.0  # it began before it was drawn
    assert fake_tqdm[0].bar_format is not None  # without a total there is nothing to fill
    bars.close(whole, 9.0)
    assert all(bar.closed for bar in fake_tqdm)
    assert [bar.leave for bar in fake_tqdm] == [True, False, False]


def test_a_show_without_a_last_line_leaves_no_bar(fake_tqdm: list[Bar]) -> None:
    bars = Bars(Terminal(), Bar)
    bars.draw(steps(("fit", 0, None)), 7.0)
    bars.close(None, 9.0)
    assert [(bar.closed, bar.leave) for bar in fake_tqdm] == [(True, False)]


def test_a_show_that_ends_at_once_still_leaves_its_bar(fake_tqdm: list[Bar]) -> None:
    (step,) = steps(("fit", 0, None))
    Bars(Terminal(), Bar).close(step, 9.0)
    assert [(bar.closed, bar.leave) for bar in fake_tqdm] == [(True, True)]


def test_bars_are_not_too_many(fake_tqdm: list[Bar]) -> None:
    Bars(Terminal(), Bar).draw(steps(*((f"step {n}", 0, None) for n in range(9))), 1.0)
    assert len(fake_tqdm) == views.DEEPEST


def test_bytes_have_their_unit(fake_tqdm: list[Bar]) -> None:
    step = Step(Show(False), "reading", 30_000_000, BYTES)
    Bars(Terminal(), Bar).draw([step], 1.0)
    assert fake_tqdm[0].options["unit"] == "B"
    assert fake_tqdm[0].options["unit_scale"] is True


def test_real_bars_on_a_real_terminal() -> None:
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    with pseudo_terminal() as terminal:
        bars = Bars(terminal.stream, tqdm)
        whole, inside = steps(("stability", 1, 4), ("Tucker", 3, None))
        inside.words = "error 0.2"
        bars.draw([whole, inside], 7.0)
        assert "stability:  25%|" in terminal.seen()
        assert "1/4 [00:0" in terminal.seen()
        assert "Tucker: 3 sweeps [00:0" in terminal.seen()
        assert "error 0.2]" in terminal.seen()
        whole.done = 4
        bars.close(whole, 8.0)
        last = terminal.seen().rstrip("\r\n").rpartition("\r")[2]
        assert last.startswith("stability: 100%|")


def test_a_terminal_that_does_not_know_its_size_is_80_wide() -> None:
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    with pseudo_terminal(0, 0) as terminal:
        assert not has_size(terminal.stream)
        bars = Bars(terminal.stream, tqdm)
        whole, inside = steps(("stability", 1, 4), ("Tucker", 3, None))
        bars.draw([whole, inside], 7.0)
        assert "stability:  25%|" in terminal.seen()
        assert "Tucker: 3 sweeps [00:0" in terminal.seen()
        assert max(map(len, re.split(r"[\r\n]+", terminal.seen()))) in range(76, 81)
        bars.close(None, 8.0)
        line = Line(terminal.stream)
        line.draw(steps(("stability", 1, 4)), 7.0)
        assert "] stability: 1 of 4" in terminal.seen()
    with pseudo_terminal() as terminal:
        assert has_size(terminal.stream)
    assert has_size(Terminal())
