"""What belongs to one mode alone: biases of an offset, effects around a constant column."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.data.label_arrays import listed
from vest_tucker.model.frames import strongest_first
from vest_tucker.reading.captions import amount, most_reliable, percent
from vest_tucker.reading.groups import Group
from vest_tucker.reading.ordinals import label_texts
from vest_tucker.reading.relations import Reading

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel


@dataclass(frozen=True, eq=False)
class Effects:
    """The effect of each label of a mode, whatever the other labels are.

    Attributes
    ----------
    kind : {"biases", "effects"}
    group : Group
        The labels, with effects in the unit of the values.
    index : tuple of int, or None
        The place in the core; None for biases.
    spread : float
        How large an effect typically is: the root mean square over the entries of all labels that
        have one.
    growth, share, error_without : float
        As of a relation; NaN if that was not measured.
    """

    kind: str
    group: Group
    index: tuple[int, ...] | None
    spread: float
    growth: float = math.nan
    share: float = math.nan
    error_without: float = math.nan

    @property
    def title(self) -> str:
        """What it is in words."""
        own = f" ({self.group.title})" if self.group.named else ""
        return f"{self.kind.capitalize()} of {self.group.mode_name}{own}"

    def pole(self, *, up: bool, n: int) -> list[tuple[str, float]]:
        """Return labels that raise predictions most, or lower them most, with their effects.

        Effects of labels with few entries count less, so that chance does not come first.
        """
        effects = self.group.effects
        own = self.group.chosen(effects > 0.0 if up else effects < 0.0)
        own = own.chosen(most_reliable(own)[:n])
        own = own.chosen(strongest_first(own.weights))
        return list(zip(label_texts(listed(own.labels)), own.effects.tolist(), strict=True))

    def lines(self, n: int, unit: str = "") -> Iterator[str]:
        """Yield them as text: how large they are, and the largest both ways."""
        share = f", {percent(self.share)}" if not math.isnan(self.share) else ""
        spread = f"{amount(self.spread).removeprefix('+')} {unit}".rstrip()
        yield f"{self.title}: typically {spread}{share}"
        for up in (True, False):
            told = [
                f"{label} {amount(effect)} {unit}".rstrip()
                for label, effect in self.pole(up=up, n=n)
            ]
            if told:
                yield f"  {', '.join(told)}"


def effects_of(reading: Reading) -> Iterator[Effects]:
    """Yield the effects of one mode of a model with a constant column, the strongest first."""
    if not reading.model.constant:
        return
    for index in reading.places:
        if np.count_nonzero(index) == 1:
            relation = reading.relation(index)
            (group,) = relation.told
            spread = float(reading.spread[group.mode][group.component]) * abs(group.scale)
            yield Effects(
                "effects", group, index, spread, relation.growth, relation.share,
                relation.error_without,
            )  # fmt: skip


def biases_of(model: TuckerModel) -> Iterator[Effects]:
    """Yield the biases of each mode, those that carry most first."""
    if model.offset is None or not model.offset.biases:
        return
    found = []
    for mode, biases in enumerate(model.offset.biases):
        rows = strongest_first(biases)[: np.count_nonzero(biases)]
        counts = None if model.entries is None else model.entries[mode]
        weights = np.ones(len(rows)) if counts is None else counts[rows].astype(np.float64)
        square = np.average(biases[rows] ** 2, weights=weights) if weights.any() else 0.0
        spread = math.sqrt(float(square))
        group = Group(
            mode, model.modes[mode], -1, f"{model.modes[mode]} -1", False, rows,
            model.mode_labels.decode(mode, rows), biases[rows], 1.0,
            None if counts is None else counts[rows], None, spread, len(biases),
        )  # fmt: skip
        found.append(_measured(model, Effects("biases", group, None, spread), mode))
    yield from sorted(found, key=lambda each: -(each.growth if each.growth >= 0.0 else each.spread))


def _measured(model: TuckerModel, effects: Effects, mode: int) -> Effects:
    measured = model.measured
    if measured is None or len(measured.offset) <= mode:
        return effects
    growth = measured.offset[mode]
    return dataclasses.replace(
        effects, growth=growth, share=float(measured.share(growth)),
        error_without=float(measured.error_without(growth)),
    )  # fmt: skip
