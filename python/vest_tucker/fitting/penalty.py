"""The penalty: which lam a fit uses, and what each element pays for being different from zero.

An element e of a factor pays lam_scale * lam * (weight of its row) * |e| ** power, the power being
1 for the penalty "l1" and 2 for "lf". An element of the core pays the same without a weight, or
lam_core in place of lam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base.options import LAM_ROWS, penalty_kind
from vest_tucker.base.parts import CORE, factor, part_sizes
from vest_tucker.base.types import Coords, Counts, Floats
from vest_tucker.fitting.problem import Problem

PAPERS_LAM = 5.0
LAM_PER_SQUARE = 4.0  # for centred ratings this multiple of their mean square is the paper's lam
LEAST_NOISE = 1e-4  # smallest share of the variance that counts as noise; keeps lam above 0
POWER_ITERATIONS = 30


# Which lam.


def lam_of(problem: Problem, own: float | None, searched: float | None = None) -> float:
    """Return the lam of a fit: the one asked for or found, else the start's own, else the default.

    Parameters
    ----------
    problem : Problem
    own : float or None
        What the start brings along.
    searched : float or None
        What ``lam="auto"`` has found.
    """
    asked = problem.options.lam
    if asked == "auto":
        assert searched is not None  # the search comes before the fit
        return searched
    if asked is not None:
        return asked
    return default_lam(problem) if own is None else own


def default_lam(problem: Problem) -> float:
    """Return the paper's lam, or less where an offset leaves little."""
    if problem.offset is None:
        return PAPERS_LAM
    return min(PAPERS_LAM, LAM_PER_SQUARE * problem.rms**2)


def lam_scale(problem: Problem) -> float:
    """Return what lam is multiplied with, so that one value suits tensors of any size."""
    return problem.entries_per_element if problem.options.scale_lam else 1.0


# What an element pays.


def charge(solver: _core.Solver, problem: Problem, lam: float) -> None:
    """Tell a solver what the elements of each part pay."""
    charge_core(solver, problem, lam)
    for mode in range(problem.X.order):
        weights = row_weights(problem, mode)
        solver.set_penalty(
            factor(mode),
            lam=lam_scale(problem) * lam,
            nonnegative=factor(mode) in problem.constraints.nonnegative,
            **({} if weights is None else {"row_weight": weights}),
        )


def charge_core(solver: _core.Solver, problem: Problem, lam: float) -> None:
    """Tell a solver what the elements of the core pay."""
    own = problem.options.lam_core
    paid = lam_scale(problem) * (lam if own is None else own)
    solver.set_penalty(CORE, lam=paid, nonnegative=CORE in problem.constraints.nonnegative)


def row_weights(problem: Problem, mode: int) -> Floats | None:
    """Return what the rows of a mode pay beside each other; None if all pay the same."""
    power = LAM_ROWS[problem.options.lam_rows or "equal"]
    return None if power == 0.0 else weights_of(problem.row_amounts[mode], power)


def weights_of(counts: Counts | Floats, power: float) -> Floats:
    """Return how much more than the average row each one pays, by a power of its entries.

    Examples
    --------
    >>> weights_of(np.array([1, 0, 3]), power=1.0).tolist()
    [0.5, 0.0, 1.5]
    >>> weights_of(np.array([1, 0, 9]), power=0.5).tolist()
    [0.5, 0.0, 1.5]
    """
    weights: Floats = counts.astype(np.float64) ** power
    weights *= np.count_nonzero(counts) / weights.sum()
    return weights


def balanced_core_lam(
    problem: Problem, factors: Sequence[Floats], modes: Sequence[int], lam: float
) -> float:
    """Return a lam for the core at which it neither grows nor shrinks against the factors.

    A core element of 1 then pays as much as the columns of these modes that it joins.
    """
    sums = []
    for mode in modes:
        weights = row_weights(problem, mode)
        squares = factors[mode] ** 2
        sums.append((squares if weights is None else weights[:, None] * squares).sum(0).mean())
    return lam * float(np.mean(sums))


# Units to measure lam in.


