"""Whether fits are made as a whole, each by one worker, or in shards."""

from __future__ import annotations

from typing import Any

from vest_tucker.dask.fitting.builds import same_builds
from vest_tucker.dask.questions import log
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.whole.kernels import common, differing
from vest_tucker.dask.whole.room import fits_at_once
from vest_tucker.dask.whole.tasks import WholeTensor
from vest_tucker.data.tensor import SparseTensor

TOO_LARGE = "a worker has not the memory for the whole tensor"


def whole_or_why(
    X: ClusterTensor | SparseTensor,
    client: Any,
    ranks: tuple[int, ...] | None,
    penalty: str,
    models: float = 2.0,
) -> WholeTensor | str:
    """Return a tensor whose fits workers make as a whole, or what keeps them from that.

    ``ranks`` are None if they are yet to be found; the rest is as for `fits_at_once`.
    """
    at_once = fits_at_once(X, client, ranks, penalty, models)
    if not at_once:
        return TOO_LARGE
    builds = same_builds(client)
    odd = differing(builds)
    if odd:
        log.warning("%s, so no fit is made by one of them as a whole", odd)
        return odd
    return WholeTensor.of(X, client, at_once, common(builds))
