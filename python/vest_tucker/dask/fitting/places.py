"""Shards on the workers of a cluster, and calls that reach them.

A call is a round of tasks, each for the shards of a thread, where these lie. What they need of the
state is sent when it has changed, large arrays once to every worker. New rows of large factors go
from worker to worker, beside coming here. The state itself is here, so a round that is lost with a
worker is repeated: the tasks change nothing, and give the same bits.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from uuid import uuid4

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import ClusterError
from vest_tucker.base.types import Floats
from vest_tucker.dask.client import all_submitted, gathered, losses
from vest_tucker.dask.fitting.builds import same_builds
from vest_tucker.dask.fitting.handing import hand_on
from vest_tucker.dask.fitting.rounds import (
    NOWHERE,
    Answers,
    Group,
    Kept,
    Round,
    answers_of,
    asked_of,
    groups_of,
)
from vest_tucker.dask.questions import holders_of, link_of, log, threads_of
from vest_tucker.dask.told import all_sent, is_small
from vest_tucker.fitting.shards.cut import ModeCut
from vest_tucker.fitting.shards.places import spread
from vest_tucker.fitting.shards.shard import Ended, NewRows, State, set_rows

TRIES = 8  # rounds until a cluster is given up
HURRY = 2.0  # seconds in which something must come back to somebody who wants to stop
LOOK = 2.0  # seconds between two looks at which workers are there
DEEPEST = 16  # rounds that a factor on the workers may be made of, one after the other
FEW = 16  # workers that always have new rows from each other; more do
PAIR = 1000  # if these have as many bytes for each pair of them, or the pairs would take longer


class LostWorkerError(OSError):
    """A worker was lost that had tasks of a round."""


@dataclass
class Begun:
    """A round that has begun.

    ``depth`` is how many rounds its tasks are made of, one after the other, since what they need
    was sent to workers. ``era`` counts what had been lost when it began. ``copies`` stand for its
    answers, if these are rows that stay there.
    """

    mode: int
    function: Callable[..., Any]
    state: State
    args: Sequence[Any]
    round: Round | None = None
    era: int = 0
    depth: int = 0
    copies: dict[tuple[str, int], Copies] = field(default_factory=dict)


@dataclass(frozen=True)
class Copies:
    """What stands for an array that each worker has put together for itself."""

    depth: int
    by_worker: Mapping[str, Any]

    def near(self, worker: str) -> Any:
        """Return that of a worker, or of another one if it has none."""
        return self.by_worker.get(worker) or next(iter(self.by_worker.values()))


class OnCluster:
    """The shards of a fit on the workers of a cluster."""

    def __init__(
        self,
        client: Any,
        outline: _core.Plan,
        cuts: Sequence[ModeCut],
        shards: Sequence[list[Any]],
        patience: float,
        isa: str,
        workers: set[str] | None = None,
    ) -> None:
        self.client, self.outline, self.cuts = client, outline, cuts
        self.shards, self.patience, self.isa = shards, patience, isa
        self._sent: dict[tuple[str, int], Any] = {}
        self._known_groups: list[list[Group]] | None = None
        self._grouped: frozenset[str] = frozenset()  # the workers that there were then
        self._era = 0
        self._ended: list[Round] = []
        self._workers: set[str] = set() if workers is None else workers  # that were there before
        self._looked = 0.0

    def opened(self) -> OnCluster:
        """Return the same shards for another solver, which knows of the same workers."""
        return OnCluster(
            self.client, self.outline, self.cuts, self.shards, self.patience, self.isa,
            self._workers,
        )  # fmt: skip

    def hurry(self) -> None:
        """Wait for nothing longer than a few seconds from now on."""
        self.patience = min(self.patience, HURRY)

    def changed(self, what: str, part: int) -> None:
        """Send it anew when it is needed next."""
        self._sent.pop((what, part), None)

    def call(self, mode: int, function: Callable[..., Any], state: State, *args: Any) -> list[Any]:
        """Run a round; return its answers."""
        return self.answers(self.begin(mode, function, state, *args))

    def begin(self, mode: int, function: Callable[..., Any], state: State, *args: Any) -> Begun:
        """Begin a round; one that is lost at once is repeated when its answers are asked for."""
        begun = Begun(mode, function, state, args)
        with suppress(*losses()):
            self._look()
            self._submit_begun(begun)
        return begun

    def answers(self, begun: Begun) -> list[Any]:
        """Return the answers of a round, which begins anew if anything was lost since it began."""
        first = begun.round if begun.era == self._era else None

        def submit() -> Round:
            nonlocal first
            found, first = first or self._submit_begun(begun), None
            return found

        return self._repeated(submit, f"{begun.function.__name__}, mode {begun.mode}")

    def _submit_begun(self, begun: Begun) -> Round:
        begun.copies, begun.era = {}, self._era
        begun.round = self._round(begun.mode, begun.function, begun.state, begun.args)
        begun.depth = 1 + max(getattr(each, "depth", 0) for each in self._sent.values())
        return begun.round

    def stay(self, mode: int, begun: Begun, ended: Ended | None = None) -> bool:
        """Have each worker put a large factor together, from where its new rows lie.

        Dask keeps the recipes of all that these rows are made of, back to what was sent from here.
        So after some rounds everything is sent again.
        """
        rows, state = begun.state.factors[mode], begun.state
        if begun.round is None or begun.depth > DEEPEST or is_small(rows.nbytes):
            return False
        workers = sorted(begun.round.workers)
        if len(workers) > FEW and rows.nbytes < PAIR * len(workers) ** 2:
            return False
        if not begun.copies and workers:
            closed = [self.cuts[mode].shards[each].closed for each in chain(*begun.round.numbers)]
            for which in ("values", "variances")[: 2 if state.variances else 1]:
                told = (rows.shape, which, closed, ended, begun.round.futures)
                same = [[each] * len(workers) for each in told]
                name = f"{put_together.__name__}-{mode}"
                made = self._submit(name, put_together, *same, workers=workers)
                copies = Copies(begun.depth, dict(zip(workers, made, strict=True)))
                begun.copies[which, mode + 1] = copies
        self._sent.update(begun.copies)
        return bool(begun.copies)

    def _groups(self) -> list[list[Group]]:
        """Return which tasks work on which shards of each mode, and where."""
        if self._known_groups is not None and self._grouped == self._workers:
            return self._known_groups
        holders = holders_of(self.client, list(chain(*self.shards)))
        threads = threads_of(self.client)
        homes = [
            [next(iter(holders.get(shard.key, ())), NOWHERE) for shard in shards]
            for shards in self.shards
        ]
        groups = [groups_of(each, threads) for each in homes]
        if NOWHERE not in chain(*homes):
            self._known_groups, self._grouped = groups, frozenset(self._workers)
        return groups

    def keep(self, mode: int, function: Callable[..., Any], state: State) -> list[Any]:
        """Run a round whose answers stay where they are."""

        def again() -> Round:
            return self._round(mode, function, state, ())

        answers = Answers(again, again())
        return [Kept(answers, number) for number in range(len(self.shards[mode]))]

    def ask(self, kept: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        """Ask the workers that have answers for something small of them."""
        listed = spread(args, len(kept))
        first = True

        def asked() -> Round:
            nonlocal first
            if not first:
                for each in {id(each.answers): each.answers for each in kept}.values():
                    each.round = each.again()
            first = False
            futures, places, numbers = asked_of(kept)
            own = [[[arg[number] for number in some] for some in numbers] for arg in listed]
            same = [function] * len(futures)
            name = function.__name__
            workers = frozenset[str]().union(*(each.answers.round.workers for each in kept))
            asking = self._submit(name, answers_of, same, futures, places, *own)
            return Round(asking, numbers, workers)

        return self._repeated(asked, function.__name__) if kept else []

    def _require_workers(self, workers: Collection[str]) -> None:
        """Raise if a worker is gone that tasks were made for.

        Dask would give such a task to another one, with all its shards, one after the other made
        anew; in a new round each of these has a task of its own, and goes where there is room.
        """
        try:
            gone = set(workers) - threads_of(self.client).keys()
        except ClusterError as error:  # who waits has its own patience
            log.warning("%s", error)
            return
        if gone:
            raise LostWorkerError(f"the worker {min(gone)} is gone")

    def _round(
        self, mode: int, function: Callable[..., Any], state: State, args: Sequence[Any]
    ) -> Round:
        parts, weight = [state.core, *state.factors], state.charge.row_weight
        needed: dict[tuple[str, int], Any] = {
            ("values", part): array for part, array in enumerate(parts)
        }
        needed |= {("variances", part): array for part, array in enumerate(state.variances)}
        needed |= {("marks", mode + 1): state.marks}
        needed |= {} if weight is None else {("charge", mode + 1): weight}
        self._tell(needed)
        groups = self._groups()[mode]
        values, variances = (
            [[self._near(what, part, each.worker) for part in range(count)] for each in groups]
            for what, count in (("values", len(parts)), ("variances", len(state.variances)))
        )
        weights = None if weight is None else self._sent["charge", mode + 1]
        charge = dataclasses.replace(state.charge, row_weight=None)
        told = (self._sent["marks", mode + 1], charge, weights, state.isa, state.threads, *args)
        same = [[each] * len(groups) for each in told]
        shards = [[self.shards[mode][number] for number in each.numbers] for each in groups]
        futures = self._submit(
            f"{function.__name__}-{mode}", run_on, [function] * len(groups), shards, values,
            variances, *same,
        )  # fmt: skip
        workers = frozenset(each.worker for each in groups) - {NOWHERE}
        return Round(futures, [each.numbers for each in groups], workers)

    def _near(self, what: str, part: int, worker: str) -> Any:
        """Return what stands for an array in the tasks of a worker."""
        sent = self._sent[what, part]
        return sent.near(worker) if isinstance(sent, Copies) else sent

    def _submit(
        self, name: str, function: Callable[..., Any], *columns: Sequence[Any], **options: Any
    ) -> list[Any]:
        """Give tasks to the scheduler, and let go of the last round, whose answers are here.

        In this order: what is let go is told at once, and then Dask tells nothing for 10 ms.
        """
        futures = all_submitted(self.client, f"vest-{name}", function, *columns, **options)
        self._ended.clear()
        return futures

    def _tell(self, needed: Mapping[tuple[str, int], Any]) -> None:
        """Have what stands for arrays in a task: small ones themselves, large ones are sent."""
        large: dict[tuple[str, int], Any] = {}
        for which, array in needed.items():
            if which not in self._sent:
                told = np.array(array, order="C")  # the fit goes on to change its own
                (self._sent if is_small(told.nbytes) else large)[which] = told
        if large:
            nbytes = sum(each.nbytes for each in large.values())
            futures = all_sent(self.client, list(large.values()), nbytes, self.patience)
            if len(self._workers) > 2:  # of two, the other one fetches it as quickly
                hand_on(self.client, futures, nbytes)
            self._sent.update(zip(large, futures, strict=True))

    def _repeated(self, submit: Callable[[], Round], what: str) -> list[Any]:
        """Run a round again until it is complete; return its answers in order."""
        failed = 0
        while True:
            try:
                self._look()
                running = submit()
                look = functools.partial(self._require_workers, running.workers)
                answers = gathered(
                    self.client, running.futures, what, self.patience, at_work=True, look=look
                )
                self._ended.append(running)
                return running.in_order(answers)
            except losses() as error:  # noqa: PERF203 - rounds are few
                failed += not isinstance(error, LostWorkerError)
                if failed == TRIES or self.client.status != "running":
                    raise ClusterError(
                        f"{what}: {TRIES} rounds were lost, the last with {error!r}; look at "
                        f"{link_of(self.client)}"
                    ) from error
                log.warning("%s: repeated, for %s", what, str(error) or type(error).__name__)
                self._sent.clear()
                self._known_groups = None
                self._era += 1

    def _look(self) -> None:
        """Tell which workers came and went since the last look, and give shards to who has none.

        At the first look that may be one that joined while entries were read or sent.
        """
        if time.monotonic() - self._looked < LOOK:
            return
        self._looked = time.monotonic()
        threads = threads_of(self.client)
        gone, came = self._workers - threads.keys(), threads.keys() - self._workers
        for each in sorted(gone):
            log.warning("the worker %s is gone; what it had is made anew", each)
        # One that does not answer yet is asked again at the next look.
        new = sorted(same_builds(self.client, came, self.isa)) if came else []
        for each in new if self._workers else ():
            log.info("the worker %s has come", each)
        self._workers -= gone  # the set itself, which other solvers of these shards have
        self._workers |= set(new)
        if new:
            self._share_with(new, threads)

    def _share_with(self, new: Sequence[str], threads: Mapping[str, int]) -> None:
        """Give new workers without a shard of a mode as many, for their threads, as others have.

        No more are moved than there are; what is moved can be made anew from where it came from.
        """
        for shards in self.shards:
            holders = holders_of(self.client, shards)
            held: dict[str, list[int]] = {worker: [] for worker in threads}
            for number, shard in enumerate(shards):
                for worker in holders.get(shard.key, ())[:1]:
                    held.setdefault(worker, []).append(number)
            for each in [worker for worker in new if not held[worker]]:
                for number in _taken_over(held, each, threads):
                    shards[number] = self.client.submit(
                        moved, shards[number], key=f"vest-moved-{uuid4().hex}", pure=False,
                        workers=[each], allow_other_workers=True,
                    )  # fmt: skip


def _taken_over(
    held: Mapping[str, list[int]], new: str, threads: Mapping[str, int]
) -> Iterator[int]:
    """Take shards from whose threads have most of them, until those of new have about as many."""

    def a_thread(worker: str, more: int = 0) -> float:
        return (len(held[worker]) + more) / threads.get(worker, 1)

    while True:
        fullest = max(held, key=a_thread)
        if fullest == new or a_thread(fullest) <= a_thread(new, 1):
            return
        held[new].append(held[fullest].pop())
        yield held[new][-1]


def moved(shard: Any) -> Any:
    """Return a shard that has come to another worker."""
    return shard


def put_together(
    shape: tuple[int, int],
    which: str,
    closed: Sequence[slice],
    ended: Ended | None,
    new: Sequence[Sequence[NewRows]],
) -> Floats:
    """Return a factor, or its variances, of the new rows of all shards."""
    found = np.empty(shape)
    set_rows(found, which, closed, ended, list(chain(*new)))
    return found


def run_on(
    function: Callable[..., Any],
    shards: Sequence[Any],
    values: Sequence[Any],
    variances: Sequence[Any],
    marks: Any,
    charge: Any,
    weights: Any,
    isa: str,
    threads: int,
    *args: Any,
) -> list[Any]:
    """Call a function of some shards, on the worker that has them."""
    told = dataclasses.replace(charge, row_weight=weights)
    state = State(values[0], values[1:], variances, marks, told, isa, threads)
    return [function(shard, state, *args) for shard in shards]
