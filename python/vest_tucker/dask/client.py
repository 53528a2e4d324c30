"""The cluster in use, its settings, and waiting for it.

Every wait has a limit, and says what it waits for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from vest_tucker.base.errors import ClusterError, OptionError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.dask.questions import (
    ASKED,
    LOOK,
    keep_link,
    link_of,
    log,
    look_for_silence,
    of_each_worker,
    require_open,
    threads_of,
    while_looking,
)

TELL = 5.0  # seconds between two lines in the log,
TELL_AT_WORK = 60.0  # and where tasks may take any time
LATE = 5.0  # seconds after which results that are there are asked for again,
LATER = 4.0  # and times as many after which they are once more
SOON = 5.0  # seconds in which the scheduler must answer for a line in the log
UNDER_WAY = ("waiting", "ready", "constrained", "executing", "long-running")  # in words of Dask
UNANSWERED = 4.0 * ASKED  # seconds in which nobody says whether tasks are worked on
PATIENCE = 300.0  # seconds in which something must come back

# What Dask had best be told before a cluster starts that fits models. It looks at every thread a
# hundred times a second, and at itself some fifty times; a fit keeps all threads busy, so each look
# takes time from it. And an idle worker would take the task of another, with a copy of its shards.
SETTINGS: Mapping[str, object] = MappingProxyType(
    {
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.scheduler.work-stealing": False,
    }
)


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
    keep_link(client)
    return client


def wanted(client: Any, key: str) -> Any:
    """Return a future of a task that the cluster knows; a task that needs it has it made anew."""
    import distributed

    return distributed.Future(key, client)


def all_submitted(
    client: Any,
    name: str,
    function: Callable[..., Any],
    *columns: Sequence[Any],
    workers: Sequence[str] = (),
) -> list[Any]:
    """Return futures of a function of each row of some columns.

    All go to the scheduler in one message, for each message takes it a while. ``workers`` are where
    the tasks had best run.
    """
    import dask

    keys = [f"{name}-{number}-{uuid4().hex}" for number in range(len(columns[0]))]
    where = dict(zip(keys, workers, strict=True)) if workers else {}
    told = {"workers": where.__getitem__, "allow_other_workers": True} if where else {}
    with dask.annotate(**told):
        futures: list[Any] = client.map(function, *columns, key=keys, pure=False)
    return futures


def workers_of(client: Any, patience: float = PATIENCE) -> dict[str, int]:
    """Return the threads of each worker; wait until there is one, for all may be lost just now."""
    since = time.monotonic()
    while not (threads := threads_of(client)):
        RUNNING.check()
        if time.monotonic() - since > patience:
            raise ClusterError(
                f"the cluster has had no worker for {patience:g} seconds; add some, and call again"
            )
        time.sleep(LOOK / 4.0)
    return threads


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
    look: Callable[[], None] | None = None,
) -> list[Any]:
    """Return the results of tasks; raise if nothing comes back for ``patience`` seconds.

    Errors of tasks are raised as they are. Only small results may be asked for. ``at_work`` and
    ``look`` are as for `wait_for`.
    """
    require_open(client)
    wait_for(client, futures, what, patience, at_work=at_work, look=look)
    from distributed import TimeoutError as TooLate

    since, limit = time.monotonic(), LATE

    async def gathering() -> Any:
        return await while_looking(client, client.gather(list(futures)))

    while True:
        try:
            return list(client.sync(gathering, callback_timeout=limit))
        except (TooLate, TimeoutError) as error:  # noqa: PERF203 - it is rare
            if any(future.status == "error" for future in futures):
                raise  # of a task, such as one whose store did not answer: nobody is late
            if limit >= patience:
                raise _stalled(client, futures, what, patience) from error
            log.warning("%s: results have not come for %.0f s", what, time.monotonic() - since)
            look_for_silence(client)
            wait_for(client, futures, what, patience, at_work=at_work, look=look)
            # They may be large, and all of them come anew: the last time has the whole patience.
            limit = min(LATER * limit, patience)


def wait_for(
    client: Any,
    futures: Sequence[Any],
    what: str,
    patience: float = PATIENCE,
    *,
    at_work: bool = False,
    look: Callable[[], None] | None = None,
) -> None:
    """Wait until all tasks have ended, well or not, while some do so every ``patience`` seconds.

    With ``at_work`` tasks may take any time, as long as workers that are there work on them.
    ``look`` is called each second, and may raise.
    """
    import distributed

    done, since, told = -1, time.monotonic(), time.monotonic()
    every = TELL_AT_WORK if at_work else TELL
    while True:
        RUNNING.check()
        try:
            distributed.wait(list(futures), timeout=min(LOOK, patience))
        except (distributed.TimeoutError, TimeoutError):
            now, limit = sum(future.done() for future in futures), patience
            quiet = 0.0 if now > done else time.monotonic() - since
            if at_work and quiet > patience / 2.0:
                worked_on = _are_worked_on(client, futures)
                quiet = 0.0 if worked_on else quiet
                limit += UNANSWERED if worked_on is None else 0.0
            if not quiet:
                since = time.monotonic()
            elif quiet > limit:
                raise _stalled(client, futures, what, patience) from None
            done = now  # which is less where a lost worker has taken results along
            if time.monotonic() - told > every:
                told = time.monotonic()
                log.warning("%s", _waiting(client, futures, what))
            look_for_silence(client)
            if look is not None:
                look()
            continue
        return


def _are_worked_on(client: Any, futures: Sequence[Any]) -> bool | None:
    """Tell whether a worker that is there works on one of the tasks; None if nobody answers."""
    wanted = {future.key for future in futures}
    try:
        answers = of_each_worker(client, work_of, "asking what workers do")
    except ClusterError as error:
        log.warning("%s", error)
        return None
    return any(not wanted.isdisjoint(keys) for keys in answers.values() if isinstance(keys, list))


def work_of(dask_worker: Any) -> list[Any]:
    """Return the tasks of a worker that come to an end by themselves.

    A worker that is paused, as it is when it has little memory left, ends what runs and begins
    nothing: what else was given to it waits for ever.
    """
    state = dask_worker.state
    if dask_worker.status.name == "running":
        return [each.key for each in state.tasks.values() if each.state in UNDER_WAY]
    return [each.key for each in (*state.executing, *state.long_running)]


def _waiting(client: Any, futures: Sequence[Any], what: str) -> str:
    """Say what is missing, and who works on it."""
    missing = sum(not future.done() for future in futures)
    return f"{what}: {missing:,} of {len(futures):,} tasks have not come back yet; {_there(client)}"


def _there(client: Any) -> str:
    """Say how many workers are there."""
    try:
        workers = threads_of(client, SOON) if client.status == "running" else {}
    except ClusterError:  # what is told of must be told even then
        return "the scheduler does not answer"
    return f"{len(workers)} workers are there" if workers else "no worker is there"


def _stalled(client: Any, futures: Sequence[Any], what: str, patience: float) -> ClusterError:
    return ClusterError(
        f"nothing has come back from the cluster for {patience:g} seconds while "
        f"{_waiting(client, futures, what)}; look at {link_of(client)}, add workers, or give "
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
