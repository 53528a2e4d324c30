"""The small things that tests share: entries, tensors with labels, models."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.model.offset import Offset

MODES = ("user", "film", "day")
LABELS: tuple[Any, ...] = (
    np.array(["ann", "bob", "Zoë", ""], dtype=object),
    np.array([30, 10, 20]),
    np.array(["2021-05-03", "2021-05-01", "2021-05-02", "2021-05-04", "2021-05-05"], "M8[D]"),
)

# Five entries that make a good tensor, until one of them is changed; and a good start of ranks 2.
COORDS = np.array([[0, 0, 0], [1, 2, 1], [3, 1, 0], [2, 0, 1], [0, 2, 0]])
VALUES = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
SHAPE = (4, 3, 2)
START = (np.ones((2, 2, 2)), [np.ones((dim, 2)) for dim in SHAPE])


def changed(array: Any, at: Any, value: Any, dtype: Any = None) -> Any:
    """Return a copy with one element, or some, changed."""
    copy = np.array(array, dtype=dtype)
    copy[at] = value
    return copy


class Failing(io.BytesIO):
    """A file of which no more than so many bytes can be read."""

    def __init__(self, content: bytes, readable: int) -> None:
        super().__init__(content)
        self.left = readable

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, or raise."""
        found = super().read(size)
        self.left -= len(found)
        if self.left < 0:
            raise OSError("the disk is gone")
        return found


def made(core: Any, factors: Any, **facts: Any) -> vt.TuckerModel:
    """Make a model of lists, which the constructor turns into arrays."""
    return vt.TuckerModel(core, factors, **facts)


def small_model(rng: np.random.Generator) -> vt.TuckerModel:
    """Make one of 4 x 3 x 5 with an empty row in the first mode."""
    factors = [rng.random((dim, rank)) for dim, rank in zip((4, 3, 5), (2, 1, 3), strict=True)]
    factors[0][1] = 0.0
    factors[2][0, 0] = 0.0
    return vt.TuckerModel(rng.random((2, 1, 3)), factors)


def with_biases(model: vt.TuckerModel, rng: np.random.Generator) -> vt.TuckerModel:
    """Give a model an offset of a mean and biases, the first of them 0."""
    biases = tuple(rng.normal(size=dim) for dim in model.shape)
    for effects in biases:
        effects[0] = 0.0
    return dataclasses.replace(model, offset=Offset("biases", 3.5, biases, error=0.22))


def with_variances(
    model: vt.TuckerModel, rng: np.random.Generator, noise: float = 0.25
) -> vt.TuckerModel:
    """Give a model variances of its elements and of the noise."""
    core_variance = rng.random(model.core.shape)
    factor_variances = [rng.random(factor.shape) for factor in model.factors]
    return dataclasses.replace(
        model, core_variance=core_variance, factor_variances=factor_variances, noise=noise
    )


def labelled(model: vt.TuckerModel) -> vt.TuckerModel:
    """Give names and labels to a small model."""
    return dataclasses.replace(model, modes=MODES, labels=LABELS)


def fitted(model: vt.TuckerModel, **facts: Any) -> vt.TuckerModel:
    """Give a model what a fit of one iteration leaves in it."""
    record = vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    known: dict[str, Any] = {
        "error": 0.2, "baseline_error": 0.25, "history": [record], "stopped": "max_iter",
        "loss": "l1", "lam": 5.0, "lam_used": 12.5, "nnz": 12345, "seconds": 0.5,
    }  # fmt: skip
    return dataclasses.replace(model, **(known | facts))


def everywhere(model: vt.TuckerModel) -> Any:
    """Return the coordinates of every cell."""
    return np.argwhere(np.ones(model.shape))


def dense(model: vt.TuckerModel) -> Any:
    """Return the Tucker sum of every cell of a model with three modes."""
    return np.einsum("abc,ia,jb,kc->ijk", model.core, *model.factors)


def labelled_tensor(coords: Any, values: Any) -> vt.SparseTensor:
    """Make a tensor whose labels are just those of its entries."""
    labels, places = [], []
    modes = (*MODES, "hour")[: np.shape(coords)[1]]
    for name, column in zip(modes, np.asarray(coords).T, strict=True):
        used, at = np.unique(column, return_inverse=True)
        labels.append([f"{name} {i:02}" for i in used])
        places.append(at)
    return vt.SparseTensor(np.stack(places, axis=1), values, modes=modes, labels=labels)
