"""The cluster in use, and waiting for it: every wait has a limit, and says what it waits for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any

from vest_tucker.base.errors import ClusterError, OptionError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.interrupts import RUNNING

LOOK = 3.0  # seconds between two looks at what is missing
SILENT = 7.0  # seconds after which a worker that says nothing is told of,
GONE = 20.0  # and after which it counts as lost
SLOWEST = 2e7  # bytes in a second that at least can be sent
PATIENCE = 300.0  # seconds in which something must come back
log = logging.getLogger("vest_tucker")


def client_of(client: Any = None) -> Any:
    """Return the client given, or the one that this process has made last."""
    with needed_for("a tensor on a cluster", "dask"):
        import distributed
    if client is None:
        try:
            client = distributed.default_client()
        except ValueError as error:
            raise ClusterError(
                "there is no cluster yet; make one first, as client = dask.distributed.Client(), "
                "or give client="
            ) from error
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise OptionError(
            f"client must be a dask.distributed.Client that is not asynchronous, but is a "
            f"{type(client).__name__}"
        )
    return client


def wanted(client: Any, key: str) -> Any:
    """Return a future of a task that the cluster knows; a task that needs it has it made anew."""
    import distributed

    return distributed.Future(key, client)


def gathered(
    client: Any, futures: Sequence[Any], what: str, patience: float = PATIENCE
) -> list[Any]:
    """Return the results of tasks; raise if nothing comes back for ``patience`` seconds.

    Errors of tasks are raised as they are. Only small results may be asked for.
    """
    wait_for(client, futures, what, patience)
    from distributed import TimeoutError as TooLate

    since, limit = time.monotonic(), SILENT
    while True:
        try:
            found = client.sync(
                lambda: client.gather(list(futures), asynchronous=True),
                callback_timeout=min(limit, patience),
            )
        except (TooLate, TimeoutError) as error:
            if any(future.status == "error" for future in futures):
                raise  # of a task, such as one whose store did not answer: nobody is late
            if time.monotonic() - since > patience:
                raise _stalled(client, futures, what, patience) from error
            log.warning("%s: results have not come for %.0f s", what, time.monotonic() - since)
            look_for_silence(client)
            wait_for(client, futures, what, patience)
            limit *= 2.0  # they may be large
            continue
        return list(found)


def wait_for(client: Any, futures: Sequence[Any], what: str, patience: float = PATIENCE) -> None:
    """Wait until all tasks have ended, well or not, while some do so every ``patience`` seconds."""
    import distributed

    done, since = -1, time.monotonic()
    while True:
        RUNNING.check()
        try:
            distributed.wait(list(futures), timeout=min(LOOK, patience))
        except (distributed.TimeoutError, TimeoutError):
            now = sum(future.done() for future in futures)
            if now > done:
                done, since = now, time.monotonic()
            elif time.monotonic() - since > patience:
                raise _stalled(client, futures, what, patience) from None
            else:
                log.warning("%s", _waiting(client, futures, what))
            look_for_silence(client)
            continue
        return


def sent(client: Any, what: Any, nbytes: int, patience: float = PATIENCE) -> Any:
    """Return a future of an argument of tasks, which is sent to every worker once."""
    limit = 2.0 * GONE + nbytes * (1 + len(client.nthreads())) / SLOWEST
    since = time.monotonic()
    while True:
        RUNNING.check()
        try:
            return client.sync(
                lambda: client.scatter([what], broadcast=True, hash=False, asynchronous=True),
                callback_timeout=min(limit, patience),
            )[0]
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:  # a worker is lost just now
            if time.monotonic() - since > patience:
                raise ClusterError(
                    f"an array of {nbytes:,} bytes could not be sent to the workers for "
                    f"{patience:g} seconds: {error!r}; look at {client.dashboard_link}"
                ) from error
            log.warning("sending %s bytes: again, for %r", f"{nbytes:,}", error)
            look_for_silence(client)


def look_for_silence(client: Any) -> None:
    """Tell of workers that have not been heard of; after a while they count as lost.

    A worker whose process ends is known to be lost at once. One whose network is cut says nothing,
    and Dask by itself waits for minutes.
    """
    try:
        silent = client.run_on_scheduler(drop_silent, GONE)
    except (OSError, TimeoutError, asyncio.TimeoutError, ValueError) as error:
        log.warning("the scheduler did not say which workers it has heard of: %r", error)
        return
    for address, seconds in silent.items():
        if seconds > GONE:
            log.warning("the worker %s has said nothing for %.0f s: given up", address, seconds)
        elif seconds > SILENT:
            log.warning("the worker %s has said nothing for %.0f s", address, seconds)


async def drop_silent(after: float, dask_scheduler: Any = None) -> dict[str, float]:
    """Return for how long each worker has said nothing; remove those that are lost."""
    now = time.time()
    silent = {str(each.address): now - each.last_seen for each in dask_scheduler.workers.values()}
    for address, seconds in silent.items():
        if seconds > after:
            await dask_scheduler.remove_worker(address, stimulus_id=f"silent-{now}")
    return silent


def _waiting(client: Any, futures: Sequence[Any], what: str) -> str:
    """Say what is missing, and who works on it."""
    missing = sum(not future.done() for future in futures)
    workers = client.nthreads() if client.status == "running" else {}
    there = f"{len(workers)} workers are there" if workers else "no worker is there"
    return f"{what}: {missing:,} of {len(futures):,} tasks have not come back yet; {there}"


def _stalled(client: Any, futures: Sequence[Any], what: str, patience: float) -> ClusterError:
    return ClusterError(
        f"nothing has come back from the cluster for {patience:g} seconds while "
        f"{_waiting(client, futures, what)}; look at {client.dashboard_link}, add workers, or give "
        f"a larger patience="
    )
