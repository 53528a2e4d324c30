"""Shards on the workers of a cluster, and calls that reach them.

A call is a round of short tasks, one for each shard, where the shard lies. What they need of the
state is sent when it has changed, large arrays once to every worker. The state itself is here, so a
round that is lost with a worker is repeated: the tasks change nothing, and give the same bits.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import ClusterError
from vest_tucker.dask.client import gathered, losses
from vest_tucker.dask.fitting.builds import same_builds
from vest_tucker.dask.fitting.handing import hand_on
from vest_tucker.dask.questions import holders_of, link_of, log, threads_of
from vest_tucker.dask.told import all_sent, is_small
from vest_tucker.fitting.shards.cut import ModeCut
from vest_tucker.fitting.shards.places import spread
from vest_tucker.fitting.shards.shard import State

TRIES = 8  # rounds until a cluster is given up
LOOK = 2.0  # seconds between two looks at which workers are there


@dataclass
class Kept:
    """An answer that stays on its worker, and how to get it again if it is lost."""

    future: Any
    number: int
    again: Callable[[], list[Any]]


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
        self._workers: set[str] = set() if workers is None else workers  # that were there before
        self._looked = 0.0

    def opened(self) -> OnCluster:
        """Return the same shards for another solver, which knows of the same workers."""
        return OnCluster(
            self.client, self.outline, self.cuts, self.shards, self.patience, self.isa,
            self._workers,
        )  # fmt: skip

    def changed(self, what: str, part: int) -> None:
        """Send it anew when it is needed next."""
        self._sent.pop((what, part), None)

    def call(self, mode: int, function: Callable[..., Any], state: State, *args: Any) -> list[Any]:
        """Run a round; return its answers."""
        what = f"{function.__name__}, mode {mode}"
        return self._repeated(lambda: self._round(mode, function, state, args), what)

    def keep(self, mode: int, function: Callable[..., Any], state: State) -> list[Any]:
        """Run a round whose answers stay where they are."""

        def again() -> list[Any]:
            return self._round(mode, function, state, ())

        return [Kept(future, number, again) for number, future in enumerate(again())]

    def ask(self, kept: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        """Ask the workers that have answers for something small of them."""
        listed = spread(args, len(kept))
        first = True

        def asked() -> list[Any]:
            nonlocal first
            if not first:
                for rounds in {id(each.again): each.again for each in kept}.values():
                    fresh = rounds()
                    for each in kept:
                        if each.again is rounds:
                            each.future = fresh[each.number]
            first = False
            return self._submit(
                function.__name__, function, [each.future for each in kept], *listed
            )

        return self._repeated(asked, function.__name__) if kept else []

    def _round(
        self, mode: int, function: Callable[..., Any], state: State, args: Sequence[Any]
    ) -> list[Any]:
        parts, weight = [state.core, *state.factors], state.charge.row_weight
        needed: dict[tuple[str, int], Any] = {
            ("values", part): array for part, array in enumerate(parts)
        }
        needed |= {("variances", part): array for part, array in enumerate(state.variances)}
        needed |= {("marks", mode + 1): state.marks}
        needed |= {} if weight is None else {("charge", mode + 1): weight}
        self._tell(needed)
        values, variances = (
            [self._sent[what, part] for part in range(count)]
            for what, count in (("values", len(parts)), ("variances", len(state.variances)))
        )
        marks, weights = self._sent["marks", mode + 1], None
        if weight is not None:
            weights = self._sent["charge", mode + 1]
        charge = dataclasses.replace(state.charge, row_weight=None)
        told = (values, variances, marks, charge, weights, state.isa, state.threads)
        shards = self.shards[mode]
        same = [[each] * len(shards) for each in (*told, *args)]
        return self._submit(
            f"{function.__name__}-{mode}", run_on, [function] * len(shards), shards, *same
        )

    def _submit(self, name: str, function: Callable[..., Any], *columns: list[Any]) -> list[Any]:
        """Hand a round of tasks to the scheduler in one message, for each takes it a while."""
        keys = [f"vest-{name}-{number}-{uuid4().hex}" for number in range(len(columns[0]))]
        futures: list[Any] = self.client.map(function, *columns, key=keys, pure=False)
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

    def _repeated(self, submit: Callable[[], list[Any]], what: str) -> list[Any]:
        """Run a round again until it is complete."""
        for attempt in range(1, TRIES + 1):
            try:
                self._look()
                return gathered(self.client, submit(), what, self.patience)
            except losses() as error:  # noqa: PERF203 - rounds are few
                if attempt == TRIES or self.client.status != "running":
                    raise ClusterError(
                        f"{what}: {TRIES} rounds were lost, the last with {error!r}; look at "
                        f"{link_of(self.client)}"
                    ) from error
                log.warning("%s: repeated, for %s", what, str(error) or type(error).__name__)
                self._sent.clear()
        raise AssertionError("a round ends or raises")

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


def run_on(
    function: Callable[..., Any],
    shard: Any,
    values: Sequence[Any],
    variances: Sequence[Any],
    marks: Any,
    charge: Any,
    weights: Any,
    isa: str,
    threads: int,
    *args: Any,
) -> Any:
    """Call a function of a shard, on the worker that has it."""
    told = dataclasses.replace(charge, row_weight=weights)
    state = State(values[0], values[1:], variances, marks, told, isa, threads)
    return function(shard, state, *args)
