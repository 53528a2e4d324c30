"""Long things as steps inside of steps: who shows how far they are, how often, and to whom.

A public call opens a show by `watched`. What it calls opens steps by `step`, wherever that is, and
needs no argument for it: the show that is under way is found by its thread. A public call inside
of another, as the fits of `cross_validate`, adds its steps to the same show. Each step is also
logged, under the name "vest_tucker".
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO, TypeAlias

from vest_tucker.base.options import ProgressOption, check_progress
from vest_tucker.base.telling.texts import duration, text_of
from vest_tucker.base.telling.views import View, can_rewrite, view_of

Words: TypeAlias = str | Callable[[], str]
PATIENCE = 3.0  # seconds that "auto" waits before it shows anything

log = logging.getLogger("vest_tucker")
log.addHandler(logging.NullHandler())  # silent, unless the program wants to hear of it
clock: Callable[[], float] = time.monotonic  # tests have their own


class Step:
    """One thing that takes long.

    Attributes
    ----------
    title : str
        What happens, as "comparing structures".
    done : int
        How much of it is complete, in units.
    total : int or None
        How much there is; None if nobody knows.
    unit : str
        What is counted, as "sweep"; "B" for bytes.
    words : str or callable
        How it stands, as "61 % zeros"; a callable is asked only when somebody looks.
    began, advanced : float
        When it began, and when more of it was done last, by the clock of the show.
    """

    __slots__ = ("_show", "advanced", "began", "done", "title", "total", "unit", "words")

    def __init__(self, show: Show, title: str, total: int | None, unit: str) -> None:
        self._show, self.title, self.total, self.unit = show, title, total, unit
        self.done = 0
        self.words: Words = ""
        self.began = self.advanced = show.clock()

    def advance(self, n: int = 1, words: Words | None = None) -> None:
        """Say that more is done, and perhaps how it stands."""
        self.done += n
        if words is not None:
            self.words = words
        if self._show.is_seen:
            self.advanced = self._show.clock()
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s", self._show.text())
        self._show.look()

    def say(self, words: Words) -> None:
        """Say how it stands."""
        self.words = words
        self._show.look()

    def restart(self) -> None:
        """Count from the start again."""
        self.done = 0

    def __enter__(self) -> Step:
        self._show.push(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._show.pop(self)


class Show:
    """The steps that are under way, outermost first, and the view of them, if anybody looks.

    A stream that cannot be written to (none at all, closed, a broken pipe) ends the show and not
    what is shown.
    """

    def __init__(self, progress: ProgressOption, stream: TextIO | None = None) -> None:
        self.clock = clock
        self.outer: Show | None = None
        self.steps: list[Step] = []
        self._stream = sys.stderr if stream is None else stream
        self._stays = progress is True
        self._view: View | None = None
        self._lasts = self._stream is not None and not can_rewrite(self._stream)
        waits = 0.0 if self._stays else PATIENCE
        seen = self._stream is not None and (
            self._stays or (progress == "auto" and not self._lasts)
        )
        self._next: float | None = self.clock() + waits if seen else None

    @property
    def is_seen(self) -> bool:
        """Whether something is shown, now or later."""
        return self._next is not None

    def push(self, step: Step) -> None:
        """Begin a step inside of those that are under way."""
        self.steps.append(step)
        if log.isEnabledFor(logging.INFO):
            log.info("%s", self.text())
        if not self._lasts:  # a line that lasts should have something to say
            self.look()

    def pop(self, step: Step) -> None:
        """End a step, and whatever inside of it was left without an end."""
        if step not in self.steps:
            return
        if log.isEnabledFor(logging.INFO):
            log.info("%s (%s)", self.text(step), duration(self.clock() - step.began))
        if self.steps[0] is step:
            self._close(step)
        del self.steps[self.steps.index(step) :]
        if not self._lasts:
            self.look()

    def text(self, last: Step | None = None) -> str:
        """Return what is under way in words, down to one step, or to the innermost."""
        upto = len(self.steps) if last is None else self.steps.index(last) + 1
        return " > ".join(map(text_of, self.steps[:upto]))

    def look(self) -> None:
        """Show how the steps stand, if it is time for that."""
        if self._next is None or not self.steps:
            return
        now = self.clock()
        if now < self._next:
            return
        try:
            if self._view is None:
                self._view = view_of(self._stream)
            self._next = now + self._view.seconds_between
            self._view.draw(self.steps, now)
        except Exception:  # whatever a stream may raise, hours of work are worth more
            self._next = None

    def hide(self) -> None:
        """Take away what is shown, until it is time to show it again: someone else has to write."""
        if self._next is None or self._view is None:
            return
        try:
            self._view.hide()
        except Exception:  # as above
            self._next = None

    def _close(self, outermost: Step) -> None:
        """End the show: its last line stays if it was asked for, and else nothing does."""
        if self._next is None or (self._view is None and not self._stays):
            return
        self._next = None
        try:
            view = self._view or view_of(self._stream)
            view.close(outermost if self._stays else None, self.clock())
        except Exception:  # as above
            return


class _Here(threading.local):
    """What is under way in this thread; a context would be handed on to threads without a GIL."""

    show: Show | None = None


_HERE = _Here()
_PREFERRED: ContextVar[ProgressOption] = ContextVar("vest_tucker_progress", default="auto")


@contextmanager
def watched(
    progress: ProgressOption, title: str, total: int | None = None, unit: str = ""
) -> Iterator[Step]:
    """Show a public call, as its option ``progress`` says; inside of another one, as a part of it.

    A call that shows nothing silences those inside of it, unless they ask for a show by True.
    """
    wanted, outer = check_progress(progress), _HERE.show
    if wanted == "auto":
        wanted = _PREFERRED.get()
    if outer is not None and (outer.is_seen or wanted is not True):
        with Step(outer, title, total, unit) as inside:
            yield inside
        return
    show = Show(wanted)
    show.outer = outer
    _HERE.show = show
    try:
        with Step(show, title, total, unit) as first:
            yield first
    finally:
        if show in shows():  # else it was left without an end, and the one around it has ended
            _HERE.show = outer


def shows() -> Iterator[Show]:
    """Yield the show that is under way, and those that it is inside of, though it hides them."""
    show = _HERE.show
    while show is not None:
        yield show
        show = show.outer


def step(title: str, total: int | None = None, unit: str = "") -> Step:
    """Return a step of whatever is under way, to be used as a context."""
    return Step(_HERE.show or Show(False), title, total, unit)


def hide() -> None:
    """Take away what is shown for a moment, lest what is written next stands behind it."""
    for show in shows():
        show.hide()


def underway() -> Step:
    """Return the innermost step; one that nobody sees if there is none."""
    show = _HERE.show
    return show.steps[-1] if show is not None and show.steps else Step(Show(False), "", None, "")


@contextmanager
def preferring(progress: ProgressOption) -> Iterator[None]:
    """Let calls that leave it open ("auto") show progress in another way."""
    before = _PREFERRED.get()
    _PREFERRED.set(progress)
    try:
        yield
    finally:
        _PREFERRED.set(before)
