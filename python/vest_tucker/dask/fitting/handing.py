"""Arrays that a worker has, handed on to all: like a tree, whoever has one gives it to two others.

It only saves time, for a task whose worker has not been given an array fetches it. So whoever does
not answer within seconds is left out, and what fails is not tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from vest_tucker.base.errors import ClusterError
from vest_tucker.dask.questions import ASKED, asked, log, on_scheduler
from vest_tucker.dask.told import SLOWEST

FEEDS = 2  # workers that a worker gives an array to in a step
STEP = 5.0  # seconds of a step of small arrays
STEPS = 12  # of which 3¹² workers have it


def hand_on(client: Any, futures: Sequence[Any], nbytes: int) -> None:
    """Have all running workers given results that some have; ``nbytes`` is the size of all."""
    keys, limit = [each.key for each in futures], STEP + nbytes / SLOWEST
    try:
        left_out = asked(
            client, lambda: on_scheduler(client, handed_on, keys, limit), "handing arrays on",
            ASKED + STEPS * limit,
        )  # fmt: skip
    except ClusterError as error:
        log.warning("arrays are fetched by each task: %s", error)
        return
    for address in left_out or ():
        log.warning("the worker %s has not taken an array in time; it is left out", address)


async def handed_on(keys: Sequence[str], limit: float, dask_scheduler: Any = None) -> list[str]:
    """Hand results on, step by step; return the workers that were left out.

    Runs where the scheduler does, and holds none of its locks.
    """
    left_out: set[str] = set()
    for _ in range(STEPS):
        gathers = next_step(dask_scheduler, keys, left_out)
        if not gathers:
            break
        came = await asyncio.gather(
            *(_given(dask_scheduler, each, gathers[each], limit) for each in gathers),
            return_exceptions=True,
        )
        left_out |= {each for each, well in zip(gathers, came, strict=True) if well is not True}
    return sorted(left_out)


def next_step(
    scheduler: Any, keys: Sequence[str], left_out: Collection[str]
) -> Mapping[str, dict[str, list[str]]]:
    """Say which workers are given what next, and by whom."""
    running = [each.address for each in scheduler.running if each.address not in left_out]
    found: dict[str, dict[str, list[str]]] = {}
    for number, key in enumerate(keys):
        task = scheduler.tasks.get(key)
        have = {each.address for each in (task and task.who_has) or ()}
        holders = sorted(have.difference(left_out))
        missing = sorted(set(running) - have)
        first = number % max(1, len(missing))  # not the same worker for all of them
        some = [*missing[first:], *missing[:first]][: FEEDS * len(holders)]
        for place, worker in enumerate(some):
            found.setdefault(worker, {})[key] = [holders[place % len(holders)]]
    return found


async def _given(
    scheduler: Any, worker: str, who_has: Mapping[str, list[str]], limit: float
) -> bool:
    """Have a worker fetch what others have; tell whether all came in time."""
    failed = await asyncio.wait_for(scheduler.gather_on_worker(worker, who_has), limit)
    return not failed
