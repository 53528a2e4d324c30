"""What every system gets, what it gives back, and what is said about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Predictor = Callable[[Ints], Floats]
ARRAYS = ("coords", "values", "test_coords")  # of a task


@dataclass(frozen=True)
class Task:
    """The entries to fit, the cells to predict, and how."""

    coords: Ints  # (nnz, N), counted from 0
    values: Floats  # (nnz,)
    shape: tuple[int, ...]
    ranks: tuple[int, ...]
    test_coords: Ints  # (m, N)
    seed: int = 0
    threads: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the system, see Peer.defaults
    curve: bool = False  # whether to predict at several times, where the system allows it

    @classmethod
    def of(
        cls,
        coords: ArrayLike,
        values: ArrayLike,
        shape: Sequence[int],
        ranks: int | Sequence[int],
        test_coords: ArrayLike,
        **others: Any,
    ) -> Task:
        """Make a task of whatever can be turned into arrays; one rank is for every mode."""
        each = (ranks,) * len(shape) if isinstance(ranks, int) else tuple(map(int, ranks))
        return cls(
            np.ascontiguousarray(coords, np.int64),
            np.ascontiguousarray(values, np.float64),
            tuple(map(int, shape)),
            each,
            np.ascontiguousarray(test_coords, np.int64),
            **others,
        )

    @property
    def order(self) -> int:
        """The number of modes."""
        return len(self.shape)

    @property
    def cells(self) -> int:
        """How many numbers the tensor would be, were it dense."""
        return int(np.prod([float(dim) for dim in self.shape]))

    def with_settings(self, settings: Mapping[str, Any]) -> Task:
        """Return the same task with these settings in place of its own."""
        return replace(self, settings=dict(settings))

    def save(self, path: Path) -> None:
        """Write everything into one file, for another process."""
        others = {name: given for name, given in vars(self).items() if name not in ARRAYS}
        np.savez(
            path,
            others=json.dumps(others, default=dict),
            coords=self.coords,
            values=self.values,
            test_coords=self.test_coords,
        )

    @classmethod
    def load(cls, path: Path) -> Task:
        """Read what `save` wrote."""
        with np.load(path) as file:
            arrays = {name: file[name] for name in ARRAYS}
            others = json.loads(str(file["others"]))
        others["shape"], others["ranks"] = tuple(others["shape"]), tuple(others["ranks"])
        return cls(**arrays, **others)


@dataclass(frozen=True)
class Fitted:
    """What a system makes of a task: how to predict cells, and how large that is."""

    predict: Predictor
    elements: int  # of core and factors, or of whatever else holds the weights
    zeros: int = 0  # of these, exactly zero
    samples: int = 1  # how many such models the predictions are an average of
    extra: int = 0  # numbers kept beside them: means, biases, indices

    @classmethod
    def of_arrays(cls, predict: Predictor, arrays: Sequence[ArrayLike], extra: int = 0) -> Fitted:
        """Count the elements of these arrays and how many of them are zero."""
        sizes = [np.asarray(array).size for array in arrays]
        nonzero = [int(np.count_nonzero(np.asarray(array))) for array in arrays]
        return cls(predict, sum(sizes), sum(sizes) - sum(nonzero), extra=extra)

    @property
    def stored(self) -> int:
        """How many numbers other than zero have to be kept for these predictions."""
        return self.samples * (self.elements - self.zeros) + self.extra


@dataclass(frozen=True)
class Result:
    """What came of it. Where `error` says why not, the numbers are NaN and the counts 0."""

    predictions: Floats  # (m,), of test_coords
    fitted: Floats  # (nnz,), of the entries that were fitted
    seconds: float  # of fitting alone, from entries to model
    peak_bytes: int  # of the process up to then, libraries and data included
    stored: int  # numbers other than zero that the model must keep, every sample counted
    elements: int  # of core and factors, or of the weights
    zeros: int  # of these, exactly zero
    curve: list[tuple[float, Floats]] = field(default_factory=list)  # seconds, predictions
    error: str | None = None

    @classmethod
    def failed(cls, task: Task, why: str) -> Result:
        """Return the result of a system that could not run."""
        nothing = np.full(len(task.test_coords), np.nan)
        return cls(nothing, np.full(len(task.values), np.nan), np.nan, 0, 0, 0, 0, [], why)

    @property
    def sparsity(self) -> float:
        """The share of zeros among the elements."""
        return self.zeros / self.elements if self.elements else float("nan")

    def save(self, path: Path) -> None:
        """Write everything into one file, for the process that asked."""
        others = {
            name: getattr(self, name)
            for name in ("seconds", "peak_bytes", "stored", "elements", "zeros", "error")
        }
        m = len(self.predictions)
        np.savez(
            path,
            others=json.dumps(others),
            predictions=self.predictions,
            fitted=self.fitted,
            curve_seconds=np.array([seconds for seconds, _ in self.curve]),
            curve=np.array([given for _, given in self.curve]).reshape(len(self.curve), m),
        )

    @classmethod
    def load(cls, path: Path) -> Result:
        """Read what `save` wrote."""
        with np.load(path) as file:
            curve = list(zip(file["curve_seconds"].tolist(), file["curve"], strict=True))
            others = json.loads(str(file["others"]))
            return cls(file["predictions"], file["fitted"], curve=curve, **others)


@dataclass(frozen=True)
class Peer:
    """A system of the comparison: where its `fit` is, and what a reader should know of it."""

    title: str
    kind: Literal["ours", "paper", "user"]  # ours, in the VeST paper, what a user would take today
    module: str  # has fit(task, clock) -> Fitted
    reference: str
    fair: str  # how it is made fair, in one line
    departs: str  # where it departs from its paper or its defaults, in one line
    checked: str  # what its tests hold it to
    requires: tuple[str, ...] = ()  # modules to import, beside NumPy
    defaults: Mapping[str, Any] = field(default_factory=dict)
    centre: bool | None = False  # whether the mean is taken off first; None tries both
    dense: int = 0  # how many copies of all cells it needs in memory
    modes: int | None = None  # how many modes it uses: the longest ones
    curves: bool = False  # whether Task.curve gives anything

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all settings, the defaults where none is given."""
        centre = {"try": [False, True]} if self.centre is None else self.centre
        known = {"centre": centre, **self.defaults}
        strange = sorted(set(given) - set(known))
        if strange:
            message = f"{self.title} has no setting {strange[0]!r}; it has {', '.join(known)}"
            raise ValueError(message)
        return {**known, **given}

    def described(self) -> dict[str, Any]:
        """Return everything as plain values, for a report."""
        return asdict(self)
