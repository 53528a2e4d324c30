"""The relations of a model: each core element that is not zero joins one group of each mode.

The first side of a group is the one that carries more. In a relation labels on the same side go
together: values are higher where they meet, and lower where labels of opposite sides do. A relation
that would lower values shows one of its groups turned around instead, if both sides of that carry
much; if not, its size is negative, so that the labels that carry it still come first.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import ScaleError
from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Flags, Floats, Labels
from vest_tucker.model.frames import free_name, strongest_first
from vest_tucker.reading.groups import Group, Relation
from vest_tucker.reading.ordinals import MOST_NUMBERS, ranks_of
from vest_tucker.reading.orientation import (
    BALANCED,
    Oriented,
    balances,
    counting,
    entries_of_rows,
    oriented,
)

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

TINY = 1e-4  # the same for the size of a relation, of the largest size


@dataclass(frozen=True, eq=False)
class Reading:
    """A model as a reader sees it: oriented, with sizes, and made into tables when asked."""

    model: TuckerModel

    @cached_property
    def seen(self) -> Oriented:
        """Core and factors, every column positive on balance."""
        return oriented(self.model)

    @cached_property
    def spread(self) -> list[Floats]:
        """For each mode and column the root mean square over the entries of all its labels."""
        return [
            _typical(factor, entries_of_rows(self.model, mode))
            for mode, factor in enumerate(self.seen.factors)
        ]

    @cached_property
    def typical(self) -> list[Floats]:
        """For each mode, what is typical of each column: the root mean square over the entries.

        Of labels on sides that may come first: a light one says little of what a relation does.
        """
        found = []
        for mode, factor in enumerate(self.seen.factors):
            light = (self._balance[mode] < BALANCED) & (factor < 0.0)
            first = np.where(light, 0.0, factor)
            found.append(_typical(first, entries_of_rows(self.model, mode)))
            if self.model.constant:
                found[-1][0] = 1.0
        return found

    @cached_property
    def sizes(self) -> Floats:
        """What each core element adds at typical labels, in the unit of the values."""
        sizes = self.seen.core.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            for mode, own in enumerate(self.typical):
                sizes *= along_mode(own, mode, sizes.ndim)
        require_in_range(sizes)
        return sizes

    @cached_property
    def live(self) -> Flags:
        """Which core elements are relations: not zero, no column of zeros met, not the mean."""
        live: Flags = self.model.core != 0.0
        for mode, factor in enumerate(self.model.factors):
            live &= along_mode(np.any(factor, axis=0), mode, live.ndim)
        if self.model.constant:
            live[(0,) * live.ndim] = False
        return live

    @cached_property
    def strength(self) -> Floats:
        """What relations are ordered by: the growth without them if measured, else the size."""
        measured = self.model.measured
        strength = np.abs(self.sizes) if measured is None else measured.core
        return np.where(self.live, strength, -np.inf)

    @cached_property
    def _told(self) -> Flags:
        sizes = np.where(self.live, np.abs(self.sizes), 0.0)
        told: Flags = self.live & (sizes >= TINY * sizes.max(initial=0.0))
        return told

    @property
    def n_negligible(self) -> int:
        """How many relations are not told, because they add next to nothing to any prediction."""
        return int(np.count_nonzero(self.live) - np.count_nonzero(self._told))

    @cached_property
    def places(self) -> list[tuple[int, ...]]:
        """The places of all relations in the core, the strongest first; see `n_negligible`."""
        flat = self.strength.ravel()
        kept = np.flatnonzero(self._told.ravel())
        kept = kept[np.argsort(-flat[kept], kind="stable")]
        columns = [each.tolist() for each in np.unravel_index(kept, self.sizes.shape)]
        return list(zip(*columns, strict=True))

    @cached_property
    def _groups(self) -> dict[tuple[int, int, bool], Group]:
        return {}

    @cached_property
    def _orders(self) -> list[NDArray[np.intp] | None]:
        """For each mode, the place of each label in their order; None if they have none."""
        return [
            (np.arange(dim) if dim <= MOST_NUMBERS else None)
            if labels is None
            else ranks_of(labels)
            for labels, dim in zip(self.model.labels, self.model.shape, strict=True)
        ]

    @cached_property
    def _balance(self) -> list[Floats]:
        """For each mode, how balanced the two sides of each column are: 0 if it has one only."""
        found = []
        for mode, factor in enumerate(self.seen.factors):
            found.append(balances(factor, entries_of_rows(self.model, mode)))
            if self.model.constant:
                found[-1][0] = 0.0
        return found

    def lowering(self, index: tuple[int, ...]) -> int | None:
        """Return the mode of the group whose sides tell that a relation lowers values.

        The most balanced one, those without a name first; None if the relation raises values, or
        if every group has one side only.
        """
        if self.sizes[index] >= 0.0:
            return None
        ranked = [
            (not self._is_named(mode, j), float(self._balance[mode][j]), -mode)
            for mode, j in enumerate(index)
            if self._balance[mode][j] > 0.0
        ]
        return -max(ranked)[2] if ranked else None

    def turning(self, index: tuple[int, ...]) -> int | None:
        """Return the mode of the group that a relation shows turned around; None if none is.

        A group that was given a name never is, nor one whose lighter side carries little.
        """
        mode = self.lowering(index)
        if mode is None or self._is_named(mode, index[mode]):
            return None
        return mode if self._balance[mode][index[mode]] >= BALANCED else None

    def _is_named(self, mode: int, component: int) -> bool:
        return component in self.model.component_names[mode]

    def group(self, mode: int, component: int) -> Group:
        """Return a component of a mode, with effects in the strongest relation that it is in."""
        key = (mode, component, False)
        if key not in self._groups:
            self._groups[key] = self._make_group(mode, component)
        return self._groups[key]

    def told_groups(self, index: tuple[int, ...]) -> tuple[Group, ...]:
        """Return the groups of a relation as it shows them, one of them turned if need be."""
        turning = self.turning(index)
        return tuple(
            self._turned(mode, j) if mode == turning else self.group(mode, j)
            for mode, j in enumerate(index)
        )

    def _turned(self, mode: int, component: int) -> Group:
        key = (mode, component, True)
        if key not in self._groups:
            own = self.group(mode, component)
            self._groups[key] = dataclasses.replace(own, weights=-own.weights, texts={})
        return self._groups[key]

    def _make_group(self, mode: int, component: int) -> Group:
        model = self.model
        constant = model.constant and component == 0
        column = self.seen.factors[mode][:, component]
        rows = np.flatnonzero(counting(column)) if not constant else np.zeros(0, dtype=np.intp)
        rows = rows[strongest_first(column[rows])]
        order = self._orders[mode]
        return Group(
            mode, model.modes[mode], component, model.title(mode, component), constant, rows,
            model.mode_labels.decode(mode, rows), column[rows], self.scale(mode, component),
            None if model.entries is None else model.entries[mode][rows],
            None if order is None else order[rows], float(self.typical[mode][component]),
            len(column),
        )  # fmt: skip

    def scale(self, mode: int, component: int) -> float:
        """Return what a weight of 1 adds at typical partners in the strongest relation."""
        strength = np.moveaxis(self.strength, mode, 0)[component]
        best = int(strength.argmax())
        if not strength.size or strength.flat[best] == -np.inf:
            return 0.0
        others = list(map(int, np.unravel_index(best, strength.shape)))
        index = (*others[:mode], component, *others[mode:])
        return _ratio(self._size_in(index, mode), float(self.typical[mode][component]))

    def _size_in(self, index: tuple[int, ...], mode: int) -> float:
        """Return the size of a relation, with the sign that the effects of one of its groups have.

        One group tells that values are lower; without one that has two sides all of them do.
        """
        size = float(self.sizes[index])
        return size if self.lowering(index) in (None, mode) else abs(size)

    def relation(self, index: tuple[int, ...]) -> Relation:
        """Return the relation at a place of the core."""
        value, size = float(self.seen.core[index]), float(self.sizes[index])
        turning, measured = self.turning(index), self.model.measured
        shown = [self._size_in(index, mode) for mode in range(len(index))]
        if turning is not None:
            value, size, shown[turning] = -value, -size, -shown[turning]
        groups = tuple(
            dataclasses.replace(group, scale=_ratio(own, group.typical))
            for group, own in zip(self.told_groups(index), shown, strict=True)
        )
        found = Relation(index, groups, value, size)
        size = math.copysign(min(abs(size), abs(found.peak)), size)
        if measured is None:
            return dataclasses.replace(found, size=size)
        growth = float(measured.core[index])
        return dataclasses.replace(
            found, size=size, growth=growth, share=float(measured.share(growth)),
            error_without=float(measured.error_without(growth)),
        )  # fmt: skip


def _ratio(size: float, typical: float) -> float:
    return size / typical if typical else 0.0


def _typical(factor: Floats, weights: Floats) -> Floats:
    """Return the weighted root mean square of the elements of each column that count; 0 if none."""
    used = counting(factor)
    peaks = np.abs(factor).max(axis=0, initial=0.0)
    scaled = np.where(used, factor, 0.0)
    scaled /= np.where(peaks > 0.0, peaks, 1.0)  # squares must not under- or overflow
    squares = np.einsum("i,ij,ij->j", weights, scaled, scaled)
    totals = np.einsum("i,ij->j", weights, used.astype(np.float64))
    alone = totals == 0.0  # no label of the column has entries
    if alone.any():
        squares[alone] = np.einsum("ij,ij->j", scaled[:, alone], scaled[:, alone])
        totals[alone] = used[:, alone].sum(axis=0)
    return np.asarray(peaks * np.sqrt(squares / np.where(totals > 0.0, totals, 1.0)))


def require_in_range(products: Floats) -> None:
    """Raise if products of core and factors have left the range of double precision.

    Examples
    --------
    >>> require_in_range(np.array([1e300]))
    """
    if not np.isfinite(products).all():
        raise ScaleError(
            "core and factors have elements that are too large together: their products leave the "
            "range of double precision; divide the values by a constant, and fit again"
        )


def relations(model: TuckerModel, n: int | None = None) -> list[Relation]:
    """Return the relations of a model, the strongest first: by growth if measured, else by size.

    The mean of a model with a constant column is none, and neither is a core element that meets a
    column of zeros. Those that add less than a ten thousandth of the largest are left out.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel(
    ...     [[2.0, 0.0], [0.0, -5.0]], [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 1.0]]]
    ... )
    >>> [(each.index, each.size, each.title) for each in relations(model)]
    [((1, 1), -5.0, 'mode_0 1 × mode_1 1'), ((0, 0), 1.58..., 'mode_0 0 × mode_1 0')]
    """
    reading = Reading(model)
    return [reading.relation(index) for index in reading.places[:n]]


def groups(model: TuckerModel, mode: str | int) -> list[Group]:
    """Return the components of a mode as groups of labels, the constant column left out.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0]], [[[1.0]], [[-0.5], [0.0], [3.0]]])
    >>> [(group.title, group.rows.tolist(), group.effects.tolist()) for group in groups(model, 1)]
    [('mode_1 0', [2, 0], [6.0, -1.0])]
    """
    number, reading = model.mode_labels.number(mode), Reading(model)
    first = 1 if model.constant else 0
    return [reading.group(number, j) for j in range(first, model.ranks[number])]


def group_columns(model: TuckerModel, mode: str | int) -> dict[str, Labels]:
    """Return the groups of a mode as columns of a frame; see `TuckerModel.groups_frame`."""
    found = groups(model, mode)
    sizes = [len(group) for group in found]
    number = model.mode_labels.number(mode)
    rows = np.concatenate([np.zeros(0, dtype=np.intp), *(group.rows for group in found)])
    columns: dict[str, Labels] = {
        "component": np.repeat([group.component for group in found], sizes).astype(np.int64),
        "name": np.repeat(np.array([group.title for group in found], dtype=object), sizes),
        "weight": np.concatenate([np.zeros(0), *(group.weights for group in found)]),
        "effect": np.concatenate([np.zeros(0), *(group.effects for group in found)]),
    }
    if model.entries is not None:
        columns["entries"] = model.entries[number][rows]
    name = free_name(model.modes[number], (*columns, "entries"))
    return {name: model.mode_labels.decode(number, rows), **columns}
