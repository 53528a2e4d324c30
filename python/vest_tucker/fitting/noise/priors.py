"""What is believed of the elements before any entry is seen, and how the entries correct it.

Each element has a Gaussian prior of mean zero. Its precision is one number for each column of a
factor and one for the core; the noise of the entries is one number, too. All of them follow from
the fit itself: this is what takes the place of a penalty that somebody has to choose.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base.precision import precision_of
from vest_tucker.base.types import Floats
from vest_tucker.fitting.checkpoint.packing import stored

LEAST_NOISE = 1e-12  # relative to the mean square of the values: exact data leave no noise at all
LARGEST = 1e300  # precision of a column that has died


@stored
@dataclass
class Priors:
    """Precisions of the priors, and the variance of the noise.

    Attributes
    ----------
    precision : list of ndarray
        For the core one number, for each factor one number per column.
    noise : float
        Variance of the noise of an entry of weight 1.
    floor : float
        The least noise that is believed.
    taken : float
        How many degrees of freedom the elements took when the noise was estimated.
    """

    precision: list[Floats]
    noise: float
    floor: float = 0.0
    taken: float = 0.0

    @classmethod
    def flat(cls, ranks: Sequence[int], precision: float, noise: float, square: float) -> Priors:
        """Return the same precision for all; ``square`` is that of values that are noise alone."""
        columns = [np.full(1, precision), *(np.full(rank, precision) for rank in ranks)]
        floor = LEAST_NOISE * square
        return cls(columns, max(noise, floor), floor)

    def copy(self) -> Priors:
        """Return the same priors in arrays of their own."""
        return Priors([each.copy() for each in self.precision], self.noise, self.floor, self.taken)

    def tell(self, solver: _core.Solver, nonnegative: Container[int] = ()) -> None:
        """Give them to a solver, for its next updates."""
        for part, precision in enumerate(self.precision):
            solver.set_prior(
                part,
                precision=precision.tolist(),
                noise=self.noise,
                nonnegative=part in nonnegative,
            )

    def learn(
        self, parts: Sequence[Floats], variances: Sequence[Floats], squares: float, nnz: int
    ) -> None:
        """Estimate them anew from a posterior that leaves this sum of squared residuals.

        A column's precision is the number of its live elements over the sum of their expected
        squares: a column that explains nothing shrinks to zero by itself. The noise is what the
        residuals show and what the uncertain elements hide: each element takes up to one degree of
        freedom, the less the more it is the prior's and not the data's.

        Examples
        --------
        >>> priors = Priors([np.ones(1), np.ones(2)], noise=1.0)
        >>> parts = [np.array([1.0]), np.array([[3.0, 0.0], [1.0, 0.0]])]
        >>> priors.learn(parts, [np.array([0.0]), np.full((2, 2), 0.5)], 8.0, nnz=10)
        >>> priors.precision[1].tolist(), priors.noise
        ([0.18181818181818182, 2.0], 1.0)
        """
        taken = 0.0
        for number, (part, variance) in enumerate(zip(parts, variances, strict=True)):
            precision = self.precision[number]
            axes = None if number == 0 else 0  # the core has one prior, a factor one per column
            live = variance > 0.0
            taken += float(np.where(live, 1.0 - precision * variance, 0.0).sum())
            found = precision_of(part, variance, axes)
            precision[:] = np.clip(
                np.where(np.isnan(found), precision, found), 1.0 / LARGEST, LARGEST
            )
        self.taken = max(taken, 0.0)  # in a new basis, elements may be less sure than their priors
        self.noise = max((squares + self.taken * self.noise) / nnz, self.floor)
