"""Studies on a cluster: whole fits where the tensor fits a worker, and shards where it does not."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from vest_tucker.base.errors import ClusterError, DtypeError, OptionError
from vest_tucker.base.interrupts import Interrupts
from vest_tucker.base.options import check_on_interrupt
from vest_tucker.base.telling.steps import watched
from vest_tucker.dask.client import client_of
from vest_tucker.dask.fit import spread_over
from vest_tucker.dask.fitting.asked import call_of, ranks_of, repeatable, require_options
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.whole.choice import whole_or_why
from vest_tucker.dask.whole.tasks import WholeTensor
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.studies.beside import made_elsewhere
from vest_tucker.studies.cross_validation import CrossValidation
from vest_tucker.studies.cross_validation import cross_validate as cross_validate_here
from vest_tucker.studies.path.run import path as path_here
from vest_tucker.studies.stability.run import stability as stability_here

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import Path
    from vest_tucker.studies.stability.result import Stability

ON_WORKERS: dict[str, Any] = {"threads": 1, "check_memory": False}
MADE_WHOLE = (
    "a SparseTensor is here as a whole: read it by vest_tucker.dask.read or from_frame, to have it "
    "cut into shards"
)
PATH_MODELS = 60.0  # copies of all parts that a path keeps, at most: those of its stops


def stability(
    X: ClusterTensor | SparseTensor,
    ranks: Any = "auto",
    n_seeds: int = 10,
    *,
    client: Any = None,
    shards: int | None = None,
    **options: Any,
) -> Stability:
    """Fit the same tensor from several seeds, on a cluster, and tell which components come back.

    Where each worker has the memory for it, the fits are made as a whole and beside each other, one
    for each thread; or else each is made in shards, one after the other. The result has the bytes
    of that of `vest_tucker.stability`.

    Parameters
    ----------
    X : ClusterTensor or SparseTensor
        The latter travels from here to the workers, and must fit each of them.
    ranks, n_seeds
        As for `vest_tucker.stability`.
    client : distributed.Client, optional
        For a SparseTensor; by default the one that was made last.
    shards : int, optional
        Cut the entries into so many parts for each mode, even where they fit a worker.
    **options
        Those of `vest_tucker.stability`. With ``checkpoint`` complete fits are kept.

    Returns
    -------
    Stability
    """
    ranks = repeatable(ranks)
    spread = _spread(X, client, shards, options, ranks)
    return stability_here(spread, ranks, n_seeds, **options, **ON_WORKERS)


def cross_validate(
    X: ClusterTensor | SparseTensor, k: int = 5, *, client: Any = None, **options: Any
) -> CrossValidation:
    """Fit k times on a cluster, each time without one of k parts of the entries, and measure there.

    The folds are fitted beside each other, each on a worker that has all entries; the result has
    the bytes of that of `vest_tucker.cross_validate`.

    Parameters
    ----------
    X : ClusterTensor or SparseTensor
        It must fit each of the workers.
    k : int
        How many folds.
    client : distributed.Client, optional
        For a SparseTensor; by default the one that was made last.
    **options
        Those of `vest_tucker.cross_validate`, but ``checkpoint`` and ``callback``.

    Returns
    -------
    CrossValidation
    """
    if options.get("checkpoint") is not None:
        raise OptionError("checkpoint is not an option of cross_validate on a cluster")
    if options.get("callback") is not None:
        raise OptionError("callback is not an option of fits that are made elsewhere")
    options["ranks"] = repeatable(options.get("ranks", "auto"))
    options.pop("check_memory", None)
    there, penalty = _checked(X, client, options)
    whole = whole_or_why(X, there, ranks_of(X, options["ranks"], penalty), penalty)
    if isinstance(whole, str):
        raise ClusterError(
            f"cross_validate deals entries to folds where all of them are, but {whole}; hold some "
            f"out by validation= of fit instead"
        )
    return cross_validate_here(whole, k, **options, **ON_WORKERS)


def path(
    X: ClusterTensor | SparseTensor,
    ranks: Any = "auto",
    *,
    client: Any = None,
    shards: int | None = None,
    **options: Any,
) -> Path:
    """Make models of every sparsity on a cluster, from one run.

    Where a worker has the memory for it, the run is made there as a whole: its stops follow one
    another. Or else it is made in shards. The result has the bytes of that of `vest_tucker.path`.

    Parameters
    ----------
    X : ClusterTensor or SparseTensor
        The latter travels from here to a worker, which it must fit.
    ranks
        As for `vest_tucker.path`.
    client : distributed.Client, optional
        For a SparseTensor; by default the one that was made last.
    shards : int, optional
        Cut the entries into so many parts for each mode, even where they fit a worker.
    **options
        Those of `vest_tucker.path`. With ``checkpoint`` it is made in shards, for the file is here.

    Returns
    -------
    Path
    """
    ranks = repeatable(ranks)
    unknown = [name for name in options if name not in inspect.signature(path_here).parameters]
    if unknown:  # or the tensor would be put together on a worker first
        raise TypeError(f"path() got an unexpected keyword argument {unknown[0]!r}")
    recorded = options.get("checkpoint") is not None
    if recorded and isinstance(X, SparseTensor):
        raise OptionError("checkpoint is an option of path for a ClusterTensor; leave it out")
    found = _spread(X, client, shards, options, ranks, PATH_MODELS, in_shards=recorded)
    if not isinstance(found, WholeTensor):
        return path_here(found, ranks, **options, **ON_WORKERS)
    elsewhere = made_elsewhere(found, OnePath(options), [ranks])
    assert elsewhere is not None
    progress = options.get("progress", "auto")
    with (
        Interrupts(check_on_interrupt(options.get("on_interrupt", "return"))),
        watched(progress, "path, on a worker"),
    ):
        made, seed = elsewhere(ranks)
        if isinstance(seed, np.random.Generator):  # leave the caller's where it was left there
            options["seed"].bit_generator.state = seed.bit_generator.state
    return made


class OnePath:
    """The path of a whole tensor, as a task makes it, and where it left the generator given."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = {**options, "progress": False, "on_interrupt": "raise"}

    def __call__(self, X: SparseTensor, ranks: Any) -> tuple[Path, Any]:
        """Make it."""
        seed = copy.deepcopy(self.options.get("seed"))  # that of all tasks of this worker
        found = path_here(X, ranks, **{**self.options, "seed": seed}, **ON_WORKERS)
        return found, seed