@dataclass(frozen=True)
class Scale:
    """The size of elements if core and factors share that of the values, and the lam to match.

    Attributes
    ----------
    size : float
        If every element has this size, a prediction has the size of a value.
    penalty : float
        What the squares of an element's features then come to per entry.
    """

    size: float
    penalty: float

    @classmethod
    def of(cls, rms: float, order: int) -> Scale:
        """Return the scale of values of this root mean square.

        Examples
        --------
        >>> Scale.of(16.0, order=3)
        Scale(size=2.0, penalty=64.0)
        """
        size = rms ** (1.0 / (order + 1))
        return cls(size, size ** (2 * order))

    def lam(self, problem: Problem, own_error: float) -> float:
        """Return the lam that goes with an error: what is left unexplained is noise.

        A model of as many elements as there are entries can fit noise as well, and leaves less of
        it. So what it leaves is shared out among the entries that it has no element for.
        """
        free = 1.0 - sum(part_sizes(problem.X.shape, problem.ranks)) / problem.X.total_weight
        noise = own_error**2 / free if free > own_error**2 else 1.0
        weight = self.penalty * max(noise, LEAST_NOISE) / lam_scale(problem)
        # An element of this size pays the same by its magnitude as by its square.
        return weight * self.size ** (2 - penalty_kind(problem.options.penalty).power)


def mean_square_unit(problem: Problem) -> float:
    """Return the mean square of the values, as a lam."""
    unscaled = 1.0 if problem.options.scale_lam else problem.entries_per_element
    return unscaled * problem.rms**2


def noise_unit(problem: Problem, pair: tuple[int, int], rng: np.random.Generator) -> float:
    """Return the lam at which noise just vanishes, if two modes are factored as a matrix.

    What pulls at the rows of an entry is its weight times what is left of its value.
    """
    first, second = pair
    coords = problem.X.coords[:, [first, second]]
    shape = (problem.X.shape[first], problem.X.shape[second])
    weights = (row_weights(problem, first), row_weights(problem, second))
    values = problem.deviations
    if problem.X.weights is not None:
        values = problem.X.weights * values
    return noise_level(coords, values, shape, weights, rng) / lam_scale(problem)


def noise_level(
    coords: Coords,
    values: Floats,
    shape: tuple[int, int],
    weights: tuple[Floats | None, Floats | None],
    rng: np.random.Generator,
) -> float:
    """Return the largest singular value that noise of the values' sizes has as a sparse matrix.

    With their signs drawn at random, the values keep their places and sizes and lose every
    component. Two factors that pay lam together act like a threshold of lam on singular values,
    so this is where a penalty starts to tell components from noise. ``weights`` are what the rows
    of either factor pay; ``coords`` are of the two modes.

    Examples
    --------
    >>> coords = np.stack(np.indices((30, 20)), axis=-1).reshape(-1, 2).astype(np.int32)
    >>> component = np.ones(600)  # whose singular value is the root of 600, 24.5
    >>> none = (None, None)
    >>> round(noise_level(coords, component, (30, 20), none, np.random.default_rng(0)))
    9
    """
    rows, columns = coords[:, 0], coords[:, 1]
    flipped = np.where(rng.random(len(values)) < 0.5, -values, values)
    for weight, at in zip(weights, (rows, columns), strict=True):
        if weight is not None:
            flipped /= np.sqrt(weight[at])
    right = rng.standard_normal(shape[1])
    size = 0.0
    for _ in range(POWER_ITERATIONS):
        left = _product(rows, flipped, right / _norm(right), columns, shape[0])
        if not left.any():
            return 0.0
        right = _product(columns, flipped, left / _norm(left), rows, shape[1])
        size = _norm(right)
    return size


def _product(
    to: np.ndarray[tuple[int], np.dtype[np.int32]],
    values: Floats,
    vector: Floats,
    at: np.ndarray[tuple[int], np.dtype[np.int32]],
    dim: int,
) -> Floats:
    sums: Floats = np.bincount(to, values * vector[at], minlength=dim).astype(
        np.float64, copy=False
    )
    return sums


def _norm(vector: Floats) -> float:
    # Not a dot product, whose last bits depend on the number of threads it finds.
    return float(np.sqrt(np.einsum("i,i->", vector, vector)))
