"""A model in sentences and a table: what it is, how good it is, its relations in labels.

The strongest relation comes first. What belongs to one mode alone, biases and effects, is told by
the labels that have the largest; pairs and more are grouped by the modes that they speak of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vest_tucker.base.extras import Later
from vest_tucker.base.options import check_whole, number
from vest_tucker.base.public import public
from vest_tucker.base.text_table import shown_lines
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.labels import default_names
from vest_tucker.model.frames import free_names
from vest_tucker.model.text import held_back_line, held_out_line, held_out_verdict, times
from vest_tucker.reading.captions import (
    TIMES,
    amount,
    caption,
    mostly_opposite,
    percent,
    pole_texts,
    relation_caption,
    size_text,
)
from vest_tucker.reading.effects import Effects, biases_of, effects_of
from vest_tucker.reading.groups import Relation
from vest_tucker.reading.relations import Reading

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.reading import html
else:
    html = Later("vest_tucker.reading.html")  # imports this

WIDEST = 100  # characters of a line; groups that need more have a line each
QUICK = 50_000_000  # elements of a factor, at most, for a summary to look at all of them
OTHER_SIGN = ' "from" and "to" are told if most is added where labels of opposite sides meet.'
STRONGEST, OF_EACH = 5, 2  # relations, and labels of a group that the summary of a model ends with
COLUMNS = ("relation", "size", "growth", "share", "error_without")


@public
@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """A model in sentences and a table; `TuckerModel.describe` makes it, printing it tells it.

    Attributes
    ----------
    sentences : list of str
        What the model is, how much it explains, and how good it is on entries not fitted.
    effects : list of Effects
        What belongs to one mode alone: biases, and effects of models with a constant column.
    relations : list of Relation
        The strongest of all others, at most as many as asked for.
    n_relations : int
        How many there are in all.
    notes : list of str
        How the numbers are to be read.
    modes : tuple of str
    labels : int
        How many labels stand for a group.
    unit : str
        The unit of the values.
    library : str
        The library of the frame that the entries came in, as "polars"; "" if in none.
    """

    sentences: list[str]
    effects: list[Effects]
    relations: list[Relation]
    n_relations: int
    notes: list[str]
    modes: tuple[str, ...]
    labels: int
    unit: str = ""
    library: str = ""

    @property
    def families(self) -> list[tuple[str, list[Relation]]]:
        """The relations by the modes that they speak of, families and relations strongest first."""
        found: dict[str, list[Relation]] = {}
        for relation in self.relations:
            name = TIMES.join(group.mode_name for group in relation.told)
            found.setdefault(name, []).append(relation)
        return list(found.items())

    def amount(self, value: float) -> str:
        """Return a size with its sign and unit."""
        return f"{amount(number('value', value))} {self.unit}".rstrip()

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return a frame with a row per relation, the strongest first.

        Its columns are *relation* (the place in the core, as "0,2,1"), what the group of each mode
        is, in words, *size* (what it adds at typical labels), *growth* (of the squared error
        without it), *share* (that over what the mean leaves) and *error_without*.
        """
        rows = self.relations
        groups = {
            name: np.array(
                [
                    "" if relation.groups[mode].constant
                    else caption(relation.groups[mode], self.labels)
                    for relation in rows
                ],
                dtype=object,
            )
            for mode, name in enumerate(free_names(self.modes, COLUMNS))
        }  # fmt: skip
        index = np.array([",".join(map(str, each.index)) for each in rows], dtype=object)
        numbers = {name: np.array([getattr(each, name) for each in rows]) for name in COLUMNS[1:]}
        return make_frame({"relation": index, **groups, **numbers}, backend, self.library)

    def __repr__(self) -> str:
        return f"Description(relations={len(self.relations)} of {self.n_relations})"

    def __str__(self) -> str:
        return shown_lines(_lines(self))

    def _repr_html_(self) -> str:
        return html.description_html(self)


def describe(model: TuckerModel, n: int, labels: int, unit: str) -> Description:
    """Describe a model; see `TuckerModel.describe`."""
    n, labels = check_whole("n", n, at_least=0), check_whole("labels", labels, at_least=1)
    reading = Reading(model)
    effects = [*biases_of(model), *effects_of(reading)]
    alone = {each.index for each in effects}
    places = [index for index in reading.places if index not in alone]
    relations = [reading.relation(index) for index in places[:n]]
    sentences = list(_sentences(reading, len(places), n_effects=len(effects), unit=unit))
    notes = list(_notes(model, relations))
    return Description(
        sentences, effects, relations, len(places), notes, model.modes, labels, unit,
        model.mode_labels.library,
    )  # fmt: skip


# --- Sentences ------------------------------------------------------------------------------------


def _sentences(reading: Reading, n_relations: int, n_effects: int, unit: str) -> Iterator[str]:
    model = reading.model
    named = model.modes != default_names(model.order)
    names = f" ({', '.join(model.modes)})" if named else ""
    fitted = f", fitted to {model.nnz:,} entries" if model.nnz else ""
    yield f"A model of {times(model.shape)}{names}{fitted}."
    parts = []
    if model.offset is not None:
        parts.append(f"the mean {model.offset.mean:.4g} {unit}".rstrip())
    elif model.constant:
        level = float(model.core[(0,) * model.order])
        parts.append(f"the base level {level:.4g} {unit}".rstrip())
    if n_effects:
        kind = "effects" if model.constant else "biases"
        parts.append(f"{kind} of {n_effects} mode{'' if n_effects == 1 else 's'}")
    parts.append(f"{n_relations:,} relation{'' if n_relations == 1 else 's'}")
    rest = reading.n_negligible
    small = f"; {rest:,} more add{'s' if rest == 1 else ''} next to nothing" if rest else ""
    yield f"A prediction is the sum of {_listed(parts)}{small}."
    yield _explained(model)
    held_out = _held_out(model)
    if held_out:
        yield held_out


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _explained(model: TuckerModel) -> str:
    measured = model.measured
    if measured is None:
        return "How much each part carries was not measured: model.measure_importance(X) does it."
    rest = measured.unexplained
    if math.isnan(rest):
        return "All values fitted are the same: there is nothing to explain."
    if rest > 1.0:
        return "On the entries fitted the error is larger than that of always predicting the mean."
    return (
        f"Together they explain {percent(1.0 - rest)} of what always predicting the mean leaves of "
        f"the entries fitted; unexplained: {percent(rest)}."
    )


