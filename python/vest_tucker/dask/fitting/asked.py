"""What a call asks for, checked as on one machine before workers are asked for anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.fit import defaults_of_fit, require_numbers
from vest_tucker.fitting.noise.candidates import affordable_ranks
from vest_tucker.fitting.options import with_preset

MOST_MODES = 1000  # that are looked at, should an iterator have no end


def require_options(options: Mapping[str, Any]) -> None:
    """Raise if an option is given that a cluster decides."""
    if "threads" in options:
        raise OptionError("threads is not an option of a fit on a cluster")


def require_known(options: Mapping[str, Any]) -> None:
    """Raise if a name is none of an option of `fit`, as a call of it would."""
    for name in options:
        if name not in defaults_of_fit():
            raise TypeError(f"fit() got an unexpected keyword argument {name!r}")


def call_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a fit, as far as a fit or a study is given them."""
    defaults = defaults_of_fit()
    known = {name: each for name, each in options.items() if name in defaults}
    return with_preset({**defaults, **known})


def repeatable(ranks: Any) -> Any:
    """Return ranks that may be looked at several times, which an iterator may not."""
    return tuple(islice(ranks, MOST_MODES)) if isinstance(ranks, Iterator) else ranks


def ranks_of(X: ClusterTensor | SparseTensor, ranks: Any, penalty: str) -> tuple[int, ...] | None:
    """Return the ranks asked for, checked; None if they are yet to be found.

    A plain call takes them as upper bounds, and lowers those that would take too long.
    """
    if penalty != "bayes":
        require_numbers(ranks, penalty)
        return checks.tucker_ranks(ranks, X.shape)
    most = checks.most_ranks(ranks, X.shape, lambda mode: X.mode_labels.number(mode))
    return None if most is None or isinstance(ranks, Mapping) else affordable_ranks(most)
