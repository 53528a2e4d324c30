"""Early stopping: watch the error on entries that the fit does not see, and keep its best state."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.fitting.problem import Problem
from vest_tucker.model import prediction
from vest_tucker.model.cells import Cells, find_cells
from vest_tucker.model.history import IterationRecord


@dataclass
class Watch:
    """The entries held back, the state that predicted them best, and for how long none was better.

    A fit that overfits lowers its own error to the end, while that of entries it does not see
    rises again. Only states that are as sparse as wanted count.
    """

    problem: Problem
    cells: Cells
    values: Floats
    norm: float
    patience: int
    best_error: float = math.inf
    own_error: float = math.nan  # what the fit itself had then
    best_state: list[Floats] = field(default_factory=list)
    waited: int = 0

    @classmethod
    def over(cls, problem: Problem, validation: SparseTensor, patience: int) -> Watch:
        """Find the cells of the entries held back among the rows of a problem."""
        require_tensor(validation, "validation")
        X = problem.X
        cells = find_cells(validation, X.mode_labels, X.shape, strict=False)
        norm = checks.norm(validation.norm, validation.values)
        return cls(problem, cells, validation.values, norm, patience)

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
        n = len(predicted)
        deviation = float((predicted**2).std(ddof=1)) if n > 1 else 0.0
        return error, deviation * math.sqrt(n) / self.norm**2

    def _predicted(self, core: Floats, factors: list[Floats]) -> Floats:
        problem = self.problem
        return prediction.predict(
            core, factors, problem.entries, problem.X.mode_labels, self.cells, unseen="mean",
            threads=problem.options.threads, offset=problem.offset,
        )  # fmt: skip

    def facts(self, error: float) -> dict[str, Any]:
        """Return what a model with this error says of the entries held back."""
        return {"validation_error": error, "validation_baseline": self.error_alone()}

    def error_alone(self) -> float:
        """RE of the offset alone on them; without one, of the mean."""
        offset = self.problem.offset
        if offset is None:
            return self._relative(np.full(len(self.values), self.problem.X.mean))
        return self._relative(offset.values_at(self.cells.coords, self.cells.unseen))

    def _relative(self, predicted: Floats) -> float:
        """RE of predictions, which become residuals."""
        np.subtract(self.values, predicted, out=predicted)
        return math.sqrt(float(np.einsum("i,i->", predicted, predicted))) / self.norm

    def look(self, record: IterationRecord, solver: _core.Solver) -> bool:
        """Remember a state that is as sparse as wanted; tell whether to wait for a better one."""
        if record.validation_error < self.best_error:
            self.best_error, self.own_error = record.validation_error, record.error
            self.waited = 0
            parts = _parts(solver)
            self.best_state = self.best_state or [np.empty(part.shape) for part in parts]
            for kept, part in zip(self.best_state, parts, strict=True):
                np.copyto(kept, part)
        else:
            self.waited += 1
        return self.waited < self.patience

    def go_back(self, core: Floats, factors: list[Floats]) -> None:
        """Put the best state into these arrays, if any was seen."""
        for kept, part in zip(self.best_state, (core, *factors), strict=False):
            np.copyto(part, kept)


def _parts(solver: _core.Solver) -> list[Floats]:
    return [solver.core, *(solver.factor(mode) for mode in range(solver.order))]
