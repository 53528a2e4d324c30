"""The best labels of one mode for what is given in others: `TuckerModel.recommend`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import ModeError, OptionError
from vest_tucker.base.html import paragraph, table, whole
from vest_tucker.base.options import check_flag, check_threads, check_whole, is_whole
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import step
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import Coords, Counts, Flags, Floats, Labels
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.labels import ModeLabels
from vest_tucker.model.cells import CellsLike
from vest_tucker.model.frames import VALUE, free_names
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import takes_average
from vest_tucker.reading.asking.asked import Given, read_asked
from vest_tucker.reading.asking.excluded import Excluded, find_excluded, nothing_excluded
from vest_tucker.reading.asking.ranking import Ranking, averaged, ranking
from vest_tucker.reading.explain import Explanation, not_seen
from vest_tucker.reading.ordinals import label_text, label_texts

PLACE = "place"
SHOWN = 5  # questions in the text
# What is answered at once: exclusions together, where a question itself counts as so many.
AT_ONCE, PER_QUESTION = 2**24, 2**8


@public
@dataclass(frozen=True, eq=False, repr=False)
class Recommendations:
    """The best labels of one mode for each of some questions; `TuckerModel.recommend` returns them.

    Attributes
    ----------
    along : str
        The mode whose labels were compared.
    given : dict of str to ndarray, shape (n,)
        The labels that each question names, by mode.
    rows : ndarray of int, shape (n, k)
        The rows of the best labels in the factor of that mode, the best first; -1 where fewer than
        k were left.
    values : ndarray, shape (n, k)
        What the model predicts for them; NaN where fewer were left.
    largest : bool
        Whether the largest predictions are the best.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> labels = {"person": ["ann", "bob"], "dish": ["soup", "rice", "tea"]}
    >>> model = vt.TuckerModel(
    ...     [[2.0]], [[[1.0], [3.0]], [[1.0], [0.5], [2.0]]], modes=tuple(labels), labels=labels
    ... )
    >>> best = model.recommend({"person": ["ann", "bob"]}, along="dish", k=2)
    >>> best.labels.tolist(), best.values.tolist()
    ([['tea', 'soup'], ['tea', 'soup']], [[4.0, 2.0], [12.0, 6.0]])
    >>> print(best)
    The 2 largest predictions of 3 along dish
    person ann
       1  tea         4
       2  soup        2
    person bob
       1  tea        12
       2  soup        6
    """

    along: str
    given: dict[str, Labels]
    rows: Coords
    values: Floats
    largest: bool
    _model: TuckerModel
    _unseen: Flags
    library: str = ""

    @property
    def _mode(self) -> int:
        return self._model.mode_labels.number(self.along)

    @property
    def labels(self) -> Labels:
        """The best labels, of shape (n, k), the best first; None where fewer than k were left."""
        found = self._model.mode_labels.decode(self._mode, self.rows)
        missing = self.rows < 0
        if missing.any():
            found = found.astype(object)
            found[missing] = None
        return found

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return a frame with one row per answer: what was given, place (from 1), label, value.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> model = vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5], [2.0]]])
        >>> model.recommend({"mode_0": 1}, along="mode_1", k=2).frame()
           mode_0  place  mode_1  value
        0       1      1       2   12.0
        1       1      2       0    6.0
        """
        question, place = np.nonzero(self.rows >= 0)
        *given, along = free_names([*self.given, self.along], (PLACE, VALUE))
        labels = [each[question] for each in self.given.values()]
        columns = dict(zip(given, labels, strict=True))
        columns[PLACE] = place + 1
        found = self.rows[question, place]
        columns[along] = self._model.mode_labels.decode(self._mode, found)
        columns[VALUE] = self.values[question, place]
        return make_frame(columns, backend, self.library)

    def explain(self, row: int = 0, place: int = 1) -> Explanation:
        """Say what a prediction is made of, as `TuckerModel.explain` does.

        Modes that were not given are averaged over first: they have one label, as "any hour".

        Parameters
        ----------
        row : int
            Which question, from 0.
        place : int
            Which of its answers, from 1 for the best.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> model = vt.fit(vt.datasets.demo(), seed=0)
        >>> print(model.recommend({"person": "Leo (clerk)", "hour": 8}, along="dish").explain())
        person Leo (clerk), dish muesli, hour 8: 23.4
          +23.4  Leo (clerk), Ivan (clerk) ... × muesli, scrambled eggs ... × hour 7 to 10
        """
        n, k = self.rows.shape
        there = is_whole(row) and -n <= row < n and is_whole(place) and 1 <= place <= k
        if not there or self.rows[row, place - 1] < 0:
            raise OptionError(
                f"there is no answer in row {row!r} at place {place!r}; there are {n:,} rows, from "
                f"0, and at most {k:,} places, from 1"
            )
        return self._model.explain(self._cell(row, place - 1))

    def _cell(self, row: int, place: int) -> dict[str, Labels]:
        """Return the cell of an answer, with the only label of each mode that was averaged over."""
        named = self._model.mode_labels
        cell = {name: named.decode(name, [0]) for name in named.names}
        cell |= {name: each[[row]] for name, each in self.given.items()}
        return cell | {self.along: named.decode(self.along, self.rows[row, [place]])}

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        n, k = self.rows.shape
        return f"Recommendations({n:,} x {k:,} along {self.along!r})"

    def __str__(self) -> str:
        return shown_lines(self._lines())

    def _repr_html_(self) -> str:
        shown = self._shown()
        names = [*self.given, "", self.along, "prediction"]
        rows = [[*given, *answer] for given, answers in shown for answer in answers]
        right = (len(self.given), len(self.given) + 2)
        parts = [paragraph(self._title()), table(names, rows, numbers=right)]
        return whole([*parts, paragraph(self._more())] if self._more() else parts)

    def _lines(self) -> Iterator[str]:
        shown = self._shown()
        texts = [text for _, answers in shown for _, text, _ in answers]
        width = max(map(len, texts), default=0)
        yield self._title()
        for given, answers in shown:
            if given:
                named = zip(self.given, given, strict=True)
                yield ", ".join(f"{name} {text}" for name, text in named)
            for place, text, value in answers:
                yield f"  {place:>2}  {text:<{width}}  {value:>7}"
            if not answers:
                yield "      all labels are left out"
        if self._more():
            yield self._more()

    def _title(self) -> str:
        kind = "largest" if self.largest else "smallest"
        names = self._model.mode_labels.names
        free = [name for name in names if name not in (*self.given, self.along)]
        whatever = "".join(f", any {name}" for name in free)
        rows = self._model.shape[self._mode]
        best = f"{self.rows.shape[1]:,} {kind} predictions"
        return f"The {best} of {rows:,} along {self.along}{whatever}"

    def _more(self) -> str:
        return f"and {len(self) - SHOWN:,} more" if len(self) > SHOWN else ""

    def _shown(self) -> list[tuple[list[str], list[tuple[str, str, str]]]]:
        """Return what was given and the answers as text: place, label and value of each."""
        shown = []
        for row in range(min(len(self), SHOWN)):
            note = not_seen(takes_average("mean", self._model.offset))
            strange = self._unseen[row].tolist()
            given = [
                f"{label_text(listed(each[[row]])[0])}{note if unseen else ''}"
                for each, unseen in zip(self.given.values(), strange, strict=True)
            ]
            found = self.rows[row][self.rows[row] >= 0]
            labels = self._model.mode_labels.decode(self._mode, found)
            answers = [
                (str(place), text, f"{value:.4g}")
                for place, (text, value) in enumerate(
                    zip(label_texts(listed(labels)), self.values[row, : len(found)], strict=True),
                    start=1,
                )
            ]
            shown.append((given, answers))
        return shown


