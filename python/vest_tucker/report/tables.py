"""A model as the plain tables that a page shows: what was observed, how good it is, what it found.

Nothing here knows HTML. Numbers are the model's own; what a reader sees of components and relations
comes from `Reading`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Counts, Labels
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.labels import default_names
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.data.sources.zones import zone_of
from vest_tucker.model.text import LEARNED
from vest_tucker.reading.captions import most_reliable, pole_labels, pole_text
from vest_tucker.reading.effects import Effects, biases_of, effects_of
from vest_tucker.reading.explain import Explanation
from vest_tucker.reading.groups import Group, Relation
from vest_tucker.reading.ordinals import ranks_of
from vest_tucker.reading.relations import Reading
from vest_tucker.report.html import shortened
from vest_tucker.report.numbers import count, shown, with_unit
from vest_tucker.report.quality import Quality

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

LONGEST = 60  # characters of a label in a title or a sentence
IN_TITLES = 2  # labels of a group in a title
MOST_RELATIONS = 30  # shown with all their groups; the others are in a table to download


@dataclass(frozen=True)
class Table:
    """Rows to show and to download: the name of a file, a caption, and columns by name."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: list[list[object]]


@dataclass(frozen=True, eq=False)
class ModeFacts:
    """What was observed of one mode."""

    name: str
    labels: Labels
    counts: Counts | None

    @cached_property
    def places(self) -> NDArray[np.intp] | None:
        """The place of each label in the order of all; None if labels have no order."""
        return ranks_of(self.labels)

    @property
    def size(self) -> int:
        """How many labels it has."""
        return len(self.labels)

    @property
    def n_seen(self) -> int:
        """How many of its labels had an entry; all, if that is unknown."""
        return self.size if self.counts is None else int(np.count_nonzero(self.counts))

    def examples(self, n: int = 4) -> list[str]:
        """Return the labels with the most entries, or the first ones."""
        if self.counts is None:
            return texts(self.labels[:n])
        return texts(self.labels[np.argsort(-self.counts, kind="stable")[:n]])


