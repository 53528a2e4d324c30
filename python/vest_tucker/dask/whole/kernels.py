"""Which kernels whole fits run: each worker its best, so the best of all must be the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from vest_tucker.base.errors import ClusterError
from vest_tucker.dask.fitting.builds import Build, own_build, require_same

SHOWN = 3  # workers of a kind


def differing(builds: Mapping[str, Build]) -> str:
    """Say which kernels workers run if not all run the same; nothing if they do.

    A whole fit chooses its kernels by itself, so who makes it would decide about its bytes.
    """
    workers = defaultdict(list)
    for address, each in sorted(builds.items()):
        workers[each.isas[0]].append(address)
    if len(workers) < 2:
        return ""
    kinds = [
        f"{isa} on {', '.join(own[:SHOWN])}{' and others' if len(own) > SHOWN else ''}"
        for isa, own in workers.items()
    ]
    return f"the workers run different kernels ({'; '.join(kinds)})"


def common(builds: Mapping[str, Build]) -> Build:
    """Return what all workers run that make whole fits: their kernels, and our versions."""
    kernels = {each.isas[:1] for each in builds.values()}
    return own_build()._replace(isas=kernels.pop()) if kernels else own_build()


def require_kernels(wanted: Build) -> None:
    """Raise on a worker that joined later than all were asked, and is not like them."""
    import distributed

    own, address = own_build(), distributed.get_worker().address
    require_same(address, own, wanted)
    if own.isas[0] != wanted.isas[0]:
        raise ClusterError(
            f"the worker {address} runs the kernels {own.isas[0]}, but those that were there when "
            f"this began {wanted.isas[0]}, so that the same bytes cannot be promised"
        )
