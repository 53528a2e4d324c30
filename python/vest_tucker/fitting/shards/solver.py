"""A solver whose entries lie in shards: the methods of ``_core.Solver``, and the same bits.

The model, its marks and everything that needs no entry are here, in a solver without entries. Rows
come from the shards of their mode. Sums over all entries come slot by slot from the shards of one
mode, and are added in order. Rows that are cut between shards come as sums of pieces, and end here.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.types import Floats
from vest_tucker.fitting.shards.places import Places
from vest_tucker.fitting.shards.selection import (
    FIRST,
    DigitCounts,
    Prefix,
    Search,
    Threshold,
    choose,
    count_digits,
)
from vest_tucker.fitting.shards.shard import (
    Charge,
    CoreSum,
    Ended,
    Judged,
    Marks,
    NewRows,
    RowSums,
    State,
    core_sums,
    judge_rows,
    set_rows,
    squares_of,
    sum_rows,
    update_rows,
)

CORE = 0


@dataclass(frozen=True)
class Verdict:
    """Responsibilities of a factor: those of closed rows where their shards lie, others here.

    ``counted`` has what the search for the least of them counts first, of each shard.
    """

    kept: list[Any]
    ended: Floats
    squares: float
    counted: list[DigitCounts]


class ShardedSolver:
    """A solver of entries that lie elsewhere."""

    def __init__(
        self,
        places: Places,
        core: Floats,
        factors: Sequence[Floats],
        *,
        kind: _core.PenaltyKind,
        lam: float,
        threads: int = 0,
        allocation: _core.Allocation = _core.Allocation.PER_PART,
        norm: float,
        isa: str = "",
        variances: Sequence[Floats] = (),
    ) -> None:
        self._places, self._norm = places, norm
        self._parts, self._variances = [core, *factors], list(variances)
        self._pooled = allocation is _core.Allocation.GLOBAL
        self._inner = _core.Solver(
            places.outline, core, factors, kind=kind, lam=lam, threads=threads,
            allocation=allocation, norm=norm, isa=isa, variances=self._variances,
        )  # fmt: skip
        # Weakly: the compiled solver is a part of this one, and what it holds Python cannot see.
        own_sums = weakref.WeakMethod(self._core_sums)
        self._inner.set_elsewhere(lambda *asked: own_sums()(*asked))  # type: ignore[misc]
        ones = [(1.0,) * each.shape[-1] for each in factors]
        self._charges = [Charge(kind, lam, precision=each) for each in ((1.0,), *ones)]
        self._verdicts: dict[int, Verdict] = {}
        self._is_judged = False  # whether nothing has changed since the last error
        self._expected: int | None = None  # the mode whose update is expected after an error,
        self._ahead: tuple[int, Any] | None = None  # and the update, if it has begun
        self._endings = [
            places.outline.endings(mode, cut.pieces) if cut.pieces.size else None
            for mode, cut in enumerate(places.cuts)
        ]

    # What needs no entry.

    @property
    def isa(self) -> str:
        """Which build of the kernels runs."""
        return self._inner.isa

    @property
    def order(self) -> int:
        """How many modes there are."""
        return self._inner.order

    @property
    def threads(self) -> int:
        """How many threads each place uses."""
        return self._inner.threads

    @property
    def sizes(self) -> list[int]:
        """How many elements each part has."""
        return self._inner.sizes

    @property
    def n_pruned(self) -> list[int]:
        """How many of them are pruned."""
        return self._inner.n_pruned

    @property
    def n_free(self) -> list[int]:
        """How many of them may be pruned."""
        return self._inner.n_free

    @property
    def n_zeros(self) -> list[int]:
        """How many of them are zero."""
        return self._inner.n_zeros

    @property
    def core(self) -> Floats:
        """The core."""
        return self._inner.core

    def factor(self, mode: int) -> Floats:
        """Return a factor."""
        return self._inner.factor(mode)

    def marks(self, part: int) -> Marks:
        """Return the marks of a part, which follow what is pruned."""
        return self._inner.marks(part)

    def pruned(self, part: int) -> NDArray[np.bool_]:
        """Return which elements of a part are pruned."""
        return self._inner.pruned(part)

    def revive(self) -> int:
        """Take the last batch back; return how many elements it had."""
        self._changed("marks")
        return self._inner.revive()

    def set_pruned(self, part: int, mask: NDArray[np.bool_]) -> None:
        """Say which elements of a part are zero for good."""
        self._changed("values", "variances", "marks", part=part)
        self._inner.set_pruned(part, mask)

    def set_kept(self, part: int, mask: NDArray[np.bool_]) -> None:
        """Say which elements of a part are never pruned."""
        self._changed("marks", part=part)
        self._inner.set_kept(part, mask)

    def set_fixed(self, part: int, mask: NDArray[np.bool_]) -> None:
        """Say which elements of a part keep their value."""
        self._changed("values", "variances", "marks", part=part)
        self._inner.set_fixed(part, mask)

    def set_marks(self, part: int, marks: Marks) -> None:
        """Set all marks of a part at once."""
        self._changed("values", "variances", "marks", part=part)
        self._inner.set_marks(part, marks)

    def values_changed(self) -> None:
        """Hear that the arrays were changed."""
        self._changed("values", "variances")
        self._inner.values_changed()

    def set_penalty(
        self,
        part: int,
        *,
        lam: float,
        nonnegative: bool = False,
        row_weight: Floats | None = None,
    ) -> None:
        """Say what the elements of a part pay."""
        told = {} if row_weight is None else {"row_weight": row_weight}
        self._inner.set_penalty(part, lam=lam, nonnegative=nonnegative, **told)
        self._charges[part] = replace(
            self._charges[part], lam=lam, nonnegative=nonnegative, row_weight=row_weight
        )
        self._places.changed("charge", part)
        self._no_longer_judged()

    def set_prior(
        self, part: int, *, precision: Sequence[float], noise: float, nonnegative: bool = False
    ) -> None:
        """Say what is believed of the elements of a part."""
        self._inner.set_prior(part, precision=precision, noise=noise, nonnegative=nonnegative)
        self._charges[part] = replace(
            self._charges[part], precision=tuple(precision), noise=noise, nonnegative=nonnegative
        )
        self._places.changed("charge", part)
        self._no_longer_judged()

    # What is summed over entries.

    def update_factor(self, mode: int) -> None:
        """Update the rows of a factor."""
        self.update_factors([mode])

    def update_factors(self, modes: Sequence[int]) -> None:
        """Update the rows of factors, one factor after the other.

        The next one begins before the new rows are here if it has them from where they lie.
        """
        begun: dict[int, Any] = {}
        first = next(iter(modes), None)
        self._expected = first if self._is_judged else None
        ahead = self._ahead[1] if self._ahead is not None and self._ahead[0] == first else None
        try:
            for mode in modes:
                if mode in begun:
                    self._take_all(begun)
                begun[mode], ahead = ahead or self._begin(mode), None
                is_cut = self._endings[mode] is not None
                if is_cut or not self._places.stay(mode, begun[mode]):
                    self._take_all(begun)
            self._take_all(begun)
        except BaseException:  # what lies elsewhere is not what is here
            self._expected = None
            for mode in begun:
                self._rows_changed(mode)
            raise

    def _begin(self, mode: int) -> Any:
        return self._places.begin(mode, update_rows, self._state(mode))

    def _take_all(self, begun: dict[int, Any]) -> None:
        """Have new rows come, in the order in which they were begun."""
        while begun:
            mode = next(iter(begun))
            self._take(mode, begun[mode])
            del begun[mode]

    def _take(self, mode: int, begun: Any) -> None:
        """Have new rows come, and end those that are cut between shards."""
        new: list[NewRows] = self._places.answers(begun)
        ending = self._ending(mode, self._state(mode), [each.pieces for each in new])
        ended: Ended | None = None
        if ending is not None:
            solver, values, variances = ending
            solver.update_factor(mode)
            ended = Ended(self._places.cuts[mode].open_rows, values, variances)
        closed = [each.closed for each in self._places.cuts[mode].shards]
        for which, parts in (("values", self._parts), ("variances", self._variances)):
            if parts:
                set_rows(parts[mode + 1], which, closed, ended, new)
        self._verdicts.clear()
        self._no_longer_judged()
        if self._places.stay(mode, begun, ended):
            self._inner.rows_changed(mode)
        else:
            self._rows_changed(mode)

    def _rows_changed(self, mode: int) -> None:
        self._inner.rows_changed(mode)
        self._changed("values", "variances", part=mode + 1)

    def row_sums(self, mode: int, rows: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Return V and b of some rows."""
        state, cut = self._state(mode), self._places.cuts[mode]
        answers: list[RowSums] = self._places.call(mode, sum_rows, state, rows)
        rank = self._parts[mode + 1].shape[1]
        V, b = np.empty((len(rows), rank, rank)), np.empty((len(rows), rank))
        for bounds, found in zip(cut.shards, answers, strict=True):
            here = (rows >= bounds.rows.start) & (rows < bounds.rows.stop)
            V[here], b[here] = found.V, found.b
        wanted = np.isin(cut.open_rows, rows)
        ending = self._ending(mode, state, [each.pieces for each in answers])
        if ending is not None and wanted.any():
            solver, *_ = ending
            numbers = np.flatnonzero(wanted).astype(np.int32)
            to = np.searchsorted(rows, cut.open_rows[wanted])
            V[to], b[to] = solver.row_sums(mode, numbers)
        return V, b

    def update_core(self) -> None:
        """Update the core."""
        try:
            self._inner.update_core()
        finally:  # a Ctrl-C may be heard when it has just ended
            self._changed("values", "variances", part=CORE)

    def hurry(self) -> None:
        """Wait for the places no longer than somebody does who wants to stop."""
        self._expected = None
        self._places.hurry()

    def error(self, judge: bool = False) -> float:
        """Return RE; with ``judge`` responsibilities are found in the same round, for pruning.

        If nothing came between the last error and the sweep after it, the next sweep begins beside;
        after the last iteration of a fit nobody asks for that.
        """
        mode = self._places.outline.core_mode
        if judge:
            self._judge(each for each in range(self.order) if each == mode or self.n_free[each + 1])
            return math.sqrt(self._verdicts[mode].squares) / self._norm
        begun = self._places.begin(mode, squares_of, self._state(mode))
        if self._expected is not None:
            self._ahead = self._expected, self._begin(self._expected)
        squares: list[Floats] = self._places.answers(begun)
        self._is_judged = True
        return math.sqrt(in_order(squares)) / self._norm

    def responsibilities(self, part: int) -> Floats:
        """Return the responsibilities of all elements of a part."""
        if part == CORE:
            return self._inner.responsibilities(CORE)
        self._judge([part - 1])
        verdict = self._verdicts[part - 1]
        found = np.empty(self._parts[part].shape)
        scores = self._places.ask(verdict.kept, scores_of)
        for bounds, own in zip(self._places.cuts[part - 1].shards, scores, strict=True):
            found[bounds.closed] = own
        found[self._places.cuts[part - 1].open_rows] = verdict.ended
        return found

    def prune(self, counts: Sequence[int]) -> None:
        """Prune the least responsible: so many of each part, or so many of all."""
        free = self.n_free
        groups = [[part for part in range(len(free)) if free[part]]]
        if not self._pooled:
            groups = [[part] for part in range(len(free))]
        chosen = [np.zeros(each.shape, dtype=bool) for each in self._parts]
        races = []
        for wanted, parts in zip(counts, groups, strict=True):
            if not 0 <= wanted <= sum(free[part] for part in parts):
                raise ValueError(f"cannot prune {wanted} of the free elements of parts {parts}")
            if wanted:
                races.append(Race(parts, Search(wanted)))
        self._choose(races, chosen)
        self._changed("values", "variances", "marks")
        self._inner.prune_chosen(chosen)

    # How they are.

    def _no_longer_judged(self) -> None:
        self._is_judged, self._ahead = False, None

    def _changed(self, *what: str, part: int | None = None) -> None:
        self._verdicts.clear()
        self._no_longer_judged()
        for each in range(len(self._parts)) if part is None else (part,):
            for kind in what:
                self._places.changed(kind, each)

    def _state(self, mode: int) -> State:
        return State(
            self._parts[CORE], self._parts[1:], self._variances, self._inner.marks(mode + 1),
            self._charges[mode + 1], self.isa, self.threads,
        )  # fmt: skip

    def _ending(
        self, mode: int, state: State, pieces: list[Floats]
    ) -> tuple[_core.Solver, Floats, Floats | None] | None:
        """Return a solver that ends rows that are cut between shards; None if there are none."""
        plan = self._endings[mode]
        if plan is None:
            return None
        found = state.solver(plan, mode, self._places.cuts[mode].open_rows)
        found[0].give_sums(np.concatenate([each for each in pieces if each.size]))
        return found

    def _core_sums(
        self,
        kind: _core.CoreSumKind,
        size: int,
        elements: NDArray[np.uint64],
        products: bool,
        moments: bool,
    ) -> Floats:
        """Return sums over all entries: those of the slots, added in order."""
        mode = self._places.outline.core_mode
        which = CoreSum(kind, size, elements, products, moments)
        total: Floats | None = None
        for columns in self._places.call(mode, core_sums, self._state(mode), which):
            for column in columns:
                if total is None:
                    total = column.copy()
                else:
                    total += column
        assert total is not None  # a tensor has entries
        return total

    def _judge(self, modes: Iterable[int]) -> None:
        """Find the responsibilities of some modes that are not known yet, all in one round."""
        self._ahead = None
        missing = [mode for mode in modes if mode not in self._verdicts]
        states = [self._state(mode) for mode in missing]
        kept = [
            self._places.keep(mode, judge_rows, state)
            for mode, state in zip(missing, states, strict=True)
        ]
        answers: Iterator[Told] = iter(self._places.ask(list(chain(*kept)), told_of))
        for mode, state, own in zip(missing, states, kept, strict=True):
            told = list(islice(answers, len(own)))
            ended = np.empty((0, self._parts[mode + 1].shape[1]))
            ending = self._ending(mode, state, [each.pieces for each in told])
            if ending is not None:
                ended = ending[0].responsibilities(mode + 1)
            squares = in_order([each.squares for each in told])
            self._verdicts[mode] = Verdict(own, ended, squares, [each.counted for each in told])

    def _choose(self, races: list[Race], chosen: list[NDArray[np.bool_]]) -> None:
        """Mark the least responsible elements; all races are run at once."""
        self._judge(sorted({part - 1 for race in races for part in race.parts} - {CORE - 1}))
        for race in races:
            race.segments = [each for part in race.parts for each in self._segments(part)]
            race.search.hear([each.first_counts() for each in race.segments])
        running = [race for race in races if race.search.threshold is None]
        while running:
            segments = [each for race in running for each in race.segments]
            prefixes = [race.search.prefix for race in running for _ in race.segments]
            answers = iter(self._tell(segments, digits_of, count_digits, prefixes))
            for race in running:
                race.search.hear([next(answers) for _ in race.segments])
            running = [race for race in running if race.search.threshold is None]
        segments = [each for race in races for each in race.segments]
        thresholds = [race.search.threshold for race in races for _ in race.segments]
        taken = [each for race in races for each in race.search.taken]
        masks = self._tell(segments, mask_of, choose, thresholds, taken)
        for segment, mask in zip(segments, masks, strict=True):
            chosen[segment.part][segment.rows] = mask

    def _segments(self, part: int) -> Iterator[Segment]:
        """Yield where the responsibilities of a part lie, in the order of its elements."""
        marks = self._inner.marks(part)
        if part == CORE:
            yield Segment(CORE, ..., None, self._inner.responsibilities(CORE), marks)
            return
        verdict, cut = self._verdicts[part - 1], self._places.cuts[part - 1]
        found = [
            Segment(part, bounds.closed, kept, counted=counted)
            for bounds, kept, counted in zip(cut.shards, verdict.kept, verdict.counted, strict=True)
        ]
        for row, scores in zip(cut.open_rows.tolist(), verdict.ended, strict=True):
            own = slice(row, row + 1)
            found.append(Segment(part, own, None, scores[None], marks[own]))
        # Of a shard that has no row for itself alone it does not matter where it stands.
        yield from sorted(found, key=lambda segment: (segment.rows.start, segment.rows.stop))

    def _tell(
        self,
        segments: list[Segment],
        there: Callable[..., Any],
        here: Callable[..., Any],
        *told: list[Any],
    ) -> list[Any]:
        """Ask all segments something, each with its own arguments; those elsewhere all at once."""
        away = [number for number, segment in enumerate(segments) if segment.kept is not None]
        kept = [segments[number].kept for number in away]
        own = [[each[number] for number in away] for each in told]
        answers = dict(zip(away, self._places.ask(kept, there, *own), strict=True))
        for number, segment in enumerate(segments):
            if segment.kept is None:
                args = (each[number] for each in told)
                answers[number] = here(segment.scores, segment.marks, *args)
        return [answers[number] for number in range(len(segments))]


