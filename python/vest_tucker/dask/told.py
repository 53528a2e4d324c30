"""Arguments of tasks: small ones travel with each task, large ones are on their way once.

There are two kinds of large ones. What recipes depend on, as blocks do on labels that were given,
has a recipe itself: it goes to the scheduler, and can be made anew anywhere. What is sent anew
whenever it is lost, as the state of a fit, goes to a worker alone, and is gone with it.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from vest_tucker.base.errors import ClusterError
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.dask.client import PATIENCE
from vest_tucker.dask.questions import link_of, log, look_for_silence, while_looking

INLINE = 1 << 15  # bytes that may travel with a task
SENDING = 40.0  # seconds in which small things are sent
SLOWEST = 2e7  # bytes in a second that at least can be sent


def is_small(nbytes: int) -> bool:
    """Tell whether so many bytes may travel with each task."""
    return nbytes <= INLINE


def told(client: Any, what: Any, nbytes: int) -> Any:
    """Return what stands for an argument of tasks: itself if it is small, or else a future."""
    return what if is_small(nbytes) else given(client, what)


def given(client: Any, what: Any) -> Any:
    """Return a future of an argument that is made anew if the worker that has it is lost."""
    with warnings.catch_warnings():
        # Dask would rather have it scattered, whence nobody could get it again.
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        return client.submit(opened, Closed(what), key=f"vest-told-{uuid4().hex}", pure=False)


class Closed:
    """What Dask is to hand on as it is, for in lists and tuples it would look for tasks."""

    def __init__(self, what: Any) -> None:
        self.what = what


def opened(closed: Closed) -> Any:
    """Return what was told."""
    return closed.what


def sent(client: Any, what: Any, nbytes: int, patience: float = PATIENCE) -> Any:
    """Return a future of an argument of tasks; the rest is as for `all_sent`."""
    return all_sent(client, [what], nbytes, patience)[0]


def all_sent(
    client: Any, several: Sequence[Any], nbytes: int, patience: float = PATIENCE
) -> list[Any]:
    """Return futures of arguments of tasks, each of which one worker is given.

    The others have it from there when they need it. It is lost with that worker: whoever asks for
    it must be able to send it again. ``nbytes`` is the size of all together.
    """
    limit = SENDING + 2.0 * nbytes / SLOWEST  # to the scheduler, and from there
    since = time.monotonic()

    async def sending() -> list[Any]:
        # Never with broadcast=True: its loop has no end where a worker falls silent meanwhile, and
        # holds a lock that all others wait for.
        return list(await while_looking(client, client.scatter(list(several), hash=False)))

    while True:
        RUNNING.check()
        try:
            return list(client.sync(sending, callback_timeout=min(limit, patience)))
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:  # a worker is lost just now
            if time.monotonic() - since > patience:
                raise ClusterError(
                    f"{nbytes:,} bytes could not be sent to the workers for {patience:g} seconds: "
                    f"{error!r}; look at {link_of(client)}"
                ) from error
            log.warning("sending %s bytes: again, for %r", f"{nbytes:,}", error)
            look_for_silence(client)
