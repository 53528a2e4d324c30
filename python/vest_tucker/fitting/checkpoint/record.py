"""What a call has done so far, stage by stage, so that the same call made again goes on from there.

A long call is made of stages, one after the other and one inside of another, and each loop is one.
The same call makes the same stages in the same order. So each has a place, and what was complete
when a call ended need not be done again: all that lies between stages is repeated, what is in them
is looked up. Where nothing is recorded, stages are run as if these functions did not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from vest_tucker.fitting.checkpoint.packing import from_bytes, pack, to_bytes, unpack

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """A stage as it stood, as a file has it: its state or result, and what stands beside it."""

    packed: bytes | memoryview

    @classmethod
    def of(cls, content: Any, beside: list[Any]) -> Entry:
        """Describe a state; what goes on does not change that."""
        return cls(to_bytes(*pack({"content": content, "beside": beside})))

    def changed(self, change: Callable[[Any], Any]) -> Entry:
        """Return the same stage with another result, which may be less of it."""
        found = unpack(*from_bytes(self.packed))
        return Entry.of(change(found["content"]), found["beside"])

    def restored(self, beside: list[Any], context: Any) -> Any:
        """Return the state or result, and bring back what stands beside it."""
        found = unpack(*from_bytes(self.packed), context)
        for live, was in zip(beside, found["beside"], strict=True):
            if isinstance(live, np.random.Generator):
                live.bit_generator.state = was.bit_generator.state
            else:
                live[:] = was
        return found["content"]


@dataclass
class Record:
    """The stages of one call.

    Attributes
    ----------
    reached : callable
        Called whenever the call could go on from what is recorded.
    entries : dict of Entry by place
        Stages that are complete, and loops as they stood.
    left : bool
        Whether the call has left a loop in the middle of a round: what was recorded last holds.
    """

    reached: Callable[[Record], None] = lambda record: None
    entries: dict[str, Entry] = field(default_factory=dict)
    _inside: list[str] = field(default_factory=list)
    _counts: list[int] = field(default_factory=lambda: [0])
    _beside: list[Any] = field(default_factory=list)
    _live: tuple[str, Any] | None = None
    left: bool = False

    @contextmanager
    def stage(self, name: str) -> Iterator[str]:
        """Enter the next stage; return its place."""
        place = "/".join([*self._inside, f"{self._counts[-1]} {name}"])
        self._counts[-1] += 1
        self._inside.append(place.rpartition("/")[2])
        self._counts.append(0)
        try:
            yield place
        finally:
            self._inside.pop()
            self._counts.pop()

    def put(self, place: str, content: Any) -> None:
        """Note how a stage stands, in place of what is inside of it; what follows changes it."""
        inside = place + "/"
        for each in [each for each in self.entries if each.startswith(inside)]:
            del self.entries[each]
        self.entries[place] = Entry.of(content, self._beside)
        self._live = None

    def look(self, place: str, content: Any) -> None:
        """Note where the innermost loop stands, and write that if it is time to."""
        self._live = place, content
        self._counts[-1] = 0
        self.reached(self)

    def get(self, place: str, context: Any) -> tuple[bool, Any]:
        """Return whether there is anything of a stage, and what."""
        if place not in self.entries:
            return False, None
        return True, self.entries[place].restored(self._beside, context)

    @property
    def running(self) -> str | None:
        """The place of the loop that runs, if it can go on from where it stands."""
        return None if self._live is None or self.left else self._live[0]

    def complete(self) -> dict[str, Entry]:
        """Return all entries, with the loop that runs as it stands."""
        if self.running is None:
            return self.entries
        assert self._live is not None
        place, content = self._live
        return self.entries | {place: Entry.of(content, self._beside)}


class _Here(threading.local):
    """What records in this thread; a context would be handed on to threads without a GIL."""

    record: Record | None = None


_HERE = _Here()


@contextmanager
def recorded_in(record: Record | None) -> Iterator[None]:
    """Record the stages of a block; with None none are, whatever the block is inside of."""
    before, _HERE.record = _HERE.record, record
    try:
        yield
    finally:
        _HERE.record = before


@contextmanager
def beside(*changing: np.random.Generator | list[Any]) -> Iterator[None]:
    """Have generators and lists come back with the stages of a block as they were after them."""
    record = _HERE.record
    if record is None:
        yield
        return
    record._beside += changing
    try:
        yield
    finally:
        del record._beside[-len(changing) :]


def leave() -> None:
    """Say that what is under way was left before its end, and is not to be recorded as complete."""
    record = _HERE.record
    if record is not None:
        record.left = True


@dataclass
class Kept:
    """Where a result is recorded, for who may want less of it some day.

    Attributes
    ----------
    record : Record or None
        None if nothing is recorded.
    place : str
    """

    record: Record | None = None
    place: str = ""

    def change(self, change: Callable[[Any], Any]) -> None:
        """Record something else as the result, such as what is left when most is of no use."""
        if self.record is not None and self.place in self.record.entries:
            entry = self.record.entries[self.place]
            self.record.entries[self.place] = entry.changed(change)


def stage(
    name: str,
    work: Callable[[], T],
    *,
    keep: Callable[[T], Any] = lambda result: result,
    back: Callable[[Any], T] = lambda kept: kept,
    context: Any = None,
    kept: Kept | None = None,
) -> T:
    """Return what ``work`` returns, or what it returned if it is recorded.

    Parameters
    ----------
    name : str
        What it is.
    work : callable
        Does it.
    keep, back : callable
        From a result to what is stored of it, and back.
    context
        What stored objects belong to.
    kept : Kept, optional
        Learns where the result is recorded.
    """
    record = _HERE.record
    if record is None:
        return work()
    with record.stage(name) as place:
        if kept is not None:
            kept.record, kept.place = record, place
        found, was = record.get(place, context)
        if found:
            return back(was)
        result = work()
        if not record.left:
            record.put(place, keep(result))
    return result


@dataclass
class Loop(Generic[T]):
    """A loop whose state may be recorded between two rounds.

    Attributes
    ----------
    state
        Where the loop stood when the call ended; None if it had not begun.
    is_left : bool
        Whether it was left in the middle of a round; so it is by any exception.
    """

    state: T | None = None
    is_left: bool = False
    _note: Callable[[T], None] = lambda state: None
    _last: T | None = None

    def reached(self, state: T) -> None:
        """Say that a round is complete: from this state the loop can go on."""
        self._last = state
        self._note(state)


@contextmanager
def loop(name: str, context: Any = None, *, has_stages: bool = False) -> Iterator[Loop[Any]]:
    """Make a block that repeats something a stage; its state says whether it is over.

    Parameters
    ----------
    name : str
        What is repeated.
    context
        What stored objects belong to.
    has_stages : bool
        Whether a round has stages itself.

    Examples
    --------
    >>> with loop("adding") as here:
    ...     sums = here.state or [0]
    ...     while len(sums) < 4:
    ...         sums.append(sums[-1] + len(sums))
    ...         here.reached(sums)
    >>> sums
    [0, 1, 3, 6]
    """
    record = _HERE.record
    if record is None:
        yield Loop()
        return
    with record.stage(name) as place:
        _, state = record.get(place, context)

        def note(state: Any) -> None:
            if has_stages:  # which change what the state refers to
                record.put(place, state)
            record.look(place, state)

        here: Loop[Any] = Loop(state, _note=note)
        try:
            yield here
        except BaseException:
            record.left = True
            raise
        if here.is_left:
            record.left = True
        elif here._last is not None:
            record.put(place, here._last)
