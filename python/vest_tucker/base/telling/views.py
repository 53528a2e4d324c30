"""What a show looks like: bars of tqdm, or one line rewritten in place, or now and then a line.

Bars and the line are for terminals and notebooks; files get a line a minute.
"""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from vest_tucker.base.telling.texts import BYTES, count_of, duration, left_of, text_of, words_of

if TYPE_CHECKING:
    from vest_tucker.base.telling.steps import Step

# Modules that are loaded where code runs in a notebook, and nowhere else: those tqdm looks for.
NOTEBOOKS = ("ipykernel.zmqshell", "IPython.utils._process_emscripten")
DEEPEST = 4  # bars below each other
SIZE = {"ncols": 80, "nrows": 24}  # of a terminal that does not know its own


class View(Protocol):
    """Something to look at."""

    seconds_between: float

    def draw(self, steps: Sequence[Step], now: float) -> None:
        """Show the steps as they stand."""

    def hide(self) -> None:
        """Clear all; it may be drawn again."""

    def close(self, last: Step | None, now: float) -> None:
        """Clear all; leave a line about the outermost step, if it is given."""


def can_rewrite(stream: TextIO) -> bool:
    """Tell whether what was written to a stream can be written over: someone looks at it now."""
    try:
        terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    except Exception:  # a stream may be anything that writes
        terminal = False
    return terminal or in_notebook()


def in_notebook() -> bool:
    """Tell whether the code runs in a notebook, whose streams are no terminals."""
    return any(name in sys.modules for name in NOTEBOOKS)


def has_size(stream: TextIO) -> bool:
    """Tell whether a terminal knows how large it is; those of containers and of CI often say 0."""
    try:
        return 0 not in os.get_terminal_size(stream.fileno())
    except (AttributeError, OSError, ValueError):  # no terminal, as in notebooks
        return True


def view_of(stream: TextIO) -> View:
    """Return the best view that a stream can show."""
    if not can_rewrite(stream):
        return Lines(stream)
    make_bar = _tqdm()
    return Line(stream) if make_bar is None else Bars(stream, make_bar)


def _tqdm() -> Any:
    """Return tqdm's bar for wherever this runs; None if it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in notebooks without widgets it draws text, and warns
            return import_module("tqdm.auto").tqdm
    except ImportError:
        return None


class Lines:
    """A new line a minute, for files, whose lines stay."""

    seconds_between = 60.0

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def draw(self, steps: Sequence[Step], now: float) -> None:
        """Write a line."""
        self._write(line_of(steps, now))

    def hide(self) -> None:
        """Leave lines as they are: they last."""

    def close(self, last: Step | None, now: float) -> None:
        """Write the last line."""
        if last is not None:
            self._write(last_line(last, now))

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class Line:
    """One line, rewritten in place."""

    seconds_between = 0.1

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._length = 0

    def draw(self, steps: Sequence[Step], now: float) -> None:
        """Write over the line; a longer one would wrap, and could not be written over."""
        line = line_of(steps, now)
        width = shutil.get_terminal_size().columns - 1
        self._write(line if len(line) <= width else f"{line[: width - 3]}...")

    def hide(self) -> None:
        """Write blanks over it."""
        self._write("", end="\r")

    def close(self, last: Step | None, now: float) -> None:
        """Write over it for the last time."""
        if last is None:
            self.hide()
        else:
            self._write(last_line(last, now), end="\n")

    def _write(self, line: str, end: str = "") -> None:
        # Blanks, and not an escape sequence, which notebooks and old consoles do not know.
        self._stream.write(f"\r{line}{' ' * (self._length - len(line))}{end}")
        self._stream.flush()
        self._length = len(line)


class Bars:
    """A bar of tqdm for each step, those inside of others below them."""

    seconds_between = 0.1

    def __init__(self, stream: TextIO, make_bar: Any) -> None:
        self._stream, self._make_bar = stream, make_bar
        self._bars: list[tuple[Step, Any]] = []

    def draw(self, steps: Sequence[Step], now: float) -> None:
        """Draw a bar for each step."""
        shown = steps[:DEEPEST]
        kept = 0
        for (own, _), new in zip(self._bars, shown, strict=False):
            if own is not new:
                break
            kept += 1
        self._drop(kept)
        for place, each in enumerate(shown):
            if place >= kept:
                self._bars.append((each, self._bar(each, now)))
            fill(self._bars[place][1], each)

    def hide(self) -> None:
        """Clear all bars; the next drawing shows them again."""
        for _, bar in self._bars:
            bar.clear()

    def close(self, last: Step | None, now: float) -> None:
        """Close all bars, the innermost first; the outermost may stay."""
        if last is not None:
            self._drop(1)
            if not self._bars:
                self._bars.append((last, self._bar(last, now)))
            bar = self._bars[0][1]
            bar.leave = True
            fill(bar, last)
        self._drop(0)

    def _drop(self, kept: int) -> None:
        while len(self._bars) > kept:
            self._bars.pop()[1].close()

    def _bar(self, step: Step, now: float) -> Any:
        counts = step.unit == BYTES or step.total is not None
        # Of a terminal of no size tqdm would draw nothing at all.
        size = {"dynamic_ncols": True} if has_size(self._stream) else SIZE
        bar = self._make_bar(
            desc=step.title, total=step.total, file=self._stream, leave=False, **size,
            unit=BYTES if step.unit == BYTES else f" {step.unit or 'step'}s",
            unit_scale=step.unit == BYTES,
            bar_format=None if counts else "{desc} [{elapsed}{postfix}]",
        )  # fmt: skip
        bar.start_t -= now - step.began
        return bar


def fill(bar: Any, step: Step) -> None:
    """Put how a step stands into its bar."""
    bar.n = step.done
    count = "" if bar.bar_format is None else count_of(step)
    bar.set_description_str(f"{step.title}: {count}" if count else step.title, refresh=False)
    bar.set_postfix_str(words_of(step), refresh=False)
    bar.refresh()


def line_of(steps: Sequence[Step], now: float) -> str:
    """Return all steps in one line, with the time since the first began and what it has left."""
    known = ", ".join(filter(None, (duration(now - steps[0].began), left_of(steps[0], now))))
    return f"[{known}] {' > '.join(map(text_of, steps))}"


def last_line(step: Step, now: float) -> str:
    """Return what stays of a show."""
    return f"[{duration(now - step.began)}] {text_of(step)}"
