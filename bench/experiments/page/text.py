"""Numbers and comparisons as text: what is better is said by the numbers themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from experiments.summary.rows import Spread

NOTHING = "–"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, with an empty one before and after."""
    lines = ["", _line(head), "|" + "---|" * len(head)]
    return [*lines, *(_line(row) for row in rows), ""]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with so many decimals."""
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value:.{digits}f}"


def with_spread(found: Spread | None, digits: int = 4) -> str:
    """Return a mean and the standard deviation over runs."""
    if found is None:
        return NOTHING
    if found.runs == 1:
        return f"{found.mean:.{digits}f}"
    return f"{found.mean:.{digits}f} ± {found.deviation:.{digits}f}"


def share(value: float | None) -> str:
    """Return a share in percent."""
    return NOTHING if value is None or math.isnan(value) else f"{value:.0%}".replace("%", " %")


def count(value: float | None) -> str:
    """Return a whole number with commas."""
    return NOTHING if value is None or math.isnan(value) else f"{round(value):,}"


def factor(value: float) -> str:
    """Return by what factor something is better."""
    if math.isnan(value):
        return "never"
    if math.isinf(value):
        return "it has no zeros"
    return f"{value:.2f}"


def percent(value: float, digits: int = 1) -> str:
    """Return a relative difference, with its sign."""
    return f"{100.0 * value:+.{digits}f} %"


def beside(them: str, difference: Spread | None, us: str = "the plain call") -> str:
    """Say who has the lower error, by how much, and whether the runs can tell.

    The difference is theirs over ours, less one, run by run: positive means that ours is better.
    """
    if difference is None:
        return f"{them}: not measured."
    by = f"{abs(100.0 * difference.mean):.1f} %"
    sure = difference.runs > 1 and abs(difference.mean) > difference.half
    doubt = "" if sure else f", which {runs(difference.runs)} cannot tell from chance"
    if difference.mean > 0.0:
        return f"{us} is better than {them} by {by}{doubt}"
    return f"**{them} is better than {us} by {by}**{doubt}"


def better_by(difference: Spread) -> str:
    """Return by how much less their error is than ours, and whether the runs can tell."""
    sure = difference.runs > 1 and abs(difference.mean) > difference.half
    return f"{-100.0 * difference.mean:.1f} %" + ("" if sure else ", perhaps by chance")


def runs(number: int) -> str:
    """Return how many runs there are, in words."""
    return "one run" if number == 1 else f"{number} runs"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def sentence(text: str) -> str:
    """Return a text with a full stop and a capital; a name in bold at its start stays as it is."""
    start = text[0] if text.startswith("*") else text[0].upper()
    return f"{start}{text[1:]}" + ("" if text.endswith(".") else ".")
