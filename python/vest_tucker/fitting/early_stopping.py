"""Early stopping: the error on entries that the fit does not see, and its best state."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.errors import ModeError, OptionError, OverlapWarning, ShapeError
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Flags, Floats
from vest_tucker.data.numbering import among
from vest_tucker.data.per_row import mean_of, sum_of_squares, total
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.state import FitState
from vest_tucker.model import prediction
from vest_tucker.model.cells import Cells, Told, find_cells


def cells_held_out(validation: SparseTensor, X: SparseTensor, *, told: Told = "mistakes") -> Cells:
    """Return the cells of entries held out among the rows of those that are fitted."""
    try:
        return find_cells(validation, X.mode_labels, X.shape, strict=False, told=told)
    except (ModeError, ShapeError) as error:
        raise type(error)(f"validation does not fit to X: {error}") from None


def also_in(X: SparseTensor, cells: Cells) -> Flags:
    """Mark the cells that have an entry in X."""
    inside = np.all((cells.coords >= 0) & (cells.coords < X.shape), axis=1)
    if cells.unseen is not None:
        inside &= ~np.any(cells.unseen, axis=1)
    marked = np.zeros(len(inside), dtype=bool)
    marked[inside] = among(cells.coords[inside], X.coords, X.shape)
    return marked


def not_fitted(validation: SparseTensor, X: SparseTensor) -> SparseTensor:
    """Return the entries held out whose cells are not fitted; warn if that is not all of them.

    An error on entries fitted says nothing of others, and would be told as if it did.
    """
    require_tensor(validation, "validation")
    fitted = also_in(X, cells_held_out(validation, X, told="none"))
    shared = int(np.count_nonzero(fitted))
    if not shared:
        return validation
    told = f"{shared:,} of the {validation.nnz:,} entries of validation are of cells of X"
    how = "hold entries out by train_test_split"
    if shared == validation.nnz:
        raise OptionError(
            f"{told}, so that none is left to measure on; {how}, or leave validation out"
        )
    warn(
        f"{told}; these are fitted, and not measured on: {how} for a validation that shares none",
        OverlapWarning,
    )
    return validation.subset(~fitted)


@dataclass(frozen=True)
class HeldOut:
    """Entries that the fit does not see.

    A fit that overfits lowers its own error to the end, while that of these entries rises again.
    """

    problem: Problem
    cells: Cells
    values: Floats
    norm: float
    weights: Floats | None = None

    @classmethod
    def over(cls, problem: Problem, validation: SparseTensor) -> HeldOut:
        """Find the cells of the entries held back among the rows of a problem."""
        require_tensor(validation, "validation")
        X = problem.X
        cells = cells_held_out(validation, X)
        norm = checks.norm(validation.norm, validation.values)
        return cls(problem, cells, validation.values, norm, validation.weights)

    @classmethod
    def asked_for(cls, problem: Problem, validation: SparseTensor | None) -> HeldOut | None:
        """Do so with what a caller holds back, if anything, less what is fitted as well."""
        return None if validation is None else cls.over(problem, not_fitted(validation, problem.X))

    def error(self, solver: _core.Solver) -> float:
        """RE on the entries held back."""
        core, *factors = _parts(solver)
        return self.error_of(core, factors)

    def error_of(self, core: Floats, factors: list[Floats]) -> float:
        """RE of a model on the entries held back."""
        return self._relative(self._predicted(core, factors))

    def judge(self, core: Floats, factors: list[Floats]) -> tuple[float, float]:
        """Return the RE of a model on them, and the standard error of its square."""
        predicted = self._predicted(core, factors)
        error = self._relative(predicted)  # which leaves the residuals
        return error, spread_of_squares(predicted, self.weights) / self.norm**2

    def _predicted(self, core: Floats, factors: list[Floats]) -> Floats:
        problem = self.problem
        return prediction.predict(
            core, factors, problem.row_amounts, problem.X.mode_labels, self.cells, unseen="mean",
            threads=problem.options.threads, offset=problem.offset,
        )  # fmt: skip

    def baseline_error(self) -> float:
        """RE of the offset alone on them; without one, of the mean."""
        offset = self.problem.offset
        if offset is None:
            return self._relative(np.full(len(self.values), self.problem.X.mean))
        return self._relative(offset.values_at(self.cells.coords, self.cells.unseen))

    def _relative(self, predicted: Floats) -> float:
        """RE of predictions, which become residuals."""
        np.subtract(self.values, predicted, out=predicted)
        return math.sqrt(sum_of_squares(predicted, self.weights)) / self.norm

    def look(self, state: FitState, patience: int) -> bool:
        """Remember a state that is the best so far; tell whether to wait for a better one."""
        record, best = state.history[-1], state.best
        if record.validation_error < best.error:
            best.error, best.own_error, best.waited = record.validation_error, record.error, 0
            parts = [state.core, *state.factors]
            best.parts = best.parts or [np.empty(part.shape) for part in parts]
            for kept, part in zip(best.parts, parts, strict=True):
                np.copyto(kept, part)
        else:
            best.waited += 1
        return best.waited < patience


def spread_of_squares(residuals: Floats, weights: Floats | None) -> float:
    """Return the standard error of a sum of squared residuals.

    Examples
    --------
    >>> spread_of_squares(np.array([1.0, 2.0]), None)
    3.0
    """
    squares = residuals**2
    # As if each entry were there as often as its weight says.
    n = float(len(squares)) if weights is None else total(weights)
    apart = (squares - mean_of(squares, weights)) ** 2
    variance = total(apart if weights is None else weights * apart) / (n - 1) if n > 1 else 0.0
    return math.sqrt(variance) * math.sqrt(n)


def _parts(solver: _core.Solver) -> list[Floats]:
    return [solver.core, *(solver.factor(mode) for mode in range(solver.order))]
