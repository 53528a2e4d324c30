"""The cluster in use, and waiting for it: every wait has a limit, and says what it waits for."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from vest_tucker.base.errors import ClusterError, OptionError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.interrupts import RUNNING

LOOK = 5.0  # seconds between two looks at what is missing
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


def gathered(
    client: Any, futures: Sequence[Any], what: str, patience: float = PATIENCE
) -> list[Any]:
    """Return the results of tasks; raise if nothing comes back for ``patience`` seconds.

    Errors of tasks are raised as they are. Only small results may be asked for.
    """
    wait_for(client, futures, what, patience)
    from distributed import TimeoutError as TooLate

    try:
        found = client.sync(
            lambda: client.gather(list(futures), asynchronous=True), callback_timeout=patience
        )
    except (TooLate, TimeoutError) as error:
        raise _stalled(client, futures, what, patience) from error
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
            continue
        return


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
