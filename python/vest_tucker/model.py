"""The model that comes out: a sparse core, sparse factors and what happened on the way to them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker import _core, checks
from vest_tucker.checks import Floats
from vest_tucker.errors import ShapeError
from vest_tucker.options import check_threads
from vest_tucker.tensor import SparseTensor, require_tensor

WHY_STOPPED = {
    "converged": "converged",
    "max_iter": "reached max_iter",
    "callback": "stopped by the callback",
    "interrupted": "interrupted",
}


@dataclass(frozen=True, slots=True)
class IterationRecord:
    """What one iteration of Algorithm 1 did.

    Attributes
    ----------
    iteration : int
        Its number, from 1.
    error : float
        RE after the updates and before this iteration's pruning.
    sparsity : float
        Share of zeros in the core and all factors after this iteration.
    pruned : float
        Share of pruned elements after it (a zero need not be pruned, and a revived element may
        still be zero).
    prune_rate : float
        pr_t while pruning was on, including the iteration that stopped it; 0 afterwards.
    seconds : float
        How long it took.
    """

    iteration: int
    error: float
    sparsity: float
    pruned: float
    prune_rate: float
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class TuckerModel:
    """A core G and one factor A(n) per mode, which together predict any cell of a tensor.

    B(i_1, ..., i_N) is the sum over all j of G(j_1, ..., j_N) A(1)(i_1, j_1) ... A(N)(i_N, j_N).

    `fit` makes them; one made by hand from a core and factors predicts just as well.

    Attributes
    ----------
    core : ndarray, shape (J_1, ..., J_N)
    factors : list of ndarray, shape (I_n, J_n)
    error : float
        RE of this model on the entries it was fitted to; NaN if unknown.
    baseline_error : float
        RE of always predicting the mean of those entries, to hold ``error`` against.
    history : list of IterationRecord
    stopped : {"converged", "max_iter", "callback", "interrupted", ""}
    loss : {"l1", "lf", ""}
    lam, lam_used : float
        The penalty as given, and after scaling.
    nnz : int
        How many entries it was fitted to.
    seconds : float
        How long the fit took.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0, 0.0]], [[[1.0], [3.0]], [[1.0, 0.5], [0.0, 1.0]]])
    >>> model
    TuckerModel(shape=(2, 2), ranks=(1, 2), sparsity=0.250, error=nan)
    >>> model.predict([[0, 0], [1, 0]]).tolist()
    [2.0, 6.0]
    """

    core: Floats
    factors: list[Floats]
    error: float = math.nan
    baseline_error: float = math.nan
    history: list[IterationRecord] = field(default_factory=list)
    stopped: str = ""
    loss: str = ""
    lam: float = math.nan
    lam_used: float = math.nan
    nnz: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        core, factors = checks.tucker_parts(self.core, self.factors)
        object.__setattr__(self, "core", core)
        object.__setattr__(self, "factors", list(factors))

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions I_1, ..., I_N of the tensors it predicts."""
        return tuple(len(factor) for factor in self.factors)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Dimensions J_1, ..., J_N of the core."""
        return self.core.shape

    @property
    def order(self) -> int:
        """Number of modes N."""
        return self.core.ndim

    @property
    def n_parameters(self) -> int:
        """Number of non-zero elements in the core and all factors: what it takes to store."""
        return sum(int(np.count_nonzero(part)) for part in (self.core, *self.factors))

    @property
    def sparsity(self) -> float:
        """Share of zeros in the core and all factors together."""
        return 1.0 - self.n_parameters / sum(part.size for part in (self.core, *self.factors))

    @property
    def n_iter(self) -> int:
        """Number of complete iterations."""
        return len(self.history)

    def predict(self, coords: ArrayLike, *, threads: int = 0) -> Floats:
        """Predict the values of any cells, observed or not.

        Parameters
        ----------
        coords : array_like of int, shape (n, N)
            The cells, inside the model's shape.
        threads : int
            How many threads to use; 0 means all.

        Returns
        -------
        ndarray, shape (n,)
        """
        cells = checks.coordinates(coords)
        if cells.shape[1] != self.order:
            raise ShapeError(
                f"coordinates have {cells.shape[1]} columns but the model has {self.order} modes; "
                f"give one row per cell and one column per mode"
            )
        # The fields are the user's to replace; what fit left in them passes without a copy.
        core, factors = checks.matching_parts(self.core, self.factors)
        return _core.predict(core, factors, cells, threads=check_threads(threads))

    def __repr__(self) -> str:
        return (
            f"TuckerModel(shape={self.shape}, ranks={self.ranks}, sparsity={self.sparsity:.3f}, "
            f"error={self.error:.4f})"
        )

    def __str__(self) -> str:
        return "\n".join(_summary(self))


def relative_error(model: TuckerModel, X: SparseTensor, *, threads: int = 0) -> float:
    """RE of a model on the entries of a tensor: ||x - B|| / ||x||, the paper's measure.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
    >>> vt.relative_error(vt.TuckerModel([[1.0]], [[[3.0], [0.0]], [[1.0]]]), X)
    0.8
    """
    require_tensor(X, "relative_error")
    norm = checks.norm(X.norm, X.values)
    residuals = X.values - model.predict(X.coords, threads=threads)
    return float(np.linalg.norm(residuals)) / norm


def constant_error(value: float, X: SparseTensor) -> float:
    """RE of predicting the same value for every entry of a tensor.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> round(constant_error(3.0, vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])), 3)
    0.2
    """
    norm = checks.norm(X.norm, X.values)
    return float(np.linalg.norm(X.values - value)) / norm


def _summary(model: TuckerModel) -> Iterable[str]:
    """Lines that tell a person what the model is and whether it is any good."""
    yield f"Tucker model of a {_times(model.shape)} tensor, ranks {_times(model.ranks)}"
    if model.stopped:
        scaled = "" if model.lam == model.lam_used else f" ({model.lam_used:.4g} after scaling)"
        loss = f"{model.loss.upper()} loss, lam {model.lam:g}{scaled}"
        yield f"  fitted to   {model.nnz:,} entries, {loss}"
        iterations = f"{model.n_iter} iteration{'' if model.n_iter == 1 else 's'}"
        why = WHY_STOPPED[model.stopped]
        yield f"  stopped     {why} after {iterations}, {model.seconds:.3g} s"
    if not math.isnan(model.baseline_error):
        baseline = f"always predicting the mean {model.baseline_error:.4f}"
        yield f"  error       {model.error:.4f}, {baseline}"
        yield f"              {_verdict(model)}"
    yield f"  sparsity    {model.sparsity:.3f} ({model.n_parameters:,} elements are not zero)"
    yield "                    zeros          of    share  empty rows"
    yield _part_line("core", model.core)
    for mode, factor in enumerate(model.factors):
        yield f"{_part_line(f'factor {mode}', factor)} {np.count_nonzero(~factor.any(axis=1)):>11,}"


def _times(dims: Iterable[int]) -> str:
    return " x ".join(f"{dim:,}" for dim in dims)


def _part_line(name: str, part: Floats) -> str:
    zeros = part.size - int(np.count_nonzero(part))
    return f"    {name:<10}{zeros:>11,} {part.size:>11,} {100 * zeros / part.size:>6.1f} %"


def _verdict(model: TuckerModel) -> str:
    """Say in words how the error compares with that of always predicting the mean."""
    error, baseline = model.error, model.baseline_error
    if not all(part.any() for part in (model.core, *model.factors)):
        return "predicts 0 everywhere, for a part of it is all zero: lower lam or the sparsity"
    if math.isnan(error):
        return "the fit was interrupted before the error of this model was known"
    if baseline < 1e-12:  # rounding of the mean
        return "all values are the same, so the mean is exact"
    if error > baseline:
        return "WORSE than always predicting the mean: try a lower sparsity or lam, or higher ranks"
    return f"{100 * (1 - error / baseline):.0f} % lower error than always predicting the mean"
