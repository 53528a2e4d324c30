"""The state of a running fit: everything that changes from one iteration to the next.

With it and the same problem a fit goes on as if it had never stopped, to the last bit.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import AnyPath, Floats
from vest_tucker.model.history import IterationRecord

KIND = "fit state"


class Phase(Enum):
    """What the next iteration does beside updating."""

    SETTLING = "settling"  # nothing: the schedule wants some iterations first
    PRUNING = "pruning"
    REFINING = "refining"  # nothing: as many elements are pruned as are to be


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

        best = self.best
        arrays: dict[str, NDArray[Any]] = {
            "core": self.core,
            "best_errors": np.array([best.error, best.own_error]),
        }
        lists: dict[str, list[Any]] = {
            "factor": self.factors, "mark": self.marks, "best": best.parts,
        }  # fmt: skip
        for name, several in lists.items():
            arrays |= {f"{name}_{n}": array for n, array in enumerate(several)}
        for column in dataclasses.fields(IterationRecord):
            arrays[column.name] = np.array([getattr(each, column.name) for each in self.history])
        meta = {
            "order": len(self.factors), "phase": self.phase.value, "stopped": self.stopped,
            "waited": best.waited,
            "rng": None if self.rng is None else _plain(self.rng.bit_generator.state),
        }  # fmt: skip
        write_archive(path, KIND, arrays, meta)

    @classmethod
    def load(cls, path: AnyPath) -> FitState:
        """Read a state that `save` wrote; nothing in the file is executed."""
        from vest_tucker.io.archive import read_archive

        arrays, meta = read_archive(path, KIND)
        error, own_error = arrays["best_errors"].tolist()

        def several(name: str) -> list[Any]:
            names = (f"{name}_{part}" for part in range(meta["order"] + 1))
            return [arrays[each] for each in names if each in arrays]

        columns = [arrays[column.name].tolist() for column in dataclasses.fields(IterationRecord)]
        return cls(
            arrays["core"],
            several("factor"),
            several("mark"),
            Phase(meta["phase"]),
            [IterationRecord(*row) for row in zip(*columns, strict=True)],
            Best(error, own_error, several("best"), meta["waited"]),
            None if meta["rng"] is None else _generator(meta["rng"]),
            meta["stopped"],
        )


def _plain(state: Any) -> Any:
    """Return the state of a bit generator as JSON can hold it."""
    if isinstance(state, dict):
        return {name: _plain(each) for name, each in state.items()}
    if isinstance(state, np.ndarray):
        return {"dtype": state.dtype.str, "values": state.tolist()}
    return state.item() if isinstance(state, np.generic) else state


def _arrays(state: Any) -> Any:
    """Undo `_plain`."""
    if not isinstance(state, dict):
        return state
    if state.keys() == {"dtype", "values"}:
        return np.array(state["values"], dtype=state["dtype"])
    return {name: _arrays(each) for name, each in state.items()}


def _generator(state: Any) -> np.random.Generator:
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = _arrays(state)
    return np.random.Generator(bits)
