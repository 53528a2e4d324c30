"""The labels that say most about a component: by weight, or by how much it says about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import check_choice, check_whole
from vest_tucker.base.types import Floats
from vest_tucker.data.label_arrays import listed
from vest_tucker.model.frames import top_rows
from vest_tucker.model.meaning.names import checked_component
from vest_tucker.reading.captions import reliable_weights
from vest_tucker.reading.groups import Group
from vest_tucker.reading.relations import Reading

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

By: TypeAlias = Literal["weight", "relevance"]


def top(
    model: TuckerModel, mode: str | int, component: int, n: int, *, by: By, min_entries: int
) -> list[tuple[Any, float]]:
    """Return the first labels of a component with their values; see `TuckerModel.top`."""
    check_choice("by", by, get_args(By))
    number = model.mode_labels.number(mode)
    factor = model.factors[number]
    at_least = check_whole("min_entries", min_entries, at_least=0)
    check_whole("n", n, at_least=0)
    component = checked_component(component, model.ranks[number])
    if model.constant and component == 0:
        raise OptionError(
            f"component 0 is the constant column, in which all labels are alike; component 1 and "
            f"further ones differ, and bias_frame({mode!r}) has the effects of each label"
        )
    rows = top_rows(factor, component, len(factor))
    if at_least:
        if model.entries is None:
            raise OptionError(
                "min_entries needs to know how many entries each row had; this model does not: "
                "dataclasses.replace(model, entries=[...]) tells it"
            )
        rows = rows[model.entries[number][rows] >= at_least]
    if by == "relevance":
        relevance = np.zeros(len(factor))
        group = Reading(model).group(number, int(component))
        relevance[group.rows] = relevance_of(model, group)
        rows = rows[np.argsort(-relevance[rows], kind="stable")]
    rows = rows[:n]
    labels = listed(model.mode_labels.decode(number, rows))
    return list(zip(labels, factor[rows, component].tolist(), strict=True))


def relevance_of(model: TuckerModel, group: Group) -> Floats:
    """Return how relevant each label of a group is.

    The weight counts the less the fewer entries a label has, and as much as the share that the
    component has in all the label does: its squared effect over that of all components. A label
    that is strong everywhere is typical of nothing.
    """
    return reliable_weights(group) * _own_share(model, group)


def _own_share(model: TuckerModel, group: Group) -> Floats:
    reading = Reading(model)
    rows: NDArray[np.intp] = group.rows
    scales = np.array([_scale(reading, group.mode, j) for j in range(model.ranks[group.mode])])
    squares = (model.factors[group.mode][rows] * scales) ** 2
    totals = squares.sum(axis=1)
    share: Floats = squares[:, group.component] / np.where(totals > 0.0, totals, 1.0)
    return share


def _scale(reading: Reading, mode: int, component: int) -> float:
    """Return what a weight of 1 adds; a constant column says nothing of any label."""
    constant = reading.model.constant and component == 0
    return 0.0 if constant else reading.scale(mode, component)
