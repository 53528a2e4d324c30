"""Questions to workers and scheduler that take no time: each has a limit, and says what it is.

One of them is who is still there. A worker whose process ends is known to be lost at once. One
whose network is cut says nothing, and Dask by itself waits for minutes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from vest_tucker.base.errors import ClusterError

ASKED = 30.0  # seconds in which workers and scheduler must answer a question that takes no time
LOOK = 1.0  # seconds between two looks at what is missing, and at who is there
SILENT = 5.0  # seconds after which a worker that says nothing is told of,
GONE = 8.0  # after which it counts as lost if its machine does not answer either,
STUCK = 60.0  # and after which it counts as lost even if that answers
ANSWER = 1.0  # seconds in which a machine answers
NO_LINK = "its dashboard"
log = logging.getLogger("vest_tucker")
_links: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # of clients to their dashboards
_alone: WeakSet[Any] = WeakSet()  # clients whose scheduler has no vest-tucker


async def while_looking(client: Any, waited_for: Awaitable[Any]) -> Any:
    """Wait for something where the client runs, and meanwhile look whether all are still there."""
    task = asyncio.ensure_future(waited_for)
    try:
        while not (await asyncio.wait([task], timeout=LOOK))[0]:
            await tell_of_silence(client)
        return task.result()
    finally:
        task.cancel()


def asked(
    client: Any,
    question: Callable[[], Any],
    what: str,
    limit: float | None = None,
    *,
    looking: bool = True,
) -> Any:
    """Return the answer to a question to the cluster; raise if there is none in time.

    ``question`` is called where the client runs, and what it returns is awaited; meanwhile workers
    that have been lost are looked for.
    """
    limit = ASKED if limit is None else limit
    require_open(client)

    async def there() -> Any:
        return await (while_looking(client, question()) if looking else question())

    try:
        return client.sync(there, callback_timeout=limit)
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise ClusterError(
            f"the cluster has not answered for {limit:g} seconds while {what}; look at "
            f"{link_of(client)}"
        ) from error


def require_open(client: Any) -> None:
    """Raise if a client, or the cluster that it was connected to, has been closed."""
    if client.status in ("closed", "closing") or client.scheduler is None:
        raise ClusterError(
            "the cluster has been closed, or the client that was connected to it, and what lay "
            "there is gone: connect to one that runs, and make the tensor anew"
        )


def link_of(client: Any) -> str:
    """Return where to look at a cluster, as it was told when the client was first used."""
    return _links.get(client, NO_LINK)


def keep_link(client: Any) -> None:
    """Ask for the link to the dashboard, once: who has a message to write may get no answer."""
    from distributed.utils import format_dashboard_link

    if client in _links:
        return
    if client.cluster is not None:
        link = getattr(client.cluster, "dashboard_link", "")
    else:
        told = asked(client, client.scheduler.identity, "asking for its dashboard")
        port = told.get("services", {}).get("dashboard")
        protocol, _, rest = client.scheduler.address.partition("://")
        host = "localhost" if protocol == "inproc" else rest.rpartition(":")[0]
        link = format_dashboard_link(host, port) if port else ""
    _links[client] = link or NO_LINK


def threads_of(client: Any, limit: float | None = None) -> dict[str, int]:
    """Return the threads of each worker."""
    return dict(asked(client, client.nthreads, "asking which workers are there", limit))


def in_turns(threads: Mapping[str, int]) -> list[str]:
    """Return each worker as often as it has threads, in turns, so that all begin beside each other.

    Examples
    --------
    >>> in_turns({"one": 1, "two": 2})
    ['one', 'two', 'two']
    """
    turns = range(max(threads.values()))
    return [worker for turn in turns for worker, own in threads.items() if turn < own]


async def on_scheduler(client: Any, function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function says on the scheduler; None if it cannot run there."""
    try:
        return await client.run_on_scheduler(function, *args)
    except ImportError as error:
        if client not in _alone:
            _alone.add(client)
            log.warning("install vest-tucker where the scheduler runs, too: %r", error)
    except (OSError, ValueError) as error:
        log.warning("the scheduler did not answer: %r", error)
    return None


def of_each_worker(
    client: Any,
    function: Callable[..., Any],
    what: str,
    workers: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return what a quick function says on each worker: an exception if it failed there.

    Workers that do not answer in time are left out, for one may be lost just now. By default all
    are asked.
    """
    workers = threads_of(client) if workers is None else workers

    async def one(address: str) -> tuple[str, Any]:
        try:
            answer = client.run(function, workers=[address], on_error="return")
            found = await asyncio.wait_for(answer, ASKED / 2.0)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            return address, error
        return address, found.get(address)

    async def every() -> dict[str, Any]:
        return dict(await asyncio.gather(*map(one, workers)))

    found = {}
    for address, answer in asked(client, every, what).items():
        if isinstance(answer, OSError | TimeoutError | asyncio.TimeoutError):  # also of Dask itself
            log.warning("%s: the worker %s did not answer: %r", what, address, answer)
        elif answer is not None:
            found[address] = answer
    return found


def holders_of(client: Any, futures: Sequence[Any]) -> dict[str, Any]:
    """Return which workers have each of some results, by key."""
    found: dict[str, Any] = asked(
        client, lambda: client.who_has(futures), "asking where results are"
    )
    return found


def look_for_silence(client: Any) -> None:
    """Tell of workers that have not been heard of; after a while they count as lost.

    A worker whose process ends is known to be lost at once. One whose network is cut says nothing,
    and Dask by itself waits for minutes. All workers of the scheduler are looked at, for tasks may
    go to any of them, and what is sent goes to all.
    """
    try:
        asked(
            client, lambda: tell_of_silence(client), "asking which workers it has heard of",
            looking=False,
        )  # fmt: skip
    except ClusterError as error:
        log.warning("%s", error)


async def tell_of_silence(client: Any) -> None:
    """Do the same where the client runs."""
    silent = await on_scheduler(client, drop_silent, GONE, STUCK)
    for address, (seconds, is_gone) in (silent or {}).items():
        if is_gone:
            log.warning("the worker %s has said nothing for %.0f s: given up", address, seconds)
        elif seconds > SILENT:
            log.warning("the worker %s has said nothing for %.0f s", address, seconds)


async def drop_silent(
    after: float, at_last: float, dask_scheduler: Any = None
) -> dict[str, tuple[float, bool]]:
    """Return for how long each worker has said nothing; remove those that are lost.

    A worker may be too busy to say anything, as one that sorts a million words: then its machine
    still answers, and it is lost only ``at_last``.
    """
    now = time.time()
    found = {}
    for address, each in list(dask_scheduler.workers.items()):
        seconds = now - each.last_seen
        is_gone = seconds > at_last or (seconds > after and not await _answers(address))
        found[str(address)] = seconds, is_gone
        if is_gone:
            await dask_scheduler.remove_worker(address, stimulus_id=f"silent-{now}")
    return found


async def _answers(address: str) -> bool:
    """Tell whether there is a machine, and a process that listens, at an address."""
    from distributed.comm import get_address_host_port

    try:
        host, port = get_address_host_port(address)
    except (ValueError, NotImplementedError):  # a thread of this process
        return True
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), ANSWER)
    except (OSError, asyncio.TimeoutError):
        return False
    writer.close()
    return True
