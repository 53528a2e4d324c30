"""How much memory a fit takes, and whether that is available, before anything is allocated."""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, overload

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.errors import NotEnoughMemoryError
from vest_tucker.base.options import (
    ALLOCATIONS,
    Allocation,
    check_allocation,
    check_flag,
    check_threads,
    check_whole,
)
from vest_tucker.base.parts import part_sizes
from vest_tucker.base.public import public

GIB = 2**30
LARGEST = 2**62  # bytes that no array has
BASE = 0.2e6  # bytes that a fit of next to nothing takes
NUMBER = 8  # bytes
IN_PYTHON = 1.0  # arrays of a number for each entry that Python makes beside the core
IN_OFFSETS = 4.0  # and while it takes off what single rows explain
WORKER = 0.17e9  # bytes of a worker that has nothing yet: Python, Dask and Arrow
DRIVER = 0.22e9  # and of the process that drives it, with a scheduler
HOLES = 1.1  # times the memory in use that a worker has: what allocators keep between arrays
TOLD = 3.0  # copies of the model that a fit on a cluster has in a place: old, new, on their way
SHARD = 1 << 21  # entries that a worker puts together and sorts at a time
CONTROL_GROUP = Path("/sys/fs/cgroup")


class ClusterMemory(NamedTuple):
    """Peak bytes of a fit on a cluster: of each worker, and of the process that drives it."""

    worker: int
    driver: int


@overload
def estimate_memory(
    shape: Iterable[int],
    nnz: int,
    ranks: int | Iterable[int],
    *,
    threads: int = 0,
    allocation: Allocation = "per_matrix",
    weighted: bool = False,
    workers: None = None,
) -> int: ...


@overload
def estimate_memory(
    shape: Iterable[int],
    nnz: int,
    ranks: int | Iterable[int],
    *,
    threads: int = 0,
    allocation: Allocation = "per_matrix",
    weighted: bool = False,
    workers: int,
) -> ClusterMemory: ...


