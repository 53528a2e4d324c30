"""What predictions are made of: mean, biases and the relations that reach a cell, term by term.

The terms add up to what `predict` returns, up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base import checks
from vest_tucker.base.options import check_choice
from vest_tucker.base.public import public
from vest_tucker.base.types import Coords, Counts, Flags, Floats, Labels
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.model.cells import Cells, CellsLike, find_cells, is_many
from vest_tucker.model.frames import free_name
from vest_tucker.model.prediction import (
    HowUnseen,
    average_rows,
    predict,
    takes_average,
    unknown_rows,
    with_stand_ins,
)
from vest_tucker.reading.captions import amount, relation_caption
from vest_tucker.reading.ordinals import label_text
from vest_tucker.reading.relations import Reading

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

AT_ONCE = 1 << 22  # terms that are held in memory before zeros are dropped
SHOWN_TERMS, SHOWN_CELLS = 12, 10  # by print
KINDS = ("mean", "bias", "effect", "relation", "unseen")
COLUMNS = ("cell", "kind", "term", "value")


@dataclass(frozen=True)
class Term:
    """One summand of a prediction.

    ``kind`` is "mean", "bias" (of a label, in an offset), "effect" (of a label, in a model with a
    constant column) or "relation"; "unseen" is a NaN that was asked for. ``index`` is the place
    in the core, None for an offset.
    """

    kind: str
    text: str
    index: tuple[int, ...] | None
    value: float


@public
@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What predictions are made of, term by term; `TuckerModel.explain` makes it, print tells it.

    Terms are sorted by cell; within a cell mean, biases and effects come first, then relations, the
    largest magnitudes first. ``explanation[k]`` is that of cell k alone.

    Attributes
    ----------
    modes : tuple of str
    labels : tuple of ndarray, shape (n,)
        The label of each cell in each mode, as text; "?" for one that the model does not have.
    cells : ndarray of int, shape (n_terms,)
        The number of the cell that each term belongs to.
    kinds, texts : ndarray, shape (n_terms,)
        What each term is, and what it is in words.
    index : ndarray of int, shape (n_terms, N)
        The place of each term in the core; -1 for an offset.
    values : ndarray, shape (n_terms,)
    totals : ndarray, shape (n,)
        The predictions: sums of the terms.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]])
    >>> explanation = model.explain([[1, 1], [0, 0]])
    >>> explanation.totals.tolist(), [term.value for term in explanation[1].terms]
    ([3.0, 2.0], [2.0])
    """

    modes: tuple[str, ...]
    labels: tuple[Labels, ...]
    cells: Counts
    kinds: Labels
    texts: Labels
    index: Coords
    values: Floats
    totals: Floats

    def __len__(self) -> int:
        return len(self.totals)

    def __getitem__(self, number: int) -> Explanation:
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no cell {number}; {len(self)} are explained")
        number = int(number) % len(self)
        first, last = np.searchsorted(self.cells, [number, number + 1])
        own = slice(int(first), int(last))
        return Explanation(
            self.modes, tuple(each[number : number + 1] for each in self.labels),
            self.cells[own] - number, self.kinds[own], self.texts[own], self.index[own],
            self.values[own], self.totals[number : number + 1],
        )  # fmt: skip

    def __iter__(self) -> Iterator[Explanation]:
        return (self[number] for number in range(len(self)))

    @property
    def terms(self) -> list[Term]:
        """The terms of all cells, one after the other; of ``explanation[k]`` those of cell k."""
        rows = zip(
            self.kinds.tolist(), self.texts.tolist(), self.index.tolist(), self.values.tolist(),
            strict=True,
        )  # fmt: skip
        return [
            Term(kind, text, tuple(index) if min(index) >= 0 else None, value)
            for kind, text, index, value in rows
        ]

    def title(self, number: int = 0) -> str:
        """Return a cell in words: mode and label of each mode."""
        labels = (label_text(each[number]) for each in self.labels)
        return ", ".join(f"{mode} {each}" for mode, each in zip(self.modes, labels, strict=True))

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return a tidy frame, a row per term.

        Its columns are *cell* (a number), the label of each mode, *kind*, *term* (in words) and
        *value*.
        """
        labels = {
            free_name(mode, COLUMNS): each[self.cells]
            for mode, each in zip(self.modes, self.labels, strict=True)
        }
        columns = {"cell": self.cells, **labels, "kind": self.kinds, "term": self.texts}
        return make_frame({**columns, "value": self.values}, backend)

    def __repr__(self) -> str:
        return f"Explanation(cells={len(self)}, terms={len(self.values)})"

    def _repr_html_(self) -> str:
        from vest_tucker.reading.html import explanation_html

        return explanation_html(self)

    def __str__(self) -> str:
        blocks = ["\n".join(_lines(self[k])) for k in range(min(len(self), SHOWN_CELLS))]
        if len(self) > SHOWN_CELLS:
            blocks.append(f"and {len(self) - SHOWN_CELLS:,} more cells")
        return "\n".join(blocks)


def _lines(one: Explanation) -> Iterator[str]:
    """Yield the lines of a single cell."""
    yield f"{one.title()}: {amount(float(one.totals[0]), 4).removeprefix('+')}"
    values = [amount(float(value)) for value in one.values[:SHOWN_TERMS]]
    rest = one.values[SHOWN_TERMS:]
    texts = one.texts[:SHOWN_TERMS].tolist()
    if len(rest):
        values.append(amount(float(rest.sum())))
        texts.append(f"{len(rest):,} more terms together")
    width = max((len(value) for value in values), default=0)
    for value, text in zip(values, texts, strict=True):
        yield f"  {value:>{width}}  {text}"
    if not values:
        yield "  no term reaches this cell"


def explain(model: TuckerModel, cells: CellsLike, *, unseen: HowUnseen) -> Explanation:
    """Take predictions apart; see `TuckerModel.explain`."""
    check_choice("unseen", unseen, get_args(HowUnseen))
    core, factors = checks.matching_parts(model.core, model.factors, wide=model.constant)
    if isinstance(cells, tuple) and len(cells) == model.order and not any(map(is_many, cells)):
        cells = [cells]  # a single cell
    found = find_cells(cells, model.mode_labels, model.shape, strict=unseen == "error")
    totals = predict(  # checks the coordinates, too
        core, factors, model.row_amounts, model.mode_labels, found,
        unseen=unseen, threads=0, offset=model.offset, constant=model.constant,
    )  # fmt: skip
    unknown = unknown_rows(found, model.row_amounts)
    pieces = [*_of_offset(model, found, unknown), *_of_core(model, found, unknown, unseen)]
    cell, kind, text, index, value = _joined(pieces, model.order)
    # Mean, biases and effects first, as a reader builds a prediction up; then by magnitude.
    rank = np.array([0, 1, 1, 2, 3])[kind]
    order = np.lexsort((-np.abs(value), rank, cell))
    kinds = np.array(KINDS, dtype=object)[kind[order]]
    return Explanation(
        model.modes, _labels_of(model, found), cell[order], kinds, text[order], index[order],
        value[order], totals,
    )  # fmt: skip


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
    none = Piece(np.zeros(0, np.int64), 0, np.zeros(0, object), None, np.zeros(0))
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
    yield Piece(np.arange(n), 0, _same("mean", n), None, np.full(n, offset.mean))
    for mode, biases in enumerate(offset.biases):
        added = biases[found.coords[:, mode]]
        if unknown is not None:
            added[unknown[:, mode]] = 0.0
        at = np.flatnonzero(added)
        texts = _texts_of_rows("bias of ", model, mode, found.coords[at, mode])
        yield Piece(at, 1, texts, None, added[at])


def _of_core(
    model: TuckerModel, found: Cells, unknown: Flags | None, unseen: HowUnseen
) -> Iterator[Piece]:
    """Yield the terms of the core that are not zero, a batch of cells at a time."""
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
                yield Piece(gone, 4, texts, None, np.full(len(gone), np.nan))
            cells, coords = cells[~concerned], coords[~concerned]
    reading = Reading(model)
    live = reading.live.copy()
    if model.constant:
        live[(0,) * model.order] = model.core[(0,) * model.order] != 0.0  # the mean is a term, too
    places = np.argwhere(live).astype(np.int32)
    told = _told(reading, places)
    values = model.core[tuple(places.T)]
    step = max(1, AT_ONCE // max(1, len(places)))
    for begin in range(0, len(cells), step):
        rows = coords[begin : begin + step]
        terms = np.repeat(values[None], len(rows), axis=0)
        for mode, factor in enumerate(factors):
            terms *= factor[rows[:, mode]][:, places[:, mode]]
        at, which = np.nonzero(terms)
        own = cells[begin + at]
        yield from _pieces(model, found, told, own, which, places[which], terms[at, which])


class Told(NamedTuple):
    """What each element of the core is called, and its kind; the mode of an effect, else -1."""

    texts: Labels
    kinds: NDArray[np.intp]
    modes: NDArray[np.intp]


def _told(reading: Reading, places: Coords) -> Told:
    kinds = np.full(len(places), 3)
    modes = np.full(len(places), -1)
    if reading.model.constant:
        n_told = np.count_nonzero(places, axis=1)
        kinds[n_told == 0], kinds[n_told == 1] = 0, 2
        modes[n_told == 1] = (places[n_told == 1] != 0).argmax(axis=1)
    texts = np.empty(len(places), dtype=object)
    for number, (place, kind) in enumerate(zip(places.tolist(), kinds.tolist(), strict=True)):
        texts[number] = "mean"
        if kind == 3:
            texts[number] = relation_caption(reading.relation(tuple(place)))
    return Told(texts, kinds, modes)


def _pieces(
    model: TuckerModel, found: Cells, told: Told, cells: Counts, which: NDArray[np.intp],
    index: Coords, values: Floats,
) -> Iterator[Piece]:  # fmt: skip
    """Yield terms of the core by kind; an effect is told by the label that has it."""
    kinds, modes = told.kinds[which], told.modes[which]
    for kind in (0, 3):
        own = kinds == kind
        yield Piece(cells[own], kind, told.texts[which[own]], index[own], values[own])
    for mode in range(model.order):
        own = modes == mode
        texts = _texts_of_rows("effect of ", model, mode, found.coords[cells[own], mode])
        yield Piece(cells[own], 2, texts, index[own], values[own])


def _same(text: str, n: int) -> Labels:
    return np.full(n, text, dtype=object)


def _texts_of_rows(prefix: str, model: TuckerModel, mode: int, rows: Any) -> Labels:
    """Return mode and label of rows as text, each different row written once."""
    distinct, at = np.unique(rows, return_inverse=True)
    labels = model.mode_labels.decode(mode, distinct).tolist()
    texts = np.array(
        [f"{prefix}{model.modes[mode]} {label_text(each)}" for each in labels], dtype=object
    )
    return texts[at] if len(distinct) else np.zeros(0, dtype=object)


def _labels_of(model: TuckerModel, found: Cells) -> tuple[Labels, ...]:
    labels = []
    for mode in range(model.order):
        own = model.mode_labels.decode(mode, found.coords[:, mode])
        if found.unseen is not None and found.unseen[:, mode].any():
            own = own.astype(object)
            own[found.unseen[:, mode]] = "?"
        labels.append(own)
    return tuple(labels)
