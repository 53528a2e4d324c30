"""What predictions are made of: mean, biases and the relations that reach a cell, term by term.

The terms add up to what `predict` returns, up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError
from vest_tucker.base.extras import Later
from vest_tucker.base.options import check_choice, is_whole, shown
from vest_tucker.base.public import public
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import Coords, Counts, Flags, Floats, Labels
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.label_arrays import listed
from vest_tucker.model.cells import Cells, CellsLike, find_cells, is_many
from vest_tucker.model.frames import free_names
from vest_tucker.model.meaning.meant import OPTION
from vest_tucker.model.prediction import (
    HowUnseen,
    predict,
    takes_average,
    unknown_rows,
)
from vest_tucker.reading.asking.ranking import averaged, whatever
from vest_tucker.reading.captions import amount
from vest_tucker.reading.ordinals import label_texts
from vest_tucker.reading.terms import terms_of

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.reading import html
else:
    html = Later("vest_tucker.reading.html")  # imports this

TINY = 1e-6  # of the largest term of a cell: what is below adds next to nothing
SHOWN_TERMS, SHOWN_CELLS = 12, 10  # by print
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
        The label of each cell in each mode, as it was given.
    cells : ndarray of int, shape (n_terms,)
        The number of the cell that each term belongs to.
    kinds, texts : ndarray, shape (n_terms,)
        What each term is, and what it is in words.
    index : ndarray of int, shape (n_terms, N)
        The place of each term in the core; -1 for an offset.
    values : ndarray, shape (n_terms,)
    totals : ndarray, shape (n,)
        The predictions: sums of the terms.
    unseen : ndarray of bool, shape (n, N)
        Which of these labels the model has not seen.
    stands_in : bool
        Whether the average stands for labels that were not seen, or nothing does.
    library : str
        The library of the frame that the entries came in, as "polars"; "" if in none.

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
    unseen: Flags
    stands_in: bool
    library: str = ""

    def __len__(self) -> int:
        return len(self.totals)

    def __getitem__(self, number: int) -> Explanation:
        if not self._is_cell(number):
            raise IndexError(self._no_cell(number))
        number = int(number) % len(self)
        first, last = np.searchsorted(self.cells, [number, number + 1])
        own = slice(int(first), int(last))
        return Explanation(
            self.modes, tuple(each[number : number + 1] for each in self.labels),
            self.cells[own] - number, self.kinds[own], self.texts[own], self.index[own],
            self.values[own], self.totals[number : number + 1], self.unseen[number : number + 1],
            self.stands_in, self.library,
        )  # fmt: skip

    def _is_cell(self, number: int) -> bool:
        return is_whole(number) and -len(self) <= number < len(self)

    def _no_cell(self, number: int) -> str:
        return f"there is no cell {shown(number)}; {len(self)} are explained"

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

    def told(self) -> list[tuple[float, str]]:
        """Return value and words of the terms of a single cell, as far as they are worth telling.

        Of many terms the last are told together, and those next to nothing not at all.
        """
        sizes = np.abs(self.values)
        worth = np.flatnonzero(~(sizes < TINY * sizes.max(initial=0.0)))
        few, rest = worth[:SHOWN_TERMS], worth[SHOWN_TERMS:]
        told = list(zip(self.values[few].tolist(), self.texts[few].tolist(), strict=True))
        if len(rest):
            together = f"{len(rest):,} more term{'' if len(rest) == 1 else 's together'}"
            told.append((float(self.values[rest].sum()), together))
        return told

    def title(self, number: int = 0) -> str:
        """Return a cell in words: mode and label of each mode, and whether that was not seen."""
        if not self._is_cell(number):
            raise OptionError(self._no_cell(number))
        labels = (label_texts(listed(each[[number]]))[0] for each in self.labels)
        notes = (not_seen(self.stands_in) if each else "" for each in self.unseen[number].tolist())
        parts = zip(self.modes, labels, notes, strict=True)
        return ", ".join(
            each if each == whatever(mode) else f"{mode} {each}{note}" for mode, each, note in parts
        )

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return a tidy frame, a row per term.

        Its columns are *cell* (a number), the label of each mode, *kind*, *term* (in words) and
        *value*.
        """
        labels = {
            name: each[self.cells]
            for name, each in zip(free_names(self.modes, COLUMNS), self.labels, strict=True)
        }
        columns = {"cell": self.cells, **labels, "kind": self.kinds, "term": self.texts}
        return make_frame({**columns, "value": self.values}, backend, self.library)

    def __repr__(self) -> str:
        return f"Explanation(cells={len(self)}, terms={len(self.values)})"

    def _repr_html_(self) -> str:
        return html.explanation_html(self)

    def __str__(self) -> str:
        blocks = [shown_lines(_lines(self[k])) for k in range(min(len(self), SHOWN_CELLS))]
        if len(self) > SHOWN_CELLS:
            blocks.append(f"and {len(self) - SHOWN_CELLS:,} more cells")
        return "\n".join(blocks)


