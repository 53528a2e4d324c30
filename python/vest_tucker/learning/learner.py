"""Rows that learn from new entries while the core stays: what `fold_in` and `update` share.

All that the paper's row update needs of a row's entries are the sums V of delta delta^T and b of
x delta, which the solver of a fit sums. A row that was fitted to n entries, which are gone,
remembers them as n (a - a_old)^T C (a - a_old), C the average of delta delta^T, and the penalty as
it was there: a_old was the best row for both, so entries that are predicted exactly move nothing. A
row without entries remembers nothing and pays the whole penalty, as in a fit.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.errors import AllZeroError, OptionError, VarianceError
from vest_tucker.base.options import LAM_ROWS, PENALTIES, check_flag, check_threads, penalty_kind
from vest_tucker.base.types import Coords, Floats, Indices
from vest_tucker.data.per_row import sum_of_squares, totals_per_row
from vest_tucker.data.tensor import SparseTensor, require_tensor, require_unchanged
from vest_tucker.learning.arrivals import Arrivals
from vest_tucker.learning.bias_changes import bias_changes
from vest_tucker.learning.column_penalties import column_penalties
from vest_tucker.learning.row_penalty import RowPenalty
from vest_tucker.model import prediction
from vest_tucker.model.cells import Cells
from vest_tucker.model.measure import constant_error, error_of
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import FIRST_SHRINKAGE, Offset
from vest_tucker.model.prediction import average_row

BLOCK = 1 << 22  # how many numbers of V are in memory at a time


def require_ready(model: TuckerModel, X: SparseTensor, who: str) -> None:
    """Raise unless a model knows what its rows pay, or how sure they are, and X is a tensor."""
    require_tensor(X, who)
    require_unchanged(X)
    if X.norm > 1.0:  # tiny values, and zeros, teach little, but do no harm
        checks.norm(X.norm, X.values)
    if model.penalty == "bayes":
        if model.factor_variances is None or not model.noise > 0.0:
            raise VarianceError(
                "the model was fitted with variances but does not have them any more, so that old "
                "and new entries cannot be weighed; fit again with both"
            )
    elif model.penalty not in PENALTIES or not model.lam_used >= 0.0:
        raise OptionError(
            f"{who} needs the penalty that the model was fitted with, but its penalty is "
            f"{model.penalty!r} and its lam_used {model.lam_used}; dataclasses.replace(model, "
            f'loss="lf", lam_used=1.0) gives it one'
        )


def penalties_of(model: TuckerModel, nonnegative: bool | None) -> list[RowPenalty]:
    """Return what the rows of each factor pay; by default one without negatives keeps to that."""
    if nonnegative is not None:
        check_flag("nonnegative", nonnegative)
    lams = column_penalties(model.core, model.factors, model.penalty, model.lam_used)
    amounts = model.row_amounts
    power = LAM_ROWS.get(model.lam_rows, 0.0) if amounts is not None else 0.0
    penalties = []
    for mode, (lam, factor) in enumerate(zip(lams, model.factors, strict=True)):
        signs = bool(factor.min() >= 0.0) if nonnegative is None else nonnegative
        seen = np.ones(1) if amounts is None else amounts[mode]
        mean = float(np.mean(seen[seen > 0].astype(np.float64) ** power)) if power else 1.0
        penalties.append(RowPenalty(model.penalty, lam, signs, power, mean))
    return penalties


def stand_in(model: TuckerModel, mode: int) -> Floats:
    """Return the row that stands for one never seen, as in predictions: average, or no deviation.

    Examples
    --------
    >>> import numpy as np
    >>> model = TuckerModel([[2.0]], [[[1.0]], [[1.0], [4.0]]], entries=[[3], [2, 1]])
    >>> stand_in(model, 1).tolist()
    [2.0]
    """
    if model.constant:
        first: Floats = np.eye(1, model.ranks[mode])[0]
        return first
    if model.offset is not None and model.offset.biases:
        return np.zeros(model.ranks[mode])
    amounts = model.row_amounts
    return average_row(model.factors[mode], None if amounts is None else amounts[mode])


@dataclass
class Learner:
    """Rows on their way: factors and biases with room for the new, and what each row remembers.

    ``remembered`` says per row how many entries it was fitted to: 0 for a new row, infinitely many
    for a row that is not to move. ``weights`` are how many entries the new ones count as; None if
    each counts once. ``constant`` says that the first column of every factor is constant one.
    """

    core: Floats
    factors: list[Floats]
    offset: Offset | None
    coords: Coords
    values: Floats
    remembered: list[Floats]
    threads: int
    weights: Floats | None = None
    constant: bool = False

    def __post_init__(self) -> None:
        self.threads = check_threads(self.threads)
        self.old = list(self.factors)
        self.rest = self.values if self.offset is None else self._learn_biases(self.offset)
        shape = [len(factor) for factor in self.factors]
        self.added = totals_per_row(self.coords, shape, self.weights)
        tensor = _core.SparseTensor(self.coords, self.rest, shape, self.weights)
        self.plan = _core.Plan(
            tensor, self.core.shape, threads=self.threads, sparse_core=self.constant
        )

    def _learn_biases(self, offset: Offset) -> Floats:
        """Move the biases by what the model as it was leaves; return what they leave to the rows.

        Biases come first, as in a fit; the rows then learn with these.
        """
        baseline = offset.values_at(self.coords)
        if offset.biases:
            predicted = _core.predict(self.core, self.old, self.coords, threads=self.threads)
            shrinkage = offset.shrinkage or (FIRST_SHRINKAGE,) * len(offset.biases)
            weights = [n + s for n, s in zip(self.remembered, shrinkage, strict=True)]
            rest = self.values - baseline - predicted
            changes = bias_changes(self.coords, rest, weights, self.weights)
            biases = tuple(b + c for b, c in zip(offset.biases, changes, strict=True))
            self.offset = dataclasses.replace(offset, biases=biases)
            baseline = self.offset.values_at(self.coords)
        return self.values - baseline

    def learn(self, mode: int, average: Floats, penalty: RowPenalty, *, new: bool) -> None:
        """Give the new or the old rows of one mode their best values, given the other modes.

        Only rows with new entries learn. ``average`` is C of this mode.
        """
        chosen = (self.added[mode] > 0) & ((self.remembered[mode] == 0.0) == new)
        rows = np.flatnonzero(chosen).astype(np.int32)
        if not rows.size:
            return
        solver = _core.Solver(  # It only sums, so its penalty does not matter.
            self.plan, self.core.copy(), self.factors, kind=penalty_kind(penalty.loss).penalty,
            lam=0.0, threads=self.threads,
        )  # fmt: skip
        learned = self.factors[mode].copy()
        for block in _slices(len(rows), max(1, BLOCK // average.size)):
            V, b = solver.row_sums(mode, rows[block])
            learned[rows[block]] = self._best(mode, rows[block], V, b, average, penalty)
        self.factors[mode] = learned

    def _best(
        self,
        mode: int,
        rows: Indices,
        V: Floats,
        b: Floats,
        average: Floats,
        penalty: RowPenalty,
    ) -> Floats:
        """Return the rows of least loss, from the sums over their new entries, which are changed.

        What a row remembers is added to V and b. An element of an old row that is zero was pruned,
        or the penalty wants it so; it stays zero.
        """
        n, old = self.remembered[mode][rows], self.old[mode][rows]
        weights = penalty.weights(n + self.added[mode][rows])
        new = (n == 0.0)[:, None]
        V += n[:, None, None] * average
        b += n[:, None] * np.einsum("jk,ik->ij", average, old)
        b += np.where(new, 0.0, weights[:, None] * penalty.slope(old))
        start = self.factors[mode][rows]
        start[new & (np.einsum("ijj->ij", V) == 0.0)] = 0.0  # no entry feels it, as in a fit
        return _core.solve_rows(
            V, b, start, new | (old != 0.0), kind=penalty_kind(penalty.loss).penalty,
            lam=penalty.lam, nonnegative=penalty.nonnegative, row_weight=weights,
            threads=self.threads,
        )  # fmt: skip

    def baseline(self, shape: Sequence[int]) -> Offset | None:
        """Return the offset for so many rows, with its error on the new entries."""
        if self.offset is None:
            return None
        norm = self._norm(self.values)
        error = self._norm(self.rest) / norm if norm else math.nan
        biases = tuple(b[:dim] for b, dim in zip(self.offset.biases, shape, strict=False))
        return dataclasses.replace(self.offset, biases=biases, error=error)

    def _norm(self, values: Floats) -> float:
        return math.sqrt(sum_of_squares(values, self.weights))


def grown_totals(
    model: TuckerModel, X: SparseTensor, shape: Sequence[int], added: Sequence[Floats]
) -> list[Floats] | None:
    """Return the summed weights of all rows, old and new; None if no entry has a weight.

    ``added`` are those of the new entries, in rows of the shape.
    """
    before = model.row_amounts
    if before is None or (model.row_totals is None and X.weights is None):
        return None
    grown = []
    for own, more, dim in zip(before, added, shape, strict=True):
        sums = np.zeros(dim)
        sums[: len(own)] = own
        grown.append(sums + more)
    return grown


def _slices(n: int, size: int) -> Iterator[slice]:
    """Cut ``n`` things into pieces of at most ``size``."""
    return (slice(begin, min(begin + size, n)) for begin in range(0, n, size))


def with_rows(model: TuckerModel, more: Sequence[int]) -> tuple[list[Floats], Offset | None]:
    """Return factors and biases with so many stand-ins behind each; what has none is shared."""
    factors = [
        np.concatenate([factor, np.tile(stand_in(model, mode), (n, 1))]) if n else factor
        for mode, (factor, n) in enumerate(zip(model.factors, more, strict=True))
    ]
    offset = model.offset
    if offset is not None and offset.biases:
        pairs = zip(offset.biases, more, strict=True)
        biases = tuple(np.append(b, np.zeros(n)) if n else b for b, n in pairs)
        offset = dataclasses.replace(offset, biases=biases)
    return factors, offset


def measured(
    model: TuckerModel, met: Arrivals, X: SparseTensor, *, began: float, threads: int
) -> TuckerModel:
    """Return a model that has learned, with its errors on the new entries: the old are gone.

    Rows beyond those that the model has by now are unseen.
    """
    unseen = met.coords >= np.array(model.shape)
    cells = Cells(np.where(unseen, 0, met.coords).astype(np.int32), unseen)
    predicted = prediction.predict(
        model.core, model.factors, model.row_amounts, model.mode_labels, cells, unseen="mean",
        threads=check_threads(threads), offset=model.offset, constant=model.constant,
    )  # fmt: skip
    try:
        error, baseline = error_of(predicted, X), constant_error(X.mean, X)
    except AllZeroError:  # relative to nothing
        error = baseline = math.nan
    seconds = time.perf_counter() - began
    return dataclasses.replace(
        model,
        error=error,
        baseline_error=baseline,
        validation_error=math.nan,
        validation_baseline=math.nan,
        validation_mean=math.nan,
        validation_entries=0,
        chosen=model.chosen.partition("; ")[0],
        shares=(),
        made=None,
        measured=None,
        seconds=seconds,
        history=[],
        value_range=_wider(model.value_range, X),
    )


def _wider(known: tuple[float, float] | None, X: SparseTensor) -> tuple[float, float] | None:
    """Return the range of the values seen by now; None if what was seen before is unknown."""
    if known is None:
        return None
    return min(known[0], float(X.values.min())), max(known[1], float(X.values.max()))
