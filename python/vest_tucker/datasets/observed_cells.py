"""Choosing the observed cells of a made-up tensor: uniformly, skewed to some rows, or in blocks."""

from __future__ import annotations

import math
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import OptionError
from vest_tucker.base.types import Coords, Floats

Missing = Literal["uniform", "skewed", "blocks"]

FEW_CELLS = 2**22  # up to this number, an array over all cells is small enough
PATIENCE = 40  # after this many draws per entry, the missing ones are too unlikely to wait for
GROUPS = 3  # of rows in each mode, for ``missing="blocks"``


class Pattern(Protocol):
    """How likely each cell is to be observed."""

    def observable(self) -> int:
        """Return how many cells can be observed."""

    def log_weights(self) -> Floats:
        """Return the logarithm of every cell's weight, in C order; only called for few cells."""

    def draw(self, n: int, rng: np.random.Generator) -> Coords:
        """Return at most ``n`` cells, repeated ones among them."""


class Skewed:
    """The k-th most frequent row of each mode has a weight of k to the power of -skew."""

    def __init__(self, shape: tuple[int, ...], skew: float, rng: np.random.Generator) -> None:
        # Frequent rows are chosen at random, so that the index of a row tells nothing.
        self.logs = [-skew * np.log1p(rng.permutation(dim)) for dim in shape]

    def observable(self) -> int:
        """Return the number of all cells: some are unlikely, none is impossible."""
        return math.prod(len(logs) for logs in self.logs)

    def log_weights(self) -> Floats:
        """Return the sums over the modes, because rows are chosen independently."""
        total = np.zeros(1)
        for logs in self.logs:
            total = np.add.outer(total, logs).ravel()
        return total

    def draw(self, n: int, rng: np.random.Generator) -> Coords:
        """Choose a row of each mode, one mode after the other."""
        cells = np.empty((n, len(self.logs)), dtype=np.int32)
        for column, logs in zip(cells.T, self.logs, strict=True):
            ends = np.cumsum(np.exp(logs))
            rows = np.searchsorted(ends, ends[-1] * rng.random(n), side="right")
            column[:] = np.minimum(rows, len(logs) - 1)  # rounding may give the last end itself
        return cells


class Blocks:
    """Each mode has three groups of rows; blocks are missing if their groups sum to 0 modulo 3.

    So a third of the blocks is missing. Still every row has cells with rows of all groups but one
    of another mode, so that the tensor does not fall into unconnected pieces.
    """

    def __init__(self, shape: tuple[int, ...], rng: np.random.Generator) -> None:
        self.groups = [rng.permutation(dim) % GROUPS for dim in shape]

    def observable(self) -> int:
        """Return how many cells are not in a missing block."""
        ways = [1, 0, 0]  # numbers of cells, of the modes so far, by the sum of groups modulo 3
        for groups in self.groups:
            sizes = np.bincount(groups, minlength=GROUPS).tolist()
            ways = [
                sum(ways[k] * sizes[(rest - k) % GROUPS] for k in range(GROUPS))
                for rest in range(GROUPS)
            ]
        return ways[1] + ways[2]

    def log_weights(self) -> Floats:
        """Return 0 for a cell that can be observed and minus infinity for one that cannot."""
        total = np.zeros(1, dtype=np.int64)
        for groups in self.groups:
            total = np.add.outer(total, groups).ravel()
        return np.where(total % GROUPS == 0, -np.inf, 0.0)

    def draw(self, n: int, rng: np.random.Generator) -> Coords:
        """Choose among all cells and keep those outside the missing blocks."""
        shape = [len(groups) for groups in self.groups]
        cells = rng.integers(0, shape, size=(n, len(shape)), dtype=np.int32)
        total = np.zeros(n, dtype=np.int64)
        for groups, rows in zip(self.groups, cells.T, strict=True):
            total += groups[rows]
        observable: Coords = cells[total % GROUPS != 0]
        return observable


def observed_cells(
    shape: tuple[int, ...], nnz: int, missing: Missing, skew: float, rng: np.random.Generator
) -> Coords:
    """Return ``nnz`` different cells, observed as ``missing`` says."""
    if missing == "uniform":
        return distinct_cells(shape, nnz, rng)
    pattern: Pattern = Skewed(shape, skew, rng) if missing == "skewed" else Blocks(shape, rng)
    if nnz > pattern.observable():
        raise OptionError(
            f'nnz is {nnz:,} but missing="{missing}" leaves only {pattern.observable():,} of the '
            f"{math.prod(shape):,} cells of the shape {shape}"
        )
    if math.prod(shape) <= FEW_CELLS:
        # The largest of these sums are a draw without replacement in proportion to the weights.
        chances = pattern.log_weights() + rng.gumbel(size=math.prod(shape))
        numbers = np.argpartition(-chances, nnz - 1)[:nnz]
        return unraveled(rng.permutation(numbers), shape)
    return _patiently(pattern, shape, nnz, rng)


def _patiently(
    pattern: Pattern, shape: tuple[int, ...], nnz: int, rng: np.random.Generator
) -> Coords:
    """Draw until there are enough different cells, which equals drawing without replacement."""
    cells = np.empty((0, len(shape)), dtype=np.int32)
    drawn = 0
    while len(cells) < nnz:
        if drawn > PATIENCE * nnz:
            raise OptionError(
                f"{drawn:,} draws hit only {len(cells):,} different cells of the {nnz:,} asked "
                f"for; lower skew or nnz"
            )
        more = max(nnz - len(cells), drawn)
        cells = first_of_each(np.concatenate([cells, pattern.draw(more, rng)]))
        drawn += more
    return np.ascontiguousarray(cells[:nnz])


def distinct_cells(shape: tuple[int, ...], nnz: int, rng: np.random.Generator) -> Coords:
    """Return ``nnz`` different cells, every choice as likely as any other."""
    cells = math.prod(shape)
    if cells <= np.iinfo(np.int64).max:
        return unraveled(rng.choice(cells, nnz, replace=False), shape)
    # There are too many cells to number them: draw mode by mode. Repeated cells are very rare.
    coords: Coords = np.empty((0, len(shape)), dtype=np.int32)
    while len(coords) < nnz:
        more = rng.integers(0, shape, size=(nnz - len(coords), len(shape)), dtype=np.int32)
        coords = first_of_each(np.concatenate([coords, more]))
    return coords


def unraveled(numbers: NDArray[np.int64], shape: tuple[int, ...]) -> Coords:
    """Turn the numbers of cells in C order into their coordinates."""
    chosen = np.empty((len(numbers), len(shape)), dtype=np.int32)
    for mode in reversed(range(len(shape))):
        numbers, chosen[:, mode] = np.divmod(numbers, shape[mode])
    return chosen


def first_of_each(coords: Coords) -> Coords:
    """Drop repeated cells, keeping the order in which they first appear."""
    _, first = np.unique(coords, axis=0, return_index=True)
    return coords[np.sort(first)]
