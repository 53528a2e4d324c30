"""How good a model is, in the few numbers that a page says it by."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """How good a model is: relative errors (RE), NaN where nothing was measured.

    Attributes
    ----------
    held, held_mean, held_baseline : float
        On entries that were not fitted: of the model, of the mean, of the baseline.
    n_held : int
        How many of them there were; 0 if that is unknown.
    baseline : str
        What the baseline is.
    fitted, fitted_mean : float
        On the entries fitted: of the model, and of the mean.
    noise : float
        The standard deviation of single values around the model.
    unexplained : float
        The share of the variation in the entries fitted that is left.
    fitted_to : str
        What the entries fitted are called.
    """

    held: float
    held_mean: float
    held_baseline: float
    n_held: int
    baseline: str
    fitted: float
    fitted_mean: float
    noise: float
    unexplained: float
    fitted_to: str

    @property
    def is_held_out(self) -> bool:
        """Whether it was measured on entries that were not fitted."""
        return math.isfinite(self.held)

    @property
    def explained(self) -> float:
        """The share of the variation that is explained, held out if that was measured."""
        if not self.is_held_out and math.isfinite(self.unexplained):
            return 1.0 - self.unexplained
        ours, mean = self.fitted, self.fitted_mean
        if self.is_held_out and math.isfinite(self.held_mean):
            ours, mean = self.held, self.held_mean
        return 1.0 - (ours / mean) ** 2 if mean > 0.0 else math.nan

    @property
    def better(self) -> float:
        """By which share the error held out is lower than the better one of mean and baseline."""
        known = [each for each in (self.held_mean, self.held_baseline) if math.isfinite(each)]
        best = min(known, default=math.nan)
        return 1.0 - self.held / best if best > 0.0 else math.nan

    @property
    def rival(self) -> str:
        """What that better one is called."""
        if not math.isfinite(self.held_baseline):
            return "the mean alone"
        wins = math.isfinite(self.held_mean) and self.held_mean <= self.held_baseline
        return "the mean alone" if wins else self.baseline