@public
def estimate_memory(
    shape: Iterable[int],
    nnz: int,
    ranks: int | Iterable[int],
    *,
    threads: int = 0,
    allocation: Allocation = "per_matrix",
    weighted: bool = False,
    workers: int | None = None,
) -> int | ClusterMemory:
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
    allocation : {"per_matrix", "global"}
        As for `fit`: "global" ranks the elements of all parts at once, which takes more memory.
    weighted : bool
        Whether the entries have weights.
    workers : int, optional
        For a fit on a cluster of so many workers of one thread each: what it takes ``worker`` by
        worker, and what its ``driver`` takes, which has the model but not the entries. A plain call
        draws entries to hold out on the driver, which takes ten bytes more for each entry.

    Returns
    -------
    int or ClusterMemory

    Examples
    --------
    >>> import vest_tucker as vt
    >>> gib = vt.estimate_memory((138_000, 27_000, 21, 24), 18_000_000, (6, 6, 2, 2)) / 2**30
    >>> 1 < gib < 4
    True
    >>> each = vt.estimate_memory((138_000, 27_000, 21, 24), 10**9, (6, 6, 2, 2), workers=16)
    >>> each.driver < each.worker < 20 * 2**30
    True
    """
    dims = checks.dimensions(shape)
    checked = checks.tucker_ranks(ranks, dims)
    entries = check_whole("nnz", nnz, at_least=1)
    how = ALLOCATIONS[check_allocation(allocation)]
    if workers is not None:
        share = -(-entries // check_whole("workers", workers, at_least=1))
        return on_cluster(dims, share, checked, weighted=check_flag("weighted", weighted))
    bytes_ = _core.estimate_memory(
        dims, entries, checked, threads=check_threads(threads), allocation=how,
        weighted=check_flag("weighted", weighted),
    )  # fmt: skip
    return round(bytes_["tensor"] + bytes_["model"] + bytes_["plan"] + later(bytes_, entries))


def on_cluster(
    shape: tuple[int, ...],
    share: int,
    ranks: tuple[int, ...],
    *,
    weighted: bool,
    threads: int = 1,
    together: int = SHARD,
) -> ClusterMemory:
    """Return what a fit takes on workers that have a ``share`` of the entries each.

    They have all entries in narrow blocks, and in shards that are made mode after mode. Of one mode
    the entries are on their way: a copy of the blocks, until all its shards are made. The blocks of
    the last mode go on their way themselves. Each thread makes a shard of so many entries, at most,
    ``together``.
    """
    bytes_ = _core.estimate_memory(shape, share, ranks, threads=1, weighted=weighted)
    blocks, plan, modes = share * in_block(shape, weighted=weighted), bytes_["plan"], len(shape)
    own = -(-share // (threads * -(-share // (threads * together))))
    alone = _core.estimate_memory(shape, own, ranks, threads=1, weighted=weighted)
    making = threads * (
        alone["tensor"] + alone["sorting"] + own * in_block(shape, weighted=weighted)
    )
    sending = max(
        2 * blocks + plan * (modes - 2) / modes,
        blocks + plan * (modes - 1) / modes + making,
        plan + making,
    )
    fitting = plan + threads * alone["workspace"] + TOLD * bytes_["model"]
    counts = NUMBER * 2 * sum(shape)
    return ClusterMemory(
        round(WORKER + HOLES * max(sending, fitting)),
        round(DRIVER + TOLD * bytes_["model"] + counts),
    )


def in_block(shape: tuple[int, ...], *, weighted: bool) -> int:
    """Return the bytes of an entry in a block, if its value needs all its bits."""
    rows = sum(1 if dim <= 2**8 else 2 if dim <= 2**16 else 4 for dim in shape)
    return rows + NUMBER * (1 + weighted)


def later(bytes_: Mapping[str, float], nnz: int, turning: float = 0.0) -> float:
    """Return the bytes of what is there while a plan is made, or of what is there afterwards.

    The entries are sorted before there is any working space. What Python computes it does when that
    is there: numbers for all entries, such as predictions to measure, or another basis, which takes
    ``turning`` bytes.
    """
    in_python = max(IN_PYTHON * NUMBER * nnz, turning)
    return BASE + max(bytes_["sorting"], bytes_["workspace"] + in_python)


def needed(
    shape: tuple[int, ...],
    nnz: int,
    ranks: tuple[int, ...],
    threads: int,
    *,
    allocation: _core.Allocation = _core.Allocation.PER_PART,
    offset: bool = False,
    models: float = 0.0,
    weighted: bool = False,
    noise: bool = False,
    sparse_core: bool = False,
    split: bool = False,
    turning: float = 0.0,
) -> float:
    """Return the bytes that a fit takes in addition to the tensor.

    ``models`` is how many copies of all parts, with all their zeros, are kept during the fit;
    ``noise`` says that elements have variances, ``sparse_core`` as for ``_core.Plan``, ``split``
    that entries are held out of a copy of the tensor, and ``turning`` is as for `later`.
    """
    bytes_ = _core.estimate_memory(
        shape, nnz, ranks, threads=threads, allocation=allocation, weighted=weighted, noise=noise,
        sparse_core=sparse_core,
    )  # fmt: skip
    needed = bytes_["model"] + bytes_["plan"] + later(bytes_, nnz, turning)
    if split:
        needed += bytes_["tensor"]
    if offset:  # the deviations from it, and the biases
        needed += NUMBER * (IN_OFFSETS * nnz + sum(shape))
    return needed + NUMBER * models * sum(part_sizes(shape, ranks))


def held_and_passing(
    shape: tuple[int, ...], nnz: int, ranks: tuple[int, ...], threads: int, **fit: Any
) -> tuple[float, float]:
    """Return the bytes of a fit as `needed` counts them: those of model and plan, and the others.

    The others go with the ranks: where components die out, so does most of the working space.
    """
    every = needed(shape, nnz, ranks, threads, **fit)
    known = {name: fit[name] for name in ("weighted", "noise", "sparse_core") if name in fit}
    bytes_ = _core.estimate_memory(shape, nnz, ranks, threads=threads, **known)
    passing = later(bytes_, nnz, fit.get("turning", 0.0)) - BASE
    return every - passing, passing


def require(
    shape: tuple[int, ...], nnz: int, ranks: tuple[int, ...], threads: int, **fit: Any
) -> None:
    """Raise unless the memory that a fit takes is available; ``fit`` is as for `needed`."""
    require_room(needed(shape, nnz, ranks, threads, **fit), shape)


def require_room(bytes_: float, shape: tuple[int, ...]) -> None:
    """Raise unless so many bytes are available for a fit of a tensor of this shape."""
    there = available()
    if there is not None and bytes_ > there:
        raise NotEnoughMemoryError(
            f"this fit needs about {bytes_ / GIB:.1f} GiB but {there / GIB:.1f} GiB are available; "
            f"lower the ranks, fit fewer entries, number labels without gaps (the longest mode has "
            f"{max(shape):,} rows), or pass check_memory=False to try all the same"
        )


def require_for_dense(shape: Iterable[int], who: str) -> None:
    """Raise unless there is memory for an array of all cells; ``who`` wants to make it."""
    cells = math.prod(shape)
    there = available()
    if 8 * cells > (LARGEST if there is None else there):
        have = "" if there is None else f", but {there / GIB:.1f} GiB are available"
        raise NotEnoughMemoryError(
            f"{who} would hold {cells:,} cells, which takes {8 * cells / GIB:,.1f} GiB{have}; "
            f"take a part of the rows first, or stay with the entries"
        )


def available() -> int | None:
    """Return the bytes that can still be allocated without swapping; None if that is unknown."""
    limits = [limit for limit in (_meminfo(), _control_group()) if limit is not None]
    if limits:
        return min(limits)
    try:  # without /proc, all memory of the machine is the best guess
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def give_back() -> None:
    """Return memory to the system that was freed but kept, as far as libraries do that."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    kib = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return 1024 * kib[0] if kib else None


def _control_group() -> int | None:
    """Return the bytes left below a container's limit, by control groups version 2 or else 1."""
    v1 = CONTROL_GROUP / "memory"
    for limit_file, used_file in (
        (CONTROL_GROUP / "memory.max", CONTROL_GROUP / "memory.current"),
        (v1 / "memory.limit_in_bytes", v1 / "memory.usage_in_bytes"),
    ):
        try:
            limit, used = int(limit_file.read_text("ascii")), int(used_file.read_text("ascii"))
        except FileNotFoundError:
            continue  # the other version is in use
        except (OSError, ValueError):  # not readable for us, or "max": no limit
            return None
        if limit >= 2**62:  # how version 1 says that there is no limit
            return None
        return min(limit, max(0, limit - used + _file_cache(limit_file.parent)))
    return None


def _file_cache(group: Path) -> int:
    """Return how many of the bytes in use are cached files, which give way to allocations."""
    try:
        lines = (group / "memory.stat").read_text("ascii").splitlines()
        stat = {name: int(value) for name, value in (line.split() for line in lines)}
    except (OSError, ValueError):
        return 0
    # In version 1 the usage includes the groups below; their cached files have names with total_.
    return sum(
        stat.get(f"total_{name}", stat.get(name, 0)) for name in ("inactive_file", "active_file")
    )
