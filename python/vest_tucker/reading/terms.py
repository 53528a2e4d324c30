"""The terms of predictions: what mean, biases and each core element add to each of many cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Coords, Counts, Flags, Floats, Labels
from vest_tucker.data.label_arrays import listed
from vest_tucker.model.cells import Cells
from vest_tucker.model.prediction import HowUnseen, average_rows, takes_average, with_stand_ins
from vest_tucker.reading.captions import TIMES, caption
from vest_tucker.reading.ordinals import label_text
from vest_tucker.reading.relations import Reading, require_in_range

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

AT_ONCE = 1 << 22  # terms that are held in memory before zeros are dropped
LABELS = 2  # that stand for a group
KINDS = ("mean", "bias", "effect", "relation", "unseen")
MEAN, BIAS, EFFECT, RELATION, UNSEEN = range(len(KINDS))
# Mean, biases and effects first, as a reader builds a prediction up; then relations.
ORDER = np.array([0, 1, 1, 2, 3])


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms of many cells, sorted by cell; fields as of an `Explanation`."""

    cells: Counts
    kinds: Labels
    texts: Labels
    index: Coords
    values: Floats


def terms_of(model: TuckerModel, found: Cells, unknown: Flags | None, unseen: HowUnseen) -> Terms:
    """Return all terms that are not zero; ``unknown`` marks rows that the model has not seen."""
    pieces = [*_of_offset(model, found, unknown), *_of_core(model, found, unknown, unseen)]
    cells, kinds, texts, index, values = _joined(pieces, model.order)
    order = np.lexsort((-np.abs(values), ORDER[kinds], cells))
    named = np.array(KINDS, dtype=object)[kinds[order]]
    return Terms(cells[order], named, texts[order], index[order], values[order])


@dataclass(frozen=True, eq=False)
class Piece:
    """Terms of one kind of some cells."""

    cells: Counts
    kind: int
    texts: Labels
    index: Coords | None
    values: Floats


def _joined(pieces: list[Piece], order: int) -> tuple[Counts, Counts, Labels, Coords, Floats]:
    """Put pieces one behind the other."""
    none = Piece(np.zeros(0, np.int64), MEAN, np.zeros(0, object), None, np.zeros(0))
    some = pieces or [none]
    sizes = [len(piece.values) for piece in some]
    index = [
        np.full((size, order), -1, np.int32) if piece.index is None else piece.index
        for piece, size in zip(some, sizes, strict=True)
    ]
    return (
        np.concatenate([piece.cells for piece in some]),
        np.repeat([piece.kind for piece in some], sizes),
        np.concatenate([piece.texts for piece in some]),
        np.concatenate(index),
        np.concatenate([piece.values for piece in some]),
    )


def _of_offset(model: TuckerModel, found: Cells, unknown: Flags | None) -> Iterator[Piece]:
    offset, n = model.offset, len(found.coords)
    if offset is None:
        return
    yield Piece(np.arange(n), MEAN, _same("mean", n), None, np.full(n, offset.mean))
    for mode, biases in enumerate(offset.biases):
        added = biases[found.coords[:, mode]]
        if unknown is not None:
            added[unknown[:, mode]] = 0.0
        at = np.flatnonzero(added)
        texts = _texts_of_rows("bias of ", model, mode, found.coords[at, mode])
        yield Piece(at, BIAS, texts, None, added[at])