@dataclass(frozen=True, eq=False)
class ModelTables:
    """All that a page says of a model; ``unit`` is that of its values, if it was given.

    ``returned`` is in how many of ``others``, fits from other starts, each element of the core came
    back; None if there are no others.
    """

    model: TuckerModel
    unit: str = ""
    n_shown: int = MOST_RELATIONS
    returned: Counts | None = None
    others: int = 0

    @cached_property
    def reading(self) -> Reading:
        """The model as a reader sees it."""
        return Reading(self.model)

    @cached_property
    def relations(self) -> list[Relation]:
        """The strongest relations, with all their groups."""
        return [self.reading.relation(at) for at in self.places[: self.n_shown]]

    @property
    def n_relations(self) -> int:
        """How many relations there are in all."""
        return len(self.places)

    @cached_property
    def effects(self) -> list[Effects]:
        """What belongs to single labels: biases, and effects around a constant column."""
        return [*biases_of(self.model), *effects_of(self.reading)]

    @cached_property
    def places(self) -> list[tuple[int, ...]]:
        """The places of all relations in the core, effects left out, the strongest first."""
        alone = {each.index for each in self.effects}
        return [at for at in self.reading.places if at not in alone]

    @cached_property
    def modes(self) -> list[ModeFacts]:
        """What was observed of each mode."""
        model = self.model
        return [
            ModeFacts(
                name, model.mode_labels.decode(mode, np.arange(dim)),
                None if model.entries is None else model.entries[mode],
            )
            for mode, (name, dim) in enumerate(zip(model.modes, model.shape, strict=True))
        ]  # fmt: skip

    @cached_property
    def all_places(self) -> list[tuple[int, ...]]:
        """The places of all terms of a prediction: relations, then those that add next to nothing.

        The mean of a constant model is not among them.
        """
        told = self.reading.places
        live = self.reading.live.copy()
        if told:
            live[tuple(np.array(told).T)] = False
        rest = np.argwhere(live).tolist()
        return [*told, *(tuple(at) for at in rest)]

    def groups(self, mode: int) -> list[Group]:
        """Return the components of a mode that have labels, the constant one left out."""
        first = 1 if self.model.constant else 0
        own = (self.reading.group(mode, j) for j in range(first, self.model.ranks[mode]))
        return [group for group in own if len(group)]

    @cached_property
    def quality(self) -> Quality:
        """How good the model is."""
        model = self.model
        plain = model.penalty == "bayes"
        biased = plain or (model.offset is not None and bool(model.offset.biases))
        return Quality(
            model.validation_error, model.validation_mean, model.validation_baseline,
            model.validation_entries, "mean and biases alone" if biased else "the mean alone",
            model.error, model.baseline_error,
            math.sqrt(model.noise) if math.isfinite(model.noise) else math.nan,
            math.nan if model.measured is None else model.measured.unexplained,
            "the newest entries" if model.stopped in LEARNED else "the entries fitted",
        )  # fmt: skip

    def scatter(self) -> str:
        """Say how far single values lie from the model, and those of the average weight."""
        noise, totals = self.quality.noise, self.model.row_totals
        if not math.isfinite(noise):
            return ""
        plus_minus = with_unit(f"±\u202f{shown(noise)}", self.unit)
        if totals is None or not self.model.nnz:
            return f"single values scatter by about {plus_minus}"
        weight = float(totals[0].sum()) / self.model.nnz
        average = f"±\u202f{shown(noise / math.sqrt(weight))}"
        return (
            f"values of the average weight {shown(weight)} scatter by about {average}, those of "
            f"weight 1 by {plus_minus}"
        )

    def typical_errors(self) -> tuple[float, float]:
        """Return the typical error of an entry fitted, in the unit of the values, and the mean's.

        Roots of mean squares, each entry counting as its weight; NaN if nothing was measured.
        """
        measured, totals = self.model.measured, self.model.row_totals
        total = float(self.model.nnz if totals is None else totals[0].sum())
        if measured is None or not total > 0.0:
            return math.nan, math.nan
        return math.sqrt(measured.residual / total), math.sqrt(measured.total / total)

    def came_back(self, index: tuple[int, ...] | None) -> str:
        """Say in how many other fits a relation came back; "" if that was not measured."""
        if self.returned is None or index is None:
            return ""
        return f"came back in {int(self.returned[index])} of {count(self.others, 'other fit')}"

    @property
    def named(self) -> bool:
        """Whether the modes were given names."""
        return self.model.modes != default_names(self.model.order)

    @cached_property
    def cell(self) -> tuple[int, ...]:
        """A cell to explain first: the strongest labels of the strongest relation.

        In modes that the relation does not speak of, the label with the most entries.
        """
        rows = []
        for mode, facts in enumerate(self.modes):
            group = self.relations[0].groups[mode] if self.relations else None
            if group is not None and len(group):
                strongest = group.positive if len(group.positive) else group
                rows.append(int(strongest.rows[most_reliable(strongest)[0]]))
            else:
                rows.append(0 if facts.counts is None else int(facts.counts.argmax()))
        return tuple(rows)

    @cached_property
    def example(self) -> Explanation:
        """That cell, taken apart."""
        return self.model.explain(np.array([self.cell]))


def few_labels(group: Group) -> str:
    """Return the strongest labels of a group: those of positive weight if there are any."""
    return pole_text(group.positive) or pole_text(group.negative)


def short_title(group: Group) -> str:
    """Return what a group is called in a title: its name, or else its first labels."""
    if group.named:
        return group.title
    labels, more = first_labels(group, IN_TITLES)
    text = ", ".join(labels) + (" …" if more else "")
    # Numbers say nothing without their mode.
    return f"{group.mode_name} {text}" if group.labels.dtype.kind in "iuf" else text


def first_labels(group: Group, n: int = 3) -> tuple[list[str], int]:
    """Return the first labels of a group, those of positive weight, and how many more there are."""
    side = group.positive if len(group.positive) else group.negative
    labels, more = pole_labels(side, n)
    if len(labels) < n:
        more = 0  # ranges, which cover most of the group
    return [shortened(each, LONGEST) for each in labels], more


def texts(labels: Labels) -> list[str]:
    """Return labels as text: dates as ISO 8601 writes them, without times that are midnight.

    Examples
    --------
    >>> import numpy as np
    >>> texts(np.array(["2021-05-03"], "M8[ns]")), texts(np.array([7, 8]))
    (['2021-05-03'], ['7', '8'])
    """
    if labels.dtype.kind == "M":
        return [plain_text(label) for label in (listed(labels) if zone_of(labels) else labels)]
    if labels.dtype.kind == "m":
        return [str(label) for label in labels.astype(str).tolist()]
    return [str(label) for label in labels.tolist()]
