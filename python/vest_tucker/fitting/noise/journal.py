"""What a plain call tells while it runs, and the history of the fit that is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.model.history import IterationRecord


@dataclass
class Journal:
    """What a fit tells while it runs, and the history of the fit that is kept."""

    tell: Callable[[IterationRecord, Posterior], None]
    history: list[IterationRecord] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    latest: list[IterationRecord] = field(default_factory=list)
    first: Journal | None = None

    def __call__(self, posterior: Posterior) -> None:
        """Note and tell how a fit stands after a sweep."""
        now = time.perf_counter()
        parts = posterior.parts
        total = parts.n_elements
        share = 1.0 - parts.n_live / total if total else 0.0
        record = IterationRecord(
            iteration=len(self.history) + 1,
            error=posterior.error * posterior.target.norm / posterior.target.X.norm,
            sparsity=share,
            pruned=share,
            prune_rate=0.0,
            seconds=now - self.began,
            validation_error=math.nan,
        )
        self.began = now
        self.history.append(record)
        (self.first or self).latest = self.history
        self.tell(record, posterior)

    def again(self) -> Journal:
        """Return a journal of another fit."""
        return Journal(self.tell, first=self)
