"""Whole fits that need nothing of each other: here in turn, elsewhere beside each other.

A study asks for the result of each of its fits in order. Where the tensor lies elsewhere it has a
method ``beside``, which has the fits made there; their results come in the same order, so a study
says, keeps and compares the same things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from vest_tucker.data.tensor import SparseTensor

Item = TypeVar("Item")
Result = TypeVar("Result")


def made_elsewhere(
    X: SparseTensor, work: Callable[[SparseTensor, Item], Result], items: Sequence[Item]
) -> Callable[[Item], Result] | None:
    """Return what gives ``work(X, item)`` of each of the items; None if X is here.

    The first question begins the work for its item and all that follow it.
    """
    beside = getattr(X, "beside", None)
    return None if beside is None else cast(Callable[[Item], Result], beside(work, items))
