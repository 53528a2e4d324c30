"""Rows of a model with variances that learn from new entries: old and new weighed by how sure.

A new row starts from the prior of its columns. A row that the model has already starts from what
was known of it: each element's value and its variance take the place of the prior, so that an
element known well hardly moves and one known badly follows the new entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vest_tucker import _core
from vest_tucker.base.options import check_flag
from vest_tucker.base.precision import precision_of
from vest_tucker.base.types import Flags, Floats, Indices
from vest_tucker.learning.learner import Learner
from vest_tucker.learning.row_penalty import RowPenalty
from vest_tucker.model.model import TuckerModel

NEVER = 1e300  # penalty of a column that has no live element


def noisy_penalties(model: TuckerModel, nonnegative: bool | None) -> list[RowPenalty]:
    """Return the priors of the rows of each factor as the penalties that they amount to.

    In units of the noise, a prior's precision is a penalty on squares.
    """
    if nonnegative is not None:
        check_flag("nonnegative", nonnegative)
    assert model.factor_variances is not None
    penalties = []
    for factor, variances in zip(model.factors, model.factor_variances, strict=True):
        precision = precision_of(factor, variances, axis=0)
        lam = np.where(np.isnan(precision), NEVER, model.noise * precision)
        signs = bool(factor.min() >= 0.0) if nonnegative is None else nonnegative
        penalties.append(RowPenalty("lf", lam, signs, 0.0, 1.0))
    return penalties


@dataclass
class NoisyLearner(Learner):
    """A learner whose rows have variances."""

    noise: float = 1.0
    variances: list[Floats] = field(default_factory=list)

    def _best(
        self,
        mode: int,
        rows: Indices,
        V: Floats,
        b: Floats,
        average: Floats,
        penalty: RowPenalty,
    ) -> Floats:
        """Return the most likely rows; their variances are noted."""
        del average  # what a row remembers is its variance
        new = self.remembered[mode][rows] == 0.0
        old, variances = self.old[mode][rows], self.variances[mode][rows]
        known = ~new[:, None] & (variances > 0.0)
        free = known | (new[:, None] & (penalty.lam < NEVER))
        if self.constant:
            free[:, 0] = False
        held = np.where(known, self.noise / np.where(known, variances, 1.0), 0.0)
        V[:, np.arange(V.shape[1]), np.arange(V.shape[1])] += held
        b += held * old
        lam = np.zeros_like(penalty.lam) if not new.any() else penalty.lam
        start = np.where(new[:, None], 0.0, old)
        if self.constant:
            start[:, 0] = 1.0

        def solved(moving: Flags) -> Floats:
            return _core.solve_rows(
                V, b, start, moving, kind=_core.PenaltyKind.LF, lam=lam,
                nonnegative=penalty.nonnegative, threads=self.threads,
            )  # fmt: skip

        found = solved(free)
        diagonal = np.einsum("ijj->ij", V) + lam
        sure = np.where(free, self.noise / np.where(diagonal > 0.0, diagonal, 1.0), 0.0)
        # An element of which the data say less than it costs stays zero, as in the fit.
        narrowed = np.where(free, np.minimum(sure * penalty.lam / self.noise, 1.0), 1.0)
        worthless = new[:, None] & free & (found**2 < -np.log(np.maximum(narrowed, 1e-300)) * sure)
        if worthless.any():
            found = solved(free & ~worthless)  # these start at zero, and stay there
        self.variances[mode][rows] = sure
        return found


def with_variances(model: TuckerModel, more: list[int]) -> list[Floats]:
    """Return the variances of the factors with so many rows behind each, known to be new."""
    assert model.factor_variances is not None
    return [
        np.concatenate([each, np.zeros((n, each.shape[1]))])
        for each, n in zip(model.factor_variances, more, strict=True)
    ]
