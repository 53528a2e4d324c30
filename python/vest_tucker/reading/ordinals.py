"""Labels that have an order, as hours, dates and months, and their ranges: "7 to 10"."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.text_table import clipped, shorten, shorten_all
from vest_tucker.base.types import Labels
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.data.sources.zones import local, zone_of

MOST_NUMBERS = 400  # whole numbers beyond this many are taken for identifiers, not for an order
# Text with an order of its own: dates and months as ISO 8601 writes them.
ISO = re.compile(r"\d{4}-\d{2}(-\d{2})?")
NAMED = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december"),
)  # fmt: skip
WIDE = 3  # smallest steps that one range may pass over at once: a weekend among days
LONGEST = 60  # characters of a label
SHORT = 3  # letters of an abbreviated name


def ranks_of(labels: Labels) -> NDArray[np.intp] | None:
    """Return the place of each label in their order; None if they have none.

    Whole numbers, if there are not too many, dates and times have an order, and so do texts that
    are dates, months or days of the week. Labels that follow each other by the smallest step there
    is, or nearly so, as days around a weekend, have consecutive places; where there is a wider
    gap, a place is left free.

    Examples
    --------
    >>> import numpy as np
    >>> ranks_of(np.array([9, 7, 8])).tolist(), ranks_of(np.array(["tea", "rye"]))
    ([2, 0, 1], None)
    >>> ranks_of(np.array(["Tue", "Mon", "Sun"], dtype=object)).tolist()
    [1, 0, 3]
    """
    kind = labels.dtype.kind
    if kind in "Mm" or (kind in "iu" and len(labels) <= MOST_NUMBERS):
        keys = _keys_of_times(labels) if kind == "M" else labels.astype(np.int64)
    elif kind in "OUT":
        if _keys_of_texts([str(label) for label in labels[:1].tolist()]) is None:
            return None  # most text, and there may be a lot of it
        found = _keys_of_texts([str(label) for label in labels.tolist()])
        if found is None:
            return None
        keys = np.array(found)
    else:
        return None
    distinct, places = np.unique(keys, return_inverse=True)
    steps = np.diff(distinct)
    gaps = np.concatenate([[0], np.cumsum(1 + (steps > WIDE * steps.min(initial=steps[:1].sum())))])
    return gaps[places].astype(np.intp)


def _keys_of_times(times: Labels) -> NDArray[np.int64]:
    """Return times as whole numbers: months if all are first days of one, else as they are."""
    clocks = times
    if zone_of(times) is not None:  # months begin where the clocks say so
        there = [
            each.replace(tzinfo=None) if isinstance(each, dt.datetime) else each
            for each in local(times)
        ]
        clocks = np.array(there, dtype="datetime64[us]")
    months = clocks.astype("datetime64[M]")
    keys: NDArray[np.int64] = (months if (months == clocks).all() else times).astype(np.int64)
    return keys


def _keys_of_texts(texts: Sequence[str]) -> list[int] | None:
    """Return numbers that follow each other as texts are meant; None if nothing is known."""
    if texts and all(ISO.fullmatch(text) for text in texts) and len({*map(len, texts)}) == 1:
        try:
            keys: list[int] = _keys_of_times(np.array(texts, dtype="datetime64")).tolist()
        except ValueError:  # as the thirtieth of February
            return None
        return keys
    lower = [text.lower() for text in texts]
    for names in NAMED:
        for known in (names, tuple(name[:SHORT] for name in names)):
            if set(lower) <= set(known):
                return [known.index(text) for text in lower]
    return None


def runs(ranks: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Return the runs of consecutive numbers in a sorted array, as first and last position.

    Examples
    --------
    >>> import numpy as np
    >>> runs(np.array([3, 4, 5, 9]))
    [(0, 2), (3, 3)]
    """
    breaks = np.flatnonzero(np.diff(ranks) != 1)
    firsts = np.concatenate([[0], breaks + 1]).tolist()
    lasts = np.concatenate([breaks, [len(ranks) - 1]]).tolist()
    return list(zip(firsts, lasts, strict=True))


def ranges(labels: Labels, ranks: NDArray[np.intp]) -> list[str]:
    """Return labels as text, in their order, those of consecutive places as ranges.

    Examples
    --------
    >>> import numpy as np
    >>> ranges(np.array([9, 7, 8, 20, 10]), np.array([2, 0, 1, 13, 3]))
    ['7 to 10', '20']
    """
    order = np.argsort(ranks, kind="stable")
    told = []
    for first, last in runs(ranks[order]):
        texts = [label_text(label) for label in listed(labels[order[[first, last]]])]
        if first == last:
            told.append(texts[0])
        else:
            told.append((", " if last == first + 1 else " to ").join(texts))
    return told


def label_text(label: object) -> str:
    """Return a label as a short text of one line; one that is blank in quotes, so that it is seen.

    Examples
    --------
    >>> label_text("soup"), label_text(7), label_text(" ")
    ('soup', '7', "' '")
    """
    return shorten(_seen(clipped(plain_text(label), LONGEST)), LONGEST)


def label_texts(labels: Iterable[object]) -> list[str]:
    """Return the texts of labels that stand together: different labels have different ones.

    Those with a comma are in quotes, so that it is seen where one ends.

    Examples
    --------
    >>> label_texts(["soup", 7, "7", "Good, the Bad and the Ugly, The"])
    ['soup', '7', "'7'", "'Good, the Bad and the Ugly, The'"]
    """
    given = list(labels)
    texts = [_seen(plain_text(label)) for label in given]
    numbers = {text for text, label in zip(texts, given, strict=True) if not isinstance(label, str)}
    return shorten_all(
        [
            repr(text) if isinstance(label, str) and (text in numbers or "," in text) else text
            for text, label in zip(texts, given, strict=True)
        ],
        LONGEST,
    )


def _seen(text: str) -> str:
    if not text.strip():
        return repr(text)
    return text if text.isprintable() else text.translate(SEEN)


class _Seen(dict[int, str]):
    """How characters are seen: as they are, or as ``repr`` shows those that cannot be printed."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        return self.setdefault(
            code, character if character.isprintable() else repr(character)[1:-1]
        )


SEEN = _Seen()