def _held_out(model: TuckerModel) -> str:
    if not math.isnan(model.validation_mean):
        told = f"Held out: {held_out_line(model)}; {held_out_verdict(model)}."
        if not model.validation_mean > 0.0:
            return told
        rest = (model.validation_error / model.validation_mean) ** 2
        return f"{told} Unexplained there: {percent(min(rest, 1.0))}."
    if not math.isnan(model.validation_error):
        return f"Held back: {held_back_line(model.validation_error, model.validation_baseline)}."
    return "How good it is on entries that were not fitted was not measured." if model.nnz else ""


def _notes(model: TuckerModel, relations: list[Relation]) -> Iterator[str]:
    if not relations:
        return
    yield (
        "Sizes are what a relation adds where labels are typical of their groups, in the unit of "
        'the values; "up to" is what it adds at the strongest labels.'
        + (OTHER_SIGN if any(mostly_opposite(each) for each in relations) else "")
    )
    if model.entries is not None:
        yield "Of a group the labels of the largest weights are named, those with few entries last."
    if model.measured is None:
        return
    yield (
        "Shares are what the squared error grows by without it, of what the mean leaves; what two "
        "relations explain together is missed without either."
    )
    has_mean = model.constant or model.offset is not None
    if not has_mean and max(relation.share for relation in relations) > 1.0:
        yield "The model has no mean of its own: its relations carry the level of the values, too."


# --- Lines ----------------------------------------------------------------------------------------


def _lines(told: Description) -> Iterator[str]:
    yield from told.sentences
    for effects in told.effects:
        yield ""
        yield from effects.lines(told.labels, told.unit)
    families = told.families
    for name, relations in families:
        yield ""
        yield f"{name}:" if len(families) > 1 or told.effects else "Relations:"
        lines = list(relation_lines(relations, told.labels, told.unit))
        if max(map(len, lines)) > WIDEST:
            lines = list(relation_blocks(relations, told.labels, told.unit))
        yield from lines
    more = told.n_relations - len(told.relations)
    if more:
        yield f"and {more:,} more relation{'' if more == 1 else 's'}"
    if told.notes:
        yield ""
        yield from told.notes


def relation_lines(
    relations: Sequence[Relation], labels: int, unit: str = "", *, brief: bool = False
) -> Iterator[str]:
    """Yield a line per relation: its size, its share if measured, and its groups."""
    sizes = [amount(each.size) if brief else size_text(each, unit) for each in relations]
    indent = "    " if brief else "  "
    shares = [percent(each.share) for each in relations]
    width, wide = (max(map(len, texts), default=0) for texts in (sizes, shares))
    for relation, size, share in zip(relations, sizes, shares, strict=True):
        measured = f"{share:>{wide}}  " if wide else ""
        yield f"{indent}{size:>{width}}  {measured}{relation_caption(relation, labels)}"


def relation_blocks(relations: Sequence[Relation], labels: int, unit: str) -> Iterator[str]:
    """Yield a few lines per relation, a line for each group and each pole."""
    for relation in relations:
        share = percent(relation.share)
        without = f"; error {relation.error_without:.4f} without it" if share else ""
        yield f"  {size_text(relation, unit)}{f', {share}' if share else ''}{without}"
        width = max(len(group.mode_name) for group in relation.told)
        for group in relation.told:
            for_, against = (group.title, "") if group.named else pole_texts(group, labels)
            yield f"    {group.mode_name:<{width}}  {for_ or against}"
            if for_ and against:
                yield f"    {'':<{width}}  against {against}"


def strongest_relations(model: TuckerModel, n: int = STRONGEST) -> tuple[list[Relation], int]:
    """Return the strongest relations of more than one mode, and how many more there are."""
    reading = Reading(model)
    places = [index for index in reading.places if not _is_effect(model, index)]
    return [reading.relation(index) for index in places[:n]], max(0, len(places) - n)


def strongest_lines(model: TuckerModel) -> Iterator[str]:
    """Yield the end of the summary of a model: its strongest relations in labels.

    A model of very many elements is only told if asked, because a summary should not take seconds.
    """
    if max(factor.size for factor in model.factors) > QUICK:
        yield "  strongest relations: model.describe() tells them"
        return
    relations, more = strongest_relations(model)
    if not relations:
        return
    of = "" if model.measured is None else ", share of what the mean leaves"
    has_mean = model.constant or model.offset is not None
    if of and not has_mean and max(relation.share for relation in relations) > 1.0:
        of += "; above 100 %: it carries the level of the values, too"
    yield f"  strongest relations (size at typical labels{of}):"
    yield from relation_lines(relations, OF_EACH, brief=True)
    if more:
        yield f"    and {more:,} more; model.describe() tells them"


def _is_effect(model: TuckerModel, index: tuple[int, ...]) -> bool:
    return model.constant and np.count_nonzero(index) == 1