def _of_core(
    model: TuckerModel, found: Cells, unknown: Flags | None, unseen: HowUnseen
) -> Iterator[Piece]:
    """Yield the terms of the core that are not zero."""
    coords, cells = found.coords, np.arange(len(found.coords))
    factors = list(model.factors)
    if unknown is not None and unknown.any():
        concerned = unknown.any(axis=1)
        if takes_average(unseen, model.offset):
            means = average_rows(factors, model.row_amounts, unknown, constant=model.constant)
            factors, coords = with_stand_ins(factors, means, coords, unknown)
        else:
            if unseen == "nan":
                gone = np.flatnonzero(concerned)
                texts = _same("a label that the model has not seen", len(gone))
                yield Piece(gone, UNSEEN, texts, None, np.full(len(gone), np.nan))
            cells, coords = cells[~concerned], coords[~concerned]
    reading = Reading(model)
    live = reading.live.copy()
    if model.constant:
        live[(0,) * model.order] = model.core[(0,) * model.order] != 0.0  # the mean is a term, too
    places = np.argwhere(live).astype(np.int32)
    at, which, values = _products(model.core[tuple(places.T)], factors, coords, places)
    reached, which = np.unique(which, return_inverse=True)  # others need no words
    told = _told(reading, places[reached])
    yield from _pieces(model, found, told, cells[at], which, places[reached[which]], values)


def _products(
    core: Floats, factors: list[Floats], coords: Coords, places: Coords
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return row, element and value of each product that is not zero, a batch at a time."""
    step = max(1, AT_ONCE // max(1, len(places)))
    found = []
    for begin in range(0, max(len(coords), 1), step):
        rows = coords[begin : begin + step]
        terms = np.repeat(core[None], len(rows), axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            for mode, factor in enumerate(factors):
                terms *= factor[rows[:, mode]][:, places[:, mode]]
        require_in_range(terms)
        at, which = np.nonzero(terms)
        found.append((begin + at, which, terms[at, which]))
    at, which, values = (np.concatenate(each) for each in zip(*found, strict=True))
    return at, which, values


class Told(NamedTuple):
    """What each element of the core is called, and its kind; the mode of an effect, else -1."""

    texts: Labels
    kinds: NDArray[np.intp]
    modes: NDArray[np.intp]


def _told(reading: Reading, places: Coords) -> Told:
    kinds = np.full(len(places), RELATION)
    modes = np.full(len(places), -1)
    if reading.model.constant:
        n_told = np.count_nonzero(places, axis=1)
        kinds[n_told == 0], kinds[n_told == 1] = MEAN, EFFECT
        modes[n_told == 1] = (places[n_told == 1] != 0).argmax(axis=1)
    texts = np.empty(len(places), dtype=object)
    for number, (place, kind) in enumerate(zip(places.tolist(), kinds.tolist(), strict=True)):
        if kind != RELATION:
            texts[number] = "base level"
            continue
        groups = reading.told_groups(tuple(place))
        texts[number] = TIMES.join(caption(each, LABELS) for each in groups if not each.constant)
    return Told(texts, kinds, modes)


def _pieces(
    model: TuckerModel, found: Cells, told: Told, cells: Counts, which: NDArray[np.intp],
    index: Coords, values: Floats,
) -> Iterator[Piece]:  # fmt: skip
    """Yield terms of the core by kind; an effect is told by the label that has it."""
    kinds, modes = told.kinds[which], told.modes[which]
    for kind in (MEAN, RELATION):
        own = kinds == kind
        yield Piece(cells[own], kind, told.texts[which[own]], index[own], values[own])
    for mode in range(model.order):
        own = modes == mode
        texts = _texts_of_rows("effect of ", model, mode, found.coords[cells[own], mode])
        yield Piece(cells[own], EFFECT, texts, index[own], values[own])


def _same(text: str, n: int) -> Labels:
    return np.full(n, text, dtype=object)


def _texts_of_rows(prefix: str, model: TuckerModel, mode: int, rows: Any) -> Labels:
    """Return mode and label of rows as text, each different row written once."""
    distinct, at = np.unique(rows, return_inverse=True)
    labels = listed(model.mode_labels.decode(mode, distinct))
    texts = np.array(
        [f"{prefix}{model.modes[mode]} {label_text(each)}" for each in labels], dtype=object
    )
    return texts[at] if len(distinct) else np.zeros(0, dtype=object)
