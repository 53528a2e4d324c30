"""Core and factors as columns of tidy frames: one row per element, labelled, strongest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.options import check_flag, check_whole
from vest_tucker.base.types import Floats, Labels
from vest_tucker.model.meaning.names import checked_component

COMPONENT, VALUE, STD_ERROR = "component", "value", "std_error"


def factor_columns(
    factor: Floats, labels: Labels, name: str, variance: Floats | None = None, *, nonzero: bool
) -> dict[str, NDArray[Any]]:
    """Return label, component and value of each element, component by component, strongest first.

    With variances there is a column of standard errors, too.

    Examples
    --------
    >>> import numpy as np
    >>> factor = np.array([[0.0, 1.0], [-2.0, 0.5]])
    >>> columns = factor_columns(factor, np.array(["tea", "rye"]), "dish", nonzero=True)
    >>> {name: column.tolist() for name, column in columns.items()}
    {'dish': ['rye', 'tea', 'rye'], 'component': [0, 1, 1], 'value': [-2.0, 1.0, 0.5]}
    """
    rows = strongest_first(factor).T.ravel()
    components = np.repeat(np.arange(factor.shape[1]), len(factor))
    values = factor[rows, components]
    if check_flag("nonzero", nonzero):
        chosen = values != 0.0
        rows, components, values = rows[chosen], components[chosen], values[chosen]
    errors = _std_errors(variance, (rows, components))
    return {
        free_name(name, (COMPONENT, VALUE, *errors)): labels[rows],
        COMPONENT: components,
        VALUE: values,
    } | errors


def effects_of_mode(
    core: Floats, factor: Floats, core_variance: Floats, variance: Floats, mode: int
) -> tuple[Floats, Floats]:
    """Return what each row of a mode adds by itself, and the variance of that.

    The model has a constant first column in each factor: core elements that are at it in all other
    modes are effects of this mode alone.

    Examples
    --------
    >>> core, factor = np.array([[3.5, 2.0], [0.0, 1.0]]), np.array([[1.0, 0.5], [1.0, -1.0]])
    >>> unsure = np.array([[0.0, 0.01], [0.0, 0.04]])
    >>> effects, variances = effects_of_mode(core, factor, np.zeros((2, 2)), unsure, 1)
    >>> effects.tolist(), variances.tolist()
    ([1.0, -2.0], [0.04, 0.16])
    """
    at = tuple(slice(1, None) if n == mode else 0 for n in range(core.ndim))
    joins, unsure = core[at], core_variance[at]
    rows, spread = factor[:, 1:], variance[:, 1:]
    effects = np.einsum("ij,j->i", rows, joins)
    return effects, np.einsum("ij,j->i", spread, joins**2) + np.einsum("ij,j->i", rows**2, unsure)


def bias_columns(
    biases: Floats, labels: Labels, name: str, variance: Floats | None = None, *, nonzero: bool
) -> dict[str, NDArray[Any]]:
    """Return label and value of each bias of a mode, strongest first.

    With variances there is a column of standard errors, too.

    Examples
    --------
    >>> import numpy as np
    >>> biases, dishes = np.array([0.5, -2.0]), np.array(["tea", "rye"])
    >>> columns = bias_columns(biases, dishes, "dish", nonzero=True)
    >>> {name: column.tolist() for name, column in columns.items()}
    {'dish': ['rye', 'tea'], 'value': [-2.0, 0.5]}
    """
    rows = strongest_first(biases)
    if check_flag("nonzero", nonzero):
        rows = rows[: np.count_nonzero(biases)]
    errors = _std_errors(variance, (rows,))
    return {free_name(name, (VALUE, *errors)): labels[rows], VALUE: biases[rows]} | errors


def core_columns(
    core: Floats, names: Sequence[str], variance: Floats | None = None, *, nonzero: bool
) -> dict[str, NDArray[Any]]:
    """Return the component of each mode and the value of each core element, strongest first.

    With variances there is a column of standard errors, too.

    Examples
    --------
    >>> import numpy as np
    >>> columns = core_columns(np.array([[0.0, 3.0], [-5.0, 0.0]]), ["user", "dish"], nonzero=True)
    >>> {name: column.tolist() for name, column in columns.items()}
    {'user': [1, 0], 'dish': [0, 1], 'value': [-5.0, 3.0]}
    """
    flat = core.ravel()
    places = np.flatnonzero(flat) if check_flag("nonzero", nonzero) else np.arange(flat.size)
    places = places[strongest_first(flat[places])]
    components = np.unravel_index(places, core.shape)
    errors = _std_errors(variance, components)
    columns = dict(zip(free_names(names, (VALUE, *errors)), components, strict=True))
    return columns | {VALUE: flat[places]} | errors


def _std_errors(variance: Floats | None, places: tuple[Any, ...]) -> dict[str, NDArray[Any]]:
    """Return a column with the standard errors of some elements; none without variances."""
    return {} if variance is None else {STD_ERROR: np.sqrt(variance[places])}


def strongest_first(values: Floats) -> NDArray[np.intp]:
    """Return the order, along the first axis, from the largest magnitude to the smallest."""
    order: NDArray[np.intp] = np.argsort(-np.abs(values), axis=0, kind="stable")
    return order


def top_rows(factor: Floats, component: int, n: int) -> NDArray[np.intp]:
    """Return the rows of the ``n`` largest magnitudes of one component, zeros left out."""
    column = factor[:, checked_component(component, factor.shape[1])]
    order = strongest_first(column)
    return order[: min(check_whole("n", n, at_least=0), np.count_nonzero(column))]


def free_name(name: str, taken: Sequence[str]) -> str:
    """Return the name of a column for a mode: its name, followed by ``_`` while that is taken."""
    while name in taken:
        name += "_"
    return name


def free_names(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the names of columns for several modes, none of them taken or that of another mode.

    Examples
    --------
    >>> free_names(("value", "value_", "dish"), ("value",))
    ['value__', 'value_', 'dish']
    """
    found: list[str] = []
    for name in names:
        found.append(free_name(name, [*taken, *found, *(set(names) - {name})]))
    return found
