"""How much memory a fit takes, and whether it is there: told before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from vest_tucker import _core, checks
from vest_tucker.errors import NotEnoughMemoryError
from vest_tucker.options import check_threads, check_whole

GIB = 2**30


def estimate_memory(
    shape: Iterable[int], nnz: int, ranks: int | Iterable[int], *, threads: int = 0
) -> int:
    """Return the peak memory of a fit in bytes, the tensor itself included.

    Parameters
    ----------
    shape : sequence of int
        I_1, ..., I_N.
    nnz : int
        The number of observed entries.
    ranks : int or sequence of int
        J_1, ..., J_N.
    threads : int
        As for `fit`: sorting takes some memory per thread.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> gib = vt.estimate_memory((138_000, 27_000, 21, 24), 18_000_000, (6, 6, 2, 2)) / 2**30
    >>> 1 < gib < 4
    True
    """
    dims = checks.dimensions(shape)
    checked = checks.tucker_ranks(ranks, dims)
    entries = check_whole("nnz", nnz, at_least=1)
    return round(
        _core.estimate_memory(dims, entries, checked, threads=check_threads(threads))["peak"]
    )


def require(shape: tuple[int, ...], nnz: int, ranks: tuple[int, ...], threads: int) -> None:
    """Raise unless a fit's memory, beyond the tensor that is there already, is available."""
    bytes_ = _core.estimate_memory(shape, nnz, ranks, threads=threads)
    needed = bytes_["peak"] - bytes_["tensor"]
    there = available()
    if there is not None and needed > there:
        raise NotEnoughMemoryError(
            f"this fit needs about {needed / GIB:.1f} GiB but {there / GIB:.1f} GiB are available; "
            f"lower the ranks, fit fewer entries, or pass check_memory=False to try all the same"
        )


def available() -> int | None:
    """Return the bytes that can still be allocated without swapping; None where nobody tells."""
    limits = [limit for limit in (_meminfo(), _control_group()) if limit is not None]
    if limits:
        return min(limits)
    try:  # no /proc: all of the machine's memory is the best guess
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    kib = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return 1024 * kib[0] if kib else None


def _control_group() -> int | None:
    """Return what a container's limit leaves."""
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = ((group / f"memory.{name}").read_text("ascii") for name in ("max", "current"))
        return max(0, int(limit) - int(used))
    except (OSError, ValueError):  # no such limit, or "max"
        return None
