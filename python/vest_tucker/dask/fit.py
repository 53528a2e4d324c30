"""One fit of entries on the workers of a cluster, with the bytes of a fit on one machine."""

from __future__ import annotations

from typing import Any

from vest_tucker.base.errors import ClusterError, DtypeError, OptionError
from vest_tucker.dask.fitting.entries import SpreadTensor
from vest_tucker.dask.room import require_room
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.fitting.fit import fit as fit_here
from vest_tucker.model.model import TuckerModel


def fit(X: ClusterTensor, *, shards: int | None = None, **options: Any) -> TuckerModel:
    """Fit a tensor on a cluster; the model has the bytes of `vest_tucker.fit` of the same entries.

    Each iteration is a few rounds of short tasks, one for each shard of a mode. The model is here,
    and is sent to the workers as it changes; a round that is lost with a worker is repeated.

    Parameters
    ----------
    X : ClusterTensor
    shards : int, optional
        Into how many parts the entries of each mode are cut; by default as many as the workers have
        threads. The model does not depend on it.
    **options
        Those of `vest_tucker.fit`. What needs all entries in one place raises a `ClusterError`,
        and a fit that workers have no memory for a `NotEnoughMemoryError`, beforehand.

    Returns
    -------
    TuckerModel
    """
    if not isinstance(X, ClusterTensor):
        raise DtypeError(
            f"vest_tucker.dask.fit needs a ClusterTensor, but got a {type(X).__name__}; make one "
            f"by from_frame or read, or fit a SparseTensor by vest_tucker.fit"
        )
    if "check_memory" in options or "threads" in options:
        raise OptionError("threads and check_memory are not options of a fit on a cluster")
    threads = sum(X.client.nthreads().values())
    if not threads:
        raise ClusterError("the cluster has no worker; add some, and fit again")
    count = threads if shards is None else shards
    if count < 1:
        raise OptionError(f"shards must be at least 1, but is {count}")
    require_room(X, options.get("ranks"), len(X.client.nthreads()))
    return fit_here(SpreadTensor.of(X, count), check_memory=False, threads=1, **options)
