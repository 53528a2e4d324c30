"""How much each component and each core element carries: what the error would be without it.

Every entry lies in one row of a mode. So the growth of the squared error without a whole component
is the sum, over the rows, of that without its element of the row, and all of these are by-products
of one pass over the entries: the responsibilities that pruning goes by. Scaling columns changes
none of them.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.public import public
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.per_row import each_chunk
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.model.cells import find_cells
from vest_tucker.model.measure import constant_error
from vest_tucker.model.offset import Offset

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel


@public
@dataclass(frozen=True, eq=False)
class Importance:
    """By how much the squared error grows without each part of a model; fits measure and keep it.

    All are sums over the entries that the model was fitted to, each times its weight. What several
    parts explain together is missed without any of them, so the growths need not add up to what is
    explained in all. It is of the model that it was measured for: after
    ``dataclasses.replace(model, core=other)`` with a core of the same shape, it still speaks of the
    former one, until `TuckerModel.measure_importance` measures it anew.

    Attributes
    ----------
    core : ndarray, shape (J_1, ..., J_N)
        Growth without each element of the core.
    components : list of ndarray, shape (J_n,)
        Growth without each component of each mode.
    offset : tuple of float
        Growth without the biases of each mode; empty if the model has none.
    mean : float
        Growth without the mean of an offset; NaN if there is none.
    residual : float
        The squared error of the model: sum of w (x - B)^2.
    total : float
        The squared error of always predicting the mean of the entries.
    norm : float
        The root of the sum of w x^2, which errors are relative to.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    >>> measured = vt.fit(X, seed=0).measured
    >>> measured.core.shape, measured.residual < 0.1 * measured.total
    ((2, 2, 2), True)
    """

    core: Floats
    components: list[Floats]
    residual: float
    total: float
    norm: float
    offset: tuple[float, ...] = ()
    mean: float = math.nan

    @property
    def unexplained(self) -> float:
        """The share of what the mean leaves that the model leaves, too."""
        return self.residual / self.total if self.total > 0.0 else math.nan

    def share(self, growth: Any) -> Any:
        """Return growths of the squared error as shares of what the mean leaves."""
        return growth / self.total if self.total > 0.0 else growth * math.nan

    def error_without(self, growth: Any) -> Any:
        """Return the relative error (RE) without what has this growth."""
        squares = np.maximum(self.residual + growth, 0.0)
        return np.sqrt(squares) / self.norm if self.norm > 0.0 else squares * math.nan

    def kept(self, live: Sequence[NDArray[np.intp]]) -> Importance:
        """Return the same of some components of each mode, renumbered."""
        pairs = zip(self.components, live, strict=True)
        components = [own[rows] for own, rows in pairs]
        core = np.ascontiguousarray(self.core[np.ix_(*live)])
        return dataclasses.replace(self, core=core, components=components)

    def fits(self, ranks: tuple[int, ...]) -> bool:
        """Whether it was measured of a model of these ranks."""
        lengths = tuple(len(each) for each in self.components)
        return self.core.shape == ranks == lengths


def measure(
    solver: _core.Solver,
    norm: float,
    X: SparseTensor,
    coords: Coords,
    offset: Offset | None,
    baseline: float | None = None,
) -> Importance:
    """Measure what the parts of a solver carry, at about the cost of one iteration.

    ``norm`` is the one that the solver's errors are relative to; the solver fits the values of
    ``X`` minus the offset at these coordinates. ``baseline`` is the error of the mean, if known.
    """
    residual = (solver.error() * norm) ** 2
    core = solver.responsibilities(0).copy()
    components = [solver.responsibilities(n + 1).sum(axis=0) for n in range(solver.order)]
    if baseline is None:
        baseline = 0.0 if X.norm == 0.0 else constant_error(X.mean, X)
    total = (baseline * X.norm) ** 2
    found = Importance(core, components, residual, total, X.norm)
    if offset is None:
        return found
    mean, biases = _growths_of_offset(solver, X, coords, offset)
    return dataclasses.replace(found, mean=mean, offset=biases)


def _growths_of_offset(
    solver: _core.Solver, X: SparseTensor, coords: Coords, offset: Offset
) -> tuple[float, tuple[float, ...]]:
    """Return the growth without the mean, and without the biases of each mode.

    Without a term b of the prediction the residual r becomes r + b: the square grows by
    2 r b + b^2.
    """
    factors = [solver.factor(mode) for mode in range(solver.order)]
    mean, biases = 0.0, np.zeros(len(offset.biases))
    growths = functools.partial(_growths_of_chunk, offset, solver.core, factors, solver.threads)
    arrays = (coords, X.values) if X.weights is None else (coords, X.values, X.weights)
    for of_mean, of_biases in each_chunk(growths, *arrays):
        mean += of_mean
        biases += of_biases
    return mean, tuple(biases.tolist())


def _growths_of_chunk(
    offset: Offset,
    core: Floats,
    factors: list[Floats],
    threads: int,
    at: Coords,
    values: Floats,
    given: Floats | None = None,
) -> tuple[float, Floats]:
    """Return the same of some entries."""
    left = values - offset.values_at(at)
    left -= _core.predict(core, factors, at, threads=threads)
    weights = np.ones(len(at)) if given is None else given
    mean = float(np.einsum("i,i->", weights, 2.0 * left * offset.mean + offset.mean**2))
    biases = np.zeros(len(offset.biases))
    for mode, own in enumerate(offset.biases):
        added = own[at[:, mode]]
        biases[mode] = float(np.einsum("i,i,i->", weights, added, 2.0 * left + added))
    return mean, biases


def measure_model(model: TuckerModel, X: SparseTensor, *, threads: int = 0) -> Importance:
    """Measure what the parts of any model carry on the entries of a tensor, found by label."""
    solver, coords = solver_of(model, X, "measure_importance", threads=threads)
    return measure(solver, X.norm, X, coords, model.offset)


def solver_of(
    model: TuckerModel, X: SparseTensor, who: str, *, threads: int
) -> tuple[_core.Solver, Coords]:
    """Return a solver of copies of a model's arrays, and where the entries are in the model.

    ``who`` is the function that needs it, for messages.
    """
    require_tensor(X, who)
    checks.norm(X.norm, X.values)
    core, factors = checks.matching_parts(model.core, model.factors, wide=model.constant)
    coords = find_cells(X, model.mode_labels, model.shape, strict=True).coords
    values = X.values if model.offset is None else X.values - model.offset.values_at(coords)
    entries = _core.SparseTensor(coords, values, model.shape, X.weights)
    plan = _core.Plan(entries, core.shape, threads=threads, sparse_core=model.constant)
    solver = _core.Solver(
        plan, core.copy(), [each.copy() for each in factors], kind=_core.PenaltyKind.LF, lam=0.0,
        threads=threads, norm=X.norm,
    )  # fmt: skip
    return solver, coords
