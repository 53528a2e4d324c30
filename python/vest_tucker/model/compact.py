"""Which components of a model carry something, and the model without those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Flags, Floats
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.meaning.names import Names, renumbered


def live_components(core: Flags, columns: Sequence[Flags]) -> list[NDArray[np.intp]]:
    """Return the components of each mode that carry something, but at least one of each mode.

    ``core`` marks the elements of the core that may be other than zero, ``columns`` the components
    of each mode with a column that may be. An element of the core counts only if all of its columns
    do, and a column only if an element of the core does that meets it.

    Examples
    --------
    >>> import numpy as np
    >>> core = np.array([[1, 0, 0], [0, 1, 0]], dtype=bool)
    >>> columns = [np.array([True, False]), np.array([True, True, True])]
    >>> [live.tolist() for live in live_components(core, columns)]
    [[0], [0]]
    """
    met = core.copy()
    for mode, column in enumerate(columns):
        met &= along_mode(column, mode, core.ndim)
    live: list[NDArray[np.intp]] = []
    for mode in range(core.ndim):
        others = tuple(other for other in range(core.ndim) if other != mode)
        found = np.flatnonzero(met.any(axis=others))
        live.append(found if found.size else np.zeros(1, dtype=np.intp))
    return live


def compact_parts(
    core: Floats,
    factors: Sequence[Floats],
    core_variance: Floats | None,
    factor_variances: Sequence[Floats] | None,
    *,
    constant: bool = False,
    measured: Importance | None = None,
    names: Names = (),
) -> dict[str, Any]:
    """Return the fields of a model that change if it drops what carries nothing.

    An element with a variance carries something, even if it is zero; and so does the first column
    of every factor if it is constant.
    """
    elements = core != 0.0
    if core_variance is not None:
        elements |= core_variance != 0.0
    columns = [np.asarray(factor.any(axis=0)) for factor in factors]
    for own, variance in zip(columns, factor_variances or (), strict=False):
        own |= variance.any(axis=0)
    live = live_components(elements, columns)
    if constant:
        live = [np.union1d(0, kept) for kept in live]
    if all(len(kept) == rank for kept, rank in zip(live, core.shape, strict=True)):
        return {}

    def of_factors(parts: Sequence[Floats]) -> list[Floats]:
        pairs = zip(parts, live, strict=True)
        return [np.ascontiguousarray(part[:, kept]) for part, kept in pairs]

    block = np.ix_(*live)
    return {
        "core": np.ascontiguousarray(core[block]),
        "factors": of_factors(factors),
        "core_variance": None if core_variance is None else core_variance[block],
        "factor_variances": None if factor_variances is None else of_factors(factor_variances),
        "measured": None if measured is None else measured.kept(live),
        "component_names": renumbered(names, live) if names else (),
    }
