"""Blocks of entries that may be put down: the cluster keeps how to make them, and not their bytes.

Dask forgets a result that nobody wants, but not its recipe while something made of it is wanted. So
a small note is made of each block, and held in its place.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vest_tucker.dask.client import wanted


class Blocks(Sequence[Any]):
    """Futures of blocks; once put down, they are made anew when asked for."""

    def __init__(self, client: Any, futures: Sequence[Any]) -> None:
        self.client, self._held = client, list(futures)
        self._notes: dict[str, Any] = {}
        self._beside: weakref.WeakSet[Any] = weakref.WeakSet()

    def put_down(self) -> None:
        """Let the workers drop them."""
        if not self._notes:
            # Before anything else that needs a block, or all of them would wait for their notes.
            self._notes = {
                each.key: self.client.submit(noted, each, priority=1) for each in self._held
            }
        self._held = []

    def pass_by(self, other: object) -> None:
        """Keep none that is asked for again as long as something else needs the room."""
        self._beside.add(other)

    def _again(self, keys: Iterable[str]) -> list[Any]:
        return [self.client.submit(same, wanted(self.client, key)) for key in keys]

    def _asked_for(self, at: slice) -> list[Any]:
        if self._held or not self._notes:
            return self._held[at]
        if self._beside:
            return self._again(list(self._notes)[at])
        self._held = self._again(self._notes)
        return self._held[at]

    def __len__(self) -> int:
        return len(self._held or self._notes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._asked_for(slice(None)))

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return self._asked_for(at)
        number = range(len(self))[at]
        return self._asked_for(slice(number, number + 1))[0]


def noted(_block: Any) -> None:
    """Stand for a block."""


def same(block: Any) -> Any:
    """Return a block that was asked for again."""
    return block
