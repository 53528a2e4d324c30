"""The components, labels and core elements that come back, as columns of tidy frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.options import check_flag
from vest_tucker.base.types import Floats
from vest_tucker.model.frames import COMPONENT, VALUE, free_name, free_names, strongest_first

if TYPE_CHECKING:
    from vest_tucker.studies.stability.result import Stability

LOADING, SHARE_NONZERO, MEAN, SPREAD = "loading", "share_nonzero", "mean", "spread"
RETURNS, SHARE = "returns", "share"


def component_columns(result: Stability) -> dict[str, NDArray[Any]]:
    """Return mode, number and recurrence of each component of the reference.

    Components that were pruned away are left out.
    """
    existing = [np.flatnonzero(mode.exists) for mode in result.modes]
    sizes = [len(components) for components in existing]
    returns = [
        mode.returned[:, at].sum(axis=0) for mode, at in zip(result.modes, existing, strict=True)
    ]
    similarity = [
        mean_of_others(mode.similarity[:, at])
        for mode, at in zip(result.modes, existing, strict=True)
    ]
    return {
        "mode": np.repeat(np.array(result.reference.modes, dtype=object), sizes),
        COMPONENT: np.concatenate(existing),
        RETURNS: np.concatenate(returns),
        SHARE: share(np.concatenate(returns), result),
        "similarity": np.concatenate(similarity),
        "chance": np.repeat([mode.chance for mode in result.modes], sizes),
    }


def label_columns(result: Stability, mode: str | int, *, nonzero: bool) -> dict[str, NDArray[Any]]:
    """Return label, component and loading of each element, and its recurrence in other fits."""
    named = result.reference._named
    number = named.number(mode)
    found = result.modes[number]
    components = np.flatnonzero(found.exists)
    loading = found.loading[:, components]
    rows = strongest_first(loading).T.ravel()
    at = np.repeat(components, len(loading))
    if check_flag("nonzero", nonzero):
        chosen = found.loading[rows, at] != 0.0
        rows, at = rows[chosen], at[chosen]
    parts = {LOADING: found.loading, SHARE_NONZERO: found.nonzero}
    parts |= {MEAN: found.mean, SPREAD: found.spread}
    label = free_name(named.names[number], (COMPONENT, *parts))
    columns = {name: part[rows, at] for name, part in parts.items()}
    return {label: named.decode(number, rows), COMPONENT: at} | columns


def interaction_columns(result: Stability) -> dict[str, NDArray[Any]]:
    """Return each core element that is not zero, strongest first, and its recurrence."""
    core = result.core
    places = np.flatnonzero(core.value)
    places = places[strongest_first(core.value.ravel()[places])]
    returns = core.returned.sum(axis=0)[places]
    found = {
        VALUE: core.value.ravel()[places],
        RETURNS: returns,
        SHARE: share(returns, result),
        MEAN: core.mean.ravel()[places],
        SPREAD: core.spread.ravel()[places],
    }
    components = np.unravel_index(places, core.value.shape)
    names = free_names(result.reference.modes, tuple(found))
    return dict(zip(names, components, strict=True)) | found


def share(returns: NDArray[np.int64], result: Stability) -> Floats:
    """Return counts as shares of the other fits; NaN if there are none."""
    others = len(result.models) - 1
    return returns / others if others else np.full(len(returns), np.nan)


def mean_of_others(values: Floats) -> Floats:
    """Return the mean along the first axis, NaN where there are no other fits."""
    return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)