def recommend(
    model: TuckerModel,
    given: Given,
    along: str | int,
    k: int = 10,
    *,
    exclude: CellsLike | None = None,
    largest: bool = True,
    threads: int = 0,
) -> Recommendations:
    """Find the best labels along a mode; `TuckerModel.recommend` tells the options."""
    named: ModeLabels = model.mode_labels
    mode = named.number(along)
    asked = read_asked(given, named, model.shape)
    if mode in asked.modes:
        raise ModeError(
            f"the mode {named.names[mode]!r} is given, and also the one to look along; leave it "
            f"out of what is given"
        )
    k = min(check_whole("k", k, at_least=1), model.shape[mode])
    check_flag("largest", largest)
    threads = check_threads(threads)
    left = [each for each in range(model.order) if each not in (*asked.modes, mode)]
    excluded = (
        nothing_excluded(asked.n)
        if exclude is None
        else find_excluded(exclude, named, model.shape, asked, mode)
    )
    mean = averaged(model, left)
    best = _best(ranking(mean, asked.modes, mode), asked.rows, excluded, k, largest, threads)
    labels = {named.names[each]: one for each, one in zip(asked.modes, asked.labels, strict=True)}
    along, unseen = named.names[mode], asked.rows < 0
    return Recommendations(along, labels, *best, largest, mean, unseen, named.library)


def _best(
    scores: Ranking, rows: Coords, excluded: Excluded, k: int, largest: bool, threads: int
) -> tuple[Coords, Floats]:
    """Return the best rows and their scores, block after block of questions."""
    found = np.empty((len(rows), k), dtype=np.int32)
    values = np.empty((len(rows), k))
    sign = 1.0 if largest else -1.0
    with step("answering", len(rows), "question") as answering:
        for block in _blocks(excluded.end - excluded.begin):
            vectors, common = scores.queries(rows[block])
            best, best_scores = _core.top_k(
                sign * vectors, scores.items, sign * scores.offsets, k, *excluded.lists(block),
                threads=threads,
            )  # fmt: skip
            found[block] = best
            values[block] = np.where(best >= 0, sign * best_scores + common[:, None], np.nan)
            answering.advance(len(best))
    return found, values


def _blocks(lengths: Counts) -> Iterator[slice]:
    """Yield the questions in blocks whose exclusions do not take too much memory together."""
    numbers = np.cumsum(lengths + PER_QUESTION) // AT_ONCE
    bounds = [*np.flatnonzero(np.diff(numbers, prepend=-1)).tolist(), len(lengths)]
    yield from itertools.starmap(slice, itertools.pairwise(bounds))
