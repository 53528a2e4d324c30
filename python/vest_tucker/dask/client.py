"""The cluster in use, and waiting for it: every wait has a limit, and says what it waits for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from vest_tucker.base.errors import ClusterError, OptionError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.dask.questions import LOOK, asked, log, look_for_silence, while_looking

TELL = 5.0  # seconds between two lines in the log
LATE = 5.0  # and after which results that are there are asked for again
SENDING = 40.0  # seconds in which small things are sent
SLOWEST = 2e7  # bytes in a second that at least can be sent
PATIENCE = 300.0  # seconds in which something must come back


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


def workers_of(client: Any, patience: float = PATIENCE) -> dict[str, int]:
    """Return the threads of each worker; wait until there is one, for all may be lost just now."""
    since = time.monotonic()
    while not (threads := client.nthreads()):
        RUNNING.check()
        if time.monotonic() - since > patience:
            raise ClusterError(
                f"the cluster has had no worker for {patience:g} seconds; add some, and call again"
            )
        time.sleep(LOOK / 4.0)
    found: dict[str, int] = dict(threads)
    return found


def losses() -> tuple[type[BaseException], ...]:
    """Return the errors of tasks that were lost with a worker, and may be asked for again."""
    import distributed

    return (
        distributed.scheduler.KilledWorker, distributed.CancelledError,
        distributed.client.FutureCancelledError, distributed.comm.CommClosedError,
        distributed.TimeoutError, OSError,
    )  # fmt: skip


def gathered(
    client: Any,
    futures: Sequence[Any],
    what: str,
    patience: float = PATIENCE,
    *,
    at_work: bool = False,
) -> list[Any]:
    """Return the results of tasks; raise if nothing comes back for ``patience`` seconds.

    Errors of tasks are raised as they are. Only small results may be asked for. ``at_work`` is as
    for `wait_for`.
    """
    wait_for(client, futures, what, patience, at_work=at_work)
    from distributed import TimeoutError as TooLate

    since, limit = time.monotonic(), LATE

    async def gathering() -> Any:
        return await while_looking(client, client.gather(list(futures)))

    while True:
        try:
            found = client.sync(gathering, callback_timeout=min(limit, patience))
        except (TooLate, TimeoutError) as error:
            if any(future.status == "error" for future in futures):
                raise  # of a task, such as one whose store did not answer: nobody is late
            if time.monotonic() - since > patience:
                raise _stalled(client, futures, what, patience) from error
            log.warning("%s: results have not come for %.0f s", what, time.monotonic() - since)
            look_for_silence(client)
            wait_for(client, futures, what, patience, at_work=at_work)
            limit *= 2.0  # they may be large
            continue
        return list(found)


def wait_for(
    client: Any,
    futures: Sequence[Any],
    what: str,
    patience: float = PATIENCE,
    *,
    at_work: bool = False,
) -> None:
    """Wait until all tasks have ended, well or not, while some do so every ``patience`` seconds.

    With ``at_work`` tasks may take any time, as long as workers that are there work on them.
    """
    import distributed

    done, since, told = -1, time.monotonic(), time.monotonic()
    while True:
        RUNNING.check()
        try:
            distributed.wait(list(futures), timeout=min(LOOK, patience))
        except (distributed.TimeoutError, TimeoutError):
            now = sum(future.done() for future in futures)
            if now > done or (at_work and _are_worked_on(client, futures)):
                done, since = now, time.monotonic()
            elif time.monotonic() - since > patience:
                raise _stalled(client, futures, what, patience) from None
            if time.monotonic() - told > TELL and not at_work:
                told = time.monotonic()
                log.warning("%s", _waiting(client, futures, what))
            look_for_silence(client)
            continue
        return


def _are_worked_on(client: Any, futures: Sequence[Any]) -> bool:
    """Tell whether a worker that is there has been given one of the tasks."""
    lists = asked(client, client.processing, "asking what workers do")
    wanted = {future.key for future in futures}
    return any(not wanted.isdisjoint(keys) for keys in lists.values())


def copied(client: Any, futures: Sequence[Any], patience: float = PATIENCE) -> None:
    """Have each result on two workers, so that losing one of them costs less time."""
    try:
        asked(client, lambda: client.replicate(list(futures), n=2), "copying results", patience)
    except (OSError, ClusterError) as error:
        log.warning("results are on one worker alone: %r", error)


def sent(
    client: Any, what: Any, nbytes: int, patience: float = PATIENCE, *, to_all: bool = True
) -> Any:
    """Return a future of an argument of tasks; the rest is as for `all_sent`."""
    return all_sent(client, [what], nbytes, patience, to_all=to_all)[0]


def all_sent(
    client: Any,
    several: Sequence[Any],
    nbytes: int,
    patience: float = PATIENCE,
    *,
    to_all: bool = True,
) -> list[Any]:
    """Return futures of arguments of tasks, which every worker is given once.

    Each goes from here to one worker, and from there like a tree: who has it hands it on. Without
    ``to_all`` the others have it when they need it. ``nbytes`` is the size of all together.
    """
    limit = SENDING + nbytes * (1 + len(client.nthreads())) / SLOWEST
    since = time.monotonic()

    async def sending() -> list[Any]:
        scatter = client.scatter(list(several), broadcast=to_all, hash=False)
        return list(await while_looking(client, scatter))

    while True:
        RUNNING.check()
        try:
            return list(client.sync(sending, callback_timeout=min(limit, patience)))
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:  # a worker is lost just now
            if time.monotonic() - since > patience:
                raise ClusterError(
                    f"{nbytes:,} bytes could not be sent to the workers for {patience:g} seconds: "
                    f"{error!r}; look at {client.dashboard_link}"
                ) from error
            log.warning("sending %s bytes: again, for %r", f"{nbytes:,}", error)
            look_for_silence(client)


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


def cancelled_here() -> Callable[[], bool]:
    """Return what tells whether the task that runs in this thread was cancelled meanwhile."""
    import distributed

    worker = distributed.get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return unwanted
