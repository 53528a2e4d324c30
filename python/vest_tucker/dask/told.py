"""Arguments of tasks: small ones travel with each task, large ones once to every worker."""

from __future__ import annotations

from typing import Any

from vest_tucker.dask.client import sent

INLINE = 1 << 15  # bytes that may travel with a task


def told(client: Any, what: Any, nbytes: int, patience: float) -> Any:
    """Return what stands for an argument of many tasks: itself, if it is small."""
    return what if nbytes <= INLINE else sent(client, what, nbytes, patience)
