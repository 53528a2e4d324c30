"""Steps in words: what happens, how much of it is done, and how it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vest_tucker.base.text_table import visible

if TYPE_CHECKING:
    from vest_tucker.base.telling.steps import Step

BYTES = "B"  # the unit of steps that count bytes
MEGABYTE = 1e6


def words_of(step: Step) -> str:
    """Return how a step stands."""
    words = step.words
    return words() if callable(words) else words


def count_of(step: Step) -> str:
    """Return how much of a step is done, as "2 of 5"; "" if it does not count."""
    if step.unit == BYTES:
        done = f"{step.done / MEGABYTE:,.1f}"
        return f"{done} MB" if not step.total else f"{done} of {step.total / MEGABYTE:,.1f} MB"
    if step.total is not None:
        return f"{step.done:,} of {step.total:,}"
    if not step.done:
        return ""
    return f"{step.done:,} {step.unit or 'step'}{'' if step.done == 1 else 's'}"


def text_of(step: Step) -> str:
    """Return a step in words, as "comparing structures: 2 of 5, the best error 0.232"."""
    count, words = count_of(step), words_of(step)
    title = f"{step.title}: {count}" if count else step.title
    return visible(f"{title}, {words}" if words else title)


def left_of(step: Step, now: float) -> str:
    """Return how long a step will take yet, if what is done says so; "" if it does not."""
    if not step.total or not 0 < step.done < step.total:
        return ""
    whole = (step.advanced - step.began) * step.total / step.done
    left = whole - (now - step.began)
    return f"about {duration(left)} left" if left > 0.0 else ""


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(0.31), duration(42.0), duration(600.0), duration(9000.0)
    ('0.3 s', '42 s', '10 min', '2.5 h')
    """
    if seconds < 10.0:
        return f"{seconds:.1f} s"
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    if seconds < 6000.0:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
