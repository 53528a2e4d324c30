"""The tensors of the comparison, each split into entries to fit and entries held out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import vest_tucker as vt
from peers.peer import Floats, Ints


@dataclass(frozen=True)
class Split:
    """Entries of one tensor: what a method sees, and what it is judged by."""

    shape: tuple[int, ...]
    ranks: tuple[int, ...]
    coords: Ints
    values: Floats
    test_coords: Ints
    test_values: Floats


def demo() -> Split:
    """A planted sparse model with noise, small enough to be written out densely."""
    X, _ = vt.datasets.synthetic((100, 80, 60), 4, nnz=30_000, sparsity=0.5, noise=0.1, seed=0)
    return held_out(X.coords.astype(np.int64), X.values, X.shape, (4, 4, 4))


def ml_small() -> Split:
    """The paper's MovieLens corner, a tenth of it held out."""
    coords, values = read("ML_small.tns.gz")
    shape = tuple(int(top) + 1 for top in coords.max(axis=0))
    return held_out(coords, values, shape, (6, 6, 2, 2))


def movietweetings() -> Split:
    """MovieTweetings with its own split; some users and movies appear in the test part only."""
    coords, values = read("movietweetings_train.tns.gz")
    test_coords, test_values = read("movietweetings_test.tns.gz")
    shape = tuple(int(top) + 1 for top in np.maximum(coords.max(axis=0), test_coords.max(axis=0)))
    return Split(shape, (6, 6, 2, 2), coords, values, test_coords, test_values)


TENSORS: dict[str, Callable[[], Split]] = {
    "demo": demo,
    "ml-small": ml_small,
    "movietweetings": movietweetings,
}


def available(name: str) -> bool:
    """Tell whether a tensor can be made here: all but the demo's need $VEST_DATA."""
    needs = {"ml-small": "ML_small.tns.gz", "movietweetings": "movietweetings_train.tns.gz"}
    return name not in needs or data_file(needs[name]).is_file()


def held_out(coords: Ints, values: Floats, shape: tuple[int, ...], ranks: tuple[int, ...]) -> Split:
    """Hold a random tenth out."""
    test = np.random.default_rng(1).random(len(values)) < 0.1
    return Split(shape, ranks, coords[~test], values[~test], coords[test], values[test])


def read(name: str) -> tuple[Ints, Floats]:
    """Read a text file of coordinates from 1, then the value."""
    table = np.loadtxt(data_file(name))
    return table[:, :-1].astype(np.int64) - 1, table[:, -1]


def data_file(name: str) -> Path:
    """Return where a data file would be."""
    return Path(os.environ.get("VEST_DATA", ""), name)
