"""The state of a running fit: everything that changes from one iteration to the next.

With it and the same problem a fit goes on as if it had never stopped, to the last bit.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import AnyPath, Floats
from vest_tucker.fitting.checkpoint.packing import pack, stored, stored_in_rows, unpack
from vest_tucker.model.history import IterationRecord

KIND = "fit state"


@stored
class Phase(Enum):
    """What the next iteration does beside updating."""

    SETTLING = "settling"  # nothing: the schedule wants some iterations first
    PRUNING = "pruning"
    REFINING = "refining"  # nothing: as many elements are pruned as are to be


@stored
@dataclass
class Best:
    """The state that predicted the entries held back best; only those as sparse as wanted count.

    Attributes
    ----------
    error : float
        RE on the entries held back.
    own_error : float
        RE on the entries of the fit, at the same state.
    parts : list of ndarray
        The core and the factors; empty before the first.
    waited : int
        For how many iterations none was better.
    """

    error: float = math.inf
    own_error: float = math.nan
    parts: list[Floats] = field(default_factory=list)
    waited: int = 0


@stored
@dataclass
class FitState:
    """Where a fit from one start stands between two iterations.

    Attributes
    ----------
    core, factors : arrays
        The solver works in these.
    marks : list of ndarray of uint8
        For each part, which elements are pruned, which in the last batch, and which are never
        to be. While a solver runs they are views of its memory; in a copy they are arrays.
    phase : Phase
        Of the next iteration.
    history : list of IterationRecord
        One for each complete iteration.
    best : Best
    rng : numpy.random.Generator or None
        Where starts that follow this one come from.
    stopped : str
        Why the fit has ended; empty while it runs.
    """

    core: Floats
    factors: list[Floats]
    marks: list[NDArray[np.uint8]] = field(default_factory=list)
    phase: Phase = Phase.REFINING
    history: list[IterationRecord] = field(default_factory=list)
    best: Best = field(default_factory=Best)
    rng: np.random.Generator | None = None
    stopped: str = ""

    @property
    def iteration(self) -> int:
        """How many iterations are complete."""
        return len(self.history)

    @property
    def errors(self) -> list[float]:
        """RE_1, ..., RE_t."""
        return [record.error for record in self.history]

    def copy(self) -> FitState:
        """Return the same state in arrays of its own."""
        return copy.deepcopy(self)

    def save(self, path: AnyPath) -> None:
        """Write the state to a file, whole or not at all."""
        from vest_tucker.io.archive import write_archive  # loaded only by those who save

        facts, arrays = pack(self)
        write_archive(path, KIND, arrays, {"state": facts})

    @classmethod
    def load(cls, path: AnyPath) -> FitState:
        """Read a state that `save` wrote; nothing in the file is executed."""
        from vest_tucker.io.archive import read_archive

        arrays, meta = read_archive(path, KIND)
        state: FitState = unpack(meta["state"], arrays)
        return state


stored_in_rows(IterationRecord)