@dataclass(frozen=True)
class Segment:
    """Responsibilities of neighbouring elements: kept elsewhere, or here beside their marks."""

    part: int
    rows: Any
    kept: Any
    scores: Floats | None = None
    marks: Marks | None = None
    counted: DigitCounts | None = None

    def first_counts(self) -> DigitCounts:
        """Return how many free elements have which first digit."""
        if self.counted is not None:
            return self.counted
        assert self.scores is not None
        assert self.marks is not None
        return count_digits(self.scores, self.marks, FIRST)


@dataclass
class Race:
    """Parts whose elements compete for being kept, and the search for the least of them."""

    parts: list[int]
    search: Search
    segments: list[Segment] = field(default_factory=list)


class Told(NamedTuple):
    """What is told of a judgement at once."""

    pieces: Floats
    squares: Floats
    counted: DigitCounts


def told_of(judged: Judged) -> Told:
    """Return what is told of a judgement at once: what the error and the first choice need."""
    counted = count_digits(judged.scores, judged.marks, FIRST)
    return Told(judged.pieces, judged.squares, counted)


def scores_of(judged: Judged) -> Floats:
    """Return the responsibilities themselves."""
    return judged.scores


def digits_of(judged: Judged, prefix: Prefix) -> DigitCounts:
    """Count the free elements that have these leading bits."""
    return count_digits(judged.scores, judged.marks, prefix)


def mask_of(judged: Judged, threshold: Threshold, equal: int) -> NDArray[np.bool_]:
    """Return which elements are chosen."""
    return choose(judged.scores, judged.marks, threshold, equal)


def in_order(pieces: Sequence[Floats]) -> float:
    """Add numbers up one after the other.

    Examples
    --------
    >>> in_order([np.array([1.0, 2.0]), np.array([]), np.array([3.0])])
    6.0
    """
    return float(np.add.accumulate(np.concatenate(pieces))[-1])
