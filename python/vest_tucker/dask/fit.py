"""One fit of entries on the workers of a cluster, with the bytes of a fit on one machine."""

from __future__ import annotations

from typing import Any

from vest_tucker.base.errors import ClusterError, DtypeError
from vest_tucker.base.options import check_flag, check_whole, type_text
from vest_tucker.dask.fitting.asked import (
    call_of,
    ranks_of,
    repeatable,
    require_known,
    require_options,
)
from vest_tucker.dask.fitting.builds import same_builds
from vest_tucker.dask.fitting.entries import SpreadTensor
from vest_tucker.dask.questions import threads_of
from vest_tucker.dask.room import Room
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.whole.starts import best_of_starts, whole_for_starts
from vest_tucker.fitting.fit import fit as fit_here
from vest_tucker.model.model import TuckerModel


def fit(
    X: ClusterTensor,
    ranks: Any = "auto",
    *,
    shards: int | None = None,
    check_memory: bool = True,
    **options: Any,
) -> TuckerModel:
    """Fit a tensor on a cluster; the model has the bytes of `vest_tucker.fit` of the same entries.

    Each iteration is a few rounds of tasks, one for each thread. The model is here, and what it
    changes is sent to the workers; a round that is lost with a worker is repeated.

    Parameters
    ----------
    X : ClusterTensor
    ranks : "auto", int, sequence of int or dict
        As for `vest_tucker.fit`.
    shards : int, optional
        Into how many parts the entries of each mode are cut; by default as many as the workers have
        threads, and more where memory is short. The model does not depend on it. With ``n_starts``,
        random starts and none given, whole fits are made beside each other, if each worker has the
        memory for one.
    check_memory : bool
        Refuse beforehand, with a `NotEnoughMemoryError`, a fit for which workers have no memory.
    **options
        Those of `vest_tucker.fit`. What needs all entries in one place raises a `ClusterError`.

    Returns
    -------
    TuckerModel
    """
    if not isinstance(X, ClusterTensor):
        raise DtypeError(
            f"vest_tucker.dask.fit needs a ClusterTensor, but got {type_text(X)}; make one "
            f"by from_frame or read, or fit a SparseTensor by vest_tucker.fit"
        )
    require_options(options)
    require_known(options)
    check_flag("check_memory", check_memory)
    call = call_of(options)
    options["ranks"] = repeatable(ranks)
    known = ranks_of(X, options["ranks"], call["penalty"])
    whole = None if shards is not None else whole_for_starts(X, call, known)
    if whole is not None and known is not None:
        return best_of_starts(whole, call, known)
    entries = spread_over(X, shards, known, check_memory=check_memory)
    return fit_here(entries, check_memory=False, threads=1, **options)


def spread_over(
    X: ClusterTensor,
    shards: int | None,
    ranks: tuple[int, ...] | None,
    *,
    check_memory: bool,
) -> SpreadTensor:
    """Return a tensor as fits see it whose entries are in shards, if there is room for these."""
    if not threads_of(X.client):
        raise ClusterError("the cluster has no worker; add some, and fit again")
    if shards is not None:
        shards = check_whole("shards", shards, at_least=1)
    same_builds(X.client)
    room = Room.of(X, ranks, shards)
    if check_flag("check_memory", check_memory):
        room.require()
    return SpreadTensor.of(X, room.shards, keep=room.keeps)
