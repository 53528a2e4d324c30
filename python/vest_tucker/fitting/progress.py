"""How a running fit shows itself: one line, rewritten in place on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from vest_tucker.model.history import IterationRecord

SECONDS_BETWEEN_LINES = 10.0  # where lines cannot be rewritten


class Progress:
    """Show each iteration on ``stream``, after a ``title``; do nothing at all unless ``enabled``.

    A stream that cannot be written to (none at all, closed, a broken pipe) ends the show and not
    the fit.

    On a terminal the line is rewritten in place. Elsewhere (a log file, a notebook's capture) a
    new line appears for the first and last iteration, when pruning ends, and otherwise every ten
    seconds.
    """

    def __init__(
        self,
        enabled: bool,
        max_iter: int,
        *,
        title: str = "",
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_iter = max_iter
        self._title = title
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._enabled = enabled and self._stream is not None
        self._in_place = self._enabled and self._is_terminal()
        self._last: IterationRecord | None = None
        self._shown_at = -SECONDS_BETWEEN_LINES
        self._shown: IterationRecord | None = None
        self._seconds = 0.0

    def __enter__(self) -> Progress:
        return self

    def __call__(self, record: IterationRecord) -> None:
        """Show one iteration, now or never."""
        if not self._enabled:
            return
        self._seconds += record.seconds
        changed = self._last is not None and bool(self._last.prune_rate) != bool(record.prune_rate)
        self._last = record
        now = self._clock()
        if self._in_place or changed or now - self._shown_at >= SECONDS_BETWEEN_LINES:
            self._shown_at = now
            self._show(record)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._last is not None and self._last is not self._shown:
            self._show(self._last)
        if self._in_place and self._shown is not None:
            self._write("\n")

    def _show(self, record: IterationRecord) -> None:
        self._shown = record
        line = self._title + describe(record, self._max_iter, self._seconds / record.iteration)
        # \r goes back to the start of the line, ESC [K clears what a longer line left behind.
        self._write(f"\r{line}\x1b[K" if self._in_place else f"{line}\n")

    def _write(self, text: str) -> None:
        if not self._enabled:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except Exception:  # whatever a stream may raise, hours of fitting are worth more
            self._enabled = False

    def _is_terminal(self) -> bool:
        try:
            return self._stream.isatty()
        except Exception:
            return False


def describe(record: IterationRecord, max_iter: int, seconds_each: float) -> str:
    """One line about an iteration: how good, how sparse, what it is doing, how long yet.

    Examples
    --------
    >>> describe(IterationRecord(7, 0.21, 0.4, 0.3, 0.07, 0.5), 100, 0.5)
    'iteration 7/100  error 0.2100  sparsity 0.400  pruning 7 %  0.5 s each, at most 46 s left'
    """
    phase = f"pruning {100 * record.prune_rate:.2g} %" if record.prune_rate else "refining"
    left = (max_iter - record.iteration) * seconds_each
    return (
        f"iteration {record.iteration}/{max_iter}  error {record.error:.4f}  "
        f"sparsity {record.sparsity:.3f}  {phase}  "
        f"{_duration(seconds_each)} each, at most {_duration(left)} left"
    )


def _duration(seconds: float) -> str:
    if seconds < 1.0:
        return f"{seconds:.1g} s"
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    if seconds < 6000.0:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
