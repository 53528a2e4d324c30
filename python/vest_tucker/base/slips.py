"""Labels that look like others: for messages that ask whether another one was meant."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TypeGuard

from vest_tucker.base.types import Labels

MANY = 5_000  # labels among which a warning looks for slips of the pen, several at once
MOST = 100_000  # labels of a mode among which others are looked for; more would take too long
LONGEST = 1_000  # characters that anybody writes by hand: to compare megabytes takes seconds
SHORTEST = 3  # characters that are taken for the beginning of a label
CUTOFF = 0.75  # how alike two texts are at least, in difflib's measure


def essence(text: str) -> str:
    """Return a text without case, accents, spaces and punctuation.

    Examples
    --------
    >>> essence(" Crème-Brûlée"), essence("!")
    ('cremebrulee', '!')
    """
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in letters if letter.isalnum()) or text


def by_essence(known: Labels | None) -> dict[str, str]:
    """Return the text labels of a mode by what is essential in them; none if there are many."""
    if known is None or known.dtype.kind != "O" or len(known) > MOST:
        return {}
    return {essence(label): label for label in known.tolist() if _is_written(label)}


def alike(unseen: Iterable[object], known: Mapping[str, str]) -> dict[str, str]:
    """Return for labels that are not known those that differ from them in nothing essential.

    Examples
    --------
    >>> alike(["Pizza", "tofu", 7], {"pizza": "pizza"})
    {'Pizza': 'pizza'}
    """
    texts = [label for label in unseen if _is_written(label)]
    return {text: known[essence(text)] for text in texts if essence(text) in known}


def nearest(label: object, known: Labels | None) -> str | None:
    """Return the known label that a text may be a slip of; None if none is near.

    Examples
    --------
    >>> import numpy as np
    >>> nearest("piza", np.array(["pizza", "tofu"], dtype=object))
    'pizza'
    >>> nearest("Leo", np.array(["Ann (clerk)", "Leo (clerk)"], dtype=object))
    'Leo (clerk)'
    """
    return nearest_essence(label, by_essence(known)) if isinstance(label, str) else None


def nearest_essence(label: str, known: Mapping[str, str]) -> str | None:
    """Return the same, among labels by what is essential in them.

    Numbers are no slips: "user 12" is another user than "user 13".
    """
    if not _is_written(label):
        return None
    own = essence(label)
    same = {each: text for each, text in known.items() if _digits(each) == _digits(own)}
    if not same:
        return None
    found = difflib.get_close_matches(own, same, n=1, cutoff=CUTOFF)
    if not found and len(own) >= SHORTEST:  # a part of it, as a first name
        found = [each for each in same if each.startswith(own)][:1]
    return same[found[0]] if found else None


def _is_written(label: object) -> TypeGuard[str]:
    return isinstance(label, str) and len(label) <= LONGEST


def _digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))