def not_seen(stands_in: bool) -> str:
    """Say of a label that the model has not seen it, and what takes its place."""
    return " (not seen: the average stands for it)" if stands_in else " (not seen)"


def _lines(one: Explanation) -> Iterator[str]:
    """Yield the lines of a single cell."""
    yield f"{one.title()}: {amount(float(one.totals[0]), 4).removeprefix('+')}"
    told = [(amount(value), text) for value, text in one.told()]
    width = max((len(value) for value, _ in told), default=0)
    for value, text in told:
        yield f"  {value:>{width}}  {text}"
    if not told:
        yield "  no term reaches this cell"


def explain(model: TuckerModel, cells: CellsLike, *, unseen: HowUnseen) -> Explanation:
    """Take predictions apart; see `TuckerModel.explain`."""
    check_choice("unseen", unseen, get_args(HowUnseen))
    if isinstance(cells, tuple) and len(cells) == model.order and not any(map(is_many, cells)):
        cells = [cells]  # a single cell
    if isinstance(cells, Mapping):
        model, cells = _without_left_out(model, cells)
    core, factors = checks.matching_parts(model.core, model.factors, wide=model.constant)
    strict = unseen == "error"
    found = find_cells(cells, model.mode_labels, model.shape, strict=strict, advice=OPTION)
    totals = predict(  # checks the coordinates, too
        core, factors, model.row_amounts, model.mode_labels, found,
        unseen=unseen, threads=0, offset=model.offset, constant=model.constant,
    )  # fmt: skip
    unknown = unknown_rows(found, model.row_amounts)
    terms = terms_of(model, found, unknown, unseen)
    if unknown is None:
        unknown = np.zeros((len(found.coords), model.order), dtype=bool)
    return Explanation(
        model.modes, _labels_of(model, found), terms.cells, terms.kinds, terms.texts, terms.index,
        terms.values, totals, unknown, takes_average(unseen, model.offset),
        model.mode_labels.library,
    )  # fmt: skip


def _without_left_out(
    model: TuckerModel, cells: Mapping[str, Any]
) -> tuple[TuckerModel, Mapping[str, Any]]:
    """Return a model with one row, as "any hour", in each mode that a dict leaves out; and cells.

    A dict that names no mode, or something else, is left to be refused.
    """
    left = [mode for mode, name in enumerate(model.modes) if name not in cells]
    if not left or len(left) == model.order or not set(cells) <= set(model.modes):
        return model, cells
    mean = averaged(model, left)
    return mean, {**cells, **{mean.modes[mode]: whatever(mean.modes[mode]) for mode in left}}


def _labels_of(model: TuckerModel, found: Cells) -> tuple[Labels, ...]:
    labels = []
    for mode in range(model.order):
        own = model.mode_labels.decode(mode, found.coords[:, mode])
        if found.unseen is not None and found.unseen[:, mode].any():
            own, strange = own.astype(object), found.unseen[:, mode]
            given = None if found.columns is None else found.columns[mode]
            own[strange] = "?" if given is None else given.rows(given.labels)[strange]
        labels.append(own)
    return tuple(labels)
