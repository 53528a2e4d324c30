"""Whole fits beside each other: each worker has the tensor, and each of its threads makes fits.

The entries never pass through the client: a task puts the blocks together on a worker, and the
others have it from there. Results come back in order, with the warnings of their fits.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from vest_tucker.base.errors import ClusterError
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.base.telling.warn import collected, warn
from vest_tucker.dask.client import PATIENCE, cancelled_here, gathered, losses, workers_of
from vest_tucker.dask.fitting.builds import Build, own_build
from vest_tucker.dask.fitting.entries import SpreadTensor
from vest_tucker.dask.narrow import Block, wide_arrays
from vest_tucker.dask.questions import in_turns, link_of, log
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.told import sent
from vest_tucker.dask.whole.kernels import require_kernels
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.tensor import SparseTensor

TRIES = 8  # until a fit that is lost again and again is given up
LOST = ("lost", "cancelled", "error")  # what the status of a task is that does not come back


class WholeTensor(SparseTensor):
    """A tensor whose fits are made by workers that have it as a whole, as studies take it."""

    __slots__ = ("_source",)

    _source: Source

    @classmethod
    def of(
        cls,
        X: ClusterTensor | SparseTensor,
        client: Any,
        at_once: int,
        build: Build | None = None,
    ) -> WholeTensor:
        """Make one of a tensor that lies on the workers, or here; ``build`` is as for `Source`."""
        seen = SpreadTensor.of(X, 1) if isinstance(X, ClusterTensor) else X
        made = cls.__new__(cls)
        made._coords, made._values, made._weights = seen._coords, seen._values, seen._weights
        made._handle, made._mode_labels = seen._handle, seen._mode_labels
        made._source = Source(client, X, seen._mode_labels, at_once, build or own_build())
        return made

    def beside(
        self, work: Callable[[SparseTensor, Any], Any], items: Sequence[Any]
    ) -> Callable[[Any], Any]:
        """Return what gives ``work(X, item)`` of each item, made on the workers."""
        return Beside(self._source, work, list(items)).result


@dataclass
class Source:
    """Where workers have the tensor from, how many fits at once each has memory for.

    ``build`` is what all of them run; a worker that joins later must run it, too.
    """

    client: Any
    X: ClusterTensor | SparseTensor
    labels: ModeLabels
    at_once: int
    build: Build
    patience: float = field(init=False)

    def __post_init__(self) -> None:
        self.patience = getattr(self.X, "patience", PATIENCE)

    def made(self) -> Any:
        """Return a future of the tensor on a worker."""
        client, X = self.client, self.X
        if isinstance(X, SparseTensor):
            whole = Whole(X)
            return sent(client, whole, whole.__sizeof__(), self.patience)
        nbytes = sum(0 if own is None else own.nbytes for own in self.labels.labels)
        labels = sent(client, self.labels, nbytes, self.patience)
        return client.submit(
            assembled, X.shape, labels, *X.blocks, key=f"vest-whole-{uuid4().hex}",
            pure=False,
        )  # fmt: skip


@dataclass
class Whole:
    """A tensor as tasks hand it on, which tells Dask how large it is."""

    X: SparseTensor

    def __sizeof__(self) -> int:
        arrays = (self.X.coords, self.X.values, self.X.weights)
        return object.__sizeof__(self) + sum(0 if each is None else each.nbytes for each in arrays)


def assembled(shape: tuple[int, ...], labels: ModeLabels, *blocks: Block) -> Whole:
    """Put the blocks of a tensor together, in their order."""
    coords, values, weights = wide_arrays(blocks)
    return Whole(SparseTensor(coords, values, shape, labels=labels, weights=weights))


@dataclass
class Came:
    """What a task has brought about: a result, and what it warned of."""

    result: Any
    warned: list[tuple[str, type[Warning]]]


class Beside:
    """Tasks for the items of a study, the first ones first."""

    def __init__(
        self, source: Source, work: Callable[[SparseTensor, Any], Any], items: list[Any]
    ) -> None:
        self.source, self.work, self.items = source, work, items
        self.token = f"vest-fit-{uuid4().hex}"
        self.futures: dict[int, Any] = {}

    def result(self, item: Any) -> Any:
        """Wait for the result of an item; whatever ends the wait ends all tasks."""
        number = self.items.index(item)
        try:
            came = self._waited_for(number)
        except BaseException:
            if self.futures:
                self.source.client.cancel(list(self.futures.values()), force=True)
            raise
        for text, category in came.warned:
            warn(text, category)
        return came.result

    def _waited_for(self, number: int) -> Came:
        client, count = self.source.client, len(self.items)
        what = f"fit {number + 1} of {count}, made by a worker as a whole"
        for attempt in range(1, TRIES + 1):
            try:
                if number not in self.futures:
                    self._submit(range(number, count))
                (came,) = gathered(
                    client, [self.futures[number]], what, self.source.patience, at_work=True
                )
                del self.futures[number]  # a model is worth no place on a worker
                return came  # type: ignore[no-any-return]
            except losses() as error:  # noqa: PERF203 - there are few fits
                if attempt == TRIES or client.status != "running":
                    raise ClusterError(
                        f"{what}: lost {TRIES} times, the last time by {error!r}; look at "
                        f"{link_of(client)}"
                    ) from error
                log.warning("%s: made again, for %r", what, error)
                again = [each for each, own in self.futures.items() if own.status in LOST]
                client.cancel([self.futures.pop(each) for each in again], force=True)
        raise AssertionError("it comes or raises")

    def _submit(self, numbers: Sequence[int]) -> None:
        """Hand the fits out to the threads of the workers in turn; idle ones may take others."""
        client = self.source.client
        numbers = [each for each in numbers if each not in self.futures]
        there = workers_of(client, self.source.patience)
        turns = in_turns({name: min(own, self.source.at_once) for name, own in there.items()})
        work = sent(client, self.work, 0, self.source.patience)
        whole = self.source.made()
        for turn, number in enumerate(numbers):
            self.futures[number] = client.submit(
                fit_whole, whole, work, self.items[number], self.token, self.source.at_once,
                self.source.build,
                key=f"{self.token}-{number}-{uuid4().hex}", pure=False,
                priority=-number, workers=[turns[turn % len(turns)]], allow_other_workers=True,
            )  # fmt: skip


_turns: dict[str, Turns] = {}  # of each study that has a fit here, running or waiting
_turns_lock = threading.Lock()
LOOK = 0.2  # seconds between two looks whether a fit that waits for its turn is still wanted


class Turns:
    """Room for so many fits of a study at once on a worker."""

    def __init__(self, at_once: int) -> None:
        self.turns, self.fits = threading.Semaphore(at_once), 0


@contextlib.contextmanager
def room_of(token: str, at_once: int) -> Iterator[threading.Semaphore]:
    """Give the fits of a study their turns; when the last one has left, it is forgotten."""
    with _turns_lock:
        room = _turns.setdefault(token, Turns(at_once))
        room.fits += 1
    try:
        yield room.turns
    finally:
        with _turns_lock:
            room.fits -= 1
            if not room.fits:
                del _turns[token]


def fit_whole(
    whole: Whole,
    work: Callable[[SparseTensor, Any], Any],
    item: Any,
    token: str,
    at_once: int,
    build: Build,
) -> Came:
    """Make a fit on a worker, when there is room for it, as long as it is wanted."""
    require_kernels(build)
    unwanted = cancelled_here()
    with room_of(token, at_once) as turns:
        while not turns.acquire(timeout=LOOK):
            if unwanted():
                raise RuntimeError("nobody wants this fit any more")
        try:
            with RUNNING.while_wanted(unwanted), collected() as warned:
                try:
                    return Came(work(whole.X, item), warned)
                except KeyboardInterrupt as error:  # it would end the worker
                    raise RuntimeError("nobody wants this fit any more") from error
        finally:
            turns.release()