def _spread(
    X: ClusterTensor | SparseTensor,
    client: Any,
    shards: int | None,
    options: dict[str, Any],
    ranks: Any,
    models: float = 2.0,
    *,
    in_shards: bool = False,
) -> SparseTensor:
    """Return a tensor as studies take it: whole on the workers, or in shards."""
    check_memory = options.pop("check_memory", True)
    there, penalty = _checked(X, client, options)
    known = ranks_of(X, ranks, penalty)
    if isinstance(X, SparseTensor) and shards is not None:
        raise OptionError(f"shards={shards!r} is an option for a ClusterTensor; {MADE_WHOLE}")
    found: WholeTensor | str = ""
    if shards is None and not in_shards:
        found = whole_or_why(X, there, known, penalty, models)
    if isinstance(found, WholeTensor):
        return found
    if isinstance(X, SparseTensor):
        raise ClusterError(f"{found}, and {MADE_WHOLE}")
    return spread_over(X, shards, known, check_memory=check_memory)


def _checked(
    X: ClusterTensor | SparseTensor, client: Any, options: Mapping[str, Any]
) -> tuple[Any, str]:
    """Return the client and the penalty of a study; raise if there is none, or no tensor."""
    require_options(options)
    if not isinstance(X, ClusterTensor | SparseTensor):
        raise DtypeError(
            f"studies on a cluster need a ClusterTensor or a SparseTensor, but got a "
            f"{type(X).__name__}"
        )
    there = X.client if isinstance(X, ClusterTensor) else client_of(client)
    return there, call_of(options)["penalty"]
