"""The structures that a plain call tries: which offset, which core, how much noise at first.

A candidate is a way to fit; what it is worth is found out on entries that it does not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vest_tucker.base.options import OffsetKind
from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.interactions.effects import (
    FIRST,
    fit_effects,
    resume_effects,
    start_effects,
)
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.tucker import Tell, fit_tucker, random_parts, started
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.model.offset import Offset, residuals

MOST_CORE = 1500  # elements of the core that a plain call starts from
LARGEST_CORE = 8000  # elements of the core that may be asked for
LARGEST_OF_SMALL_RANKS = 20_000  # the same, if no rank is above the next number
MOST_RANK = 10
MOST_COLUMNS = 20  # of the pairs of a mode
COLUMNS_PER_ENTRY = 0.7  # columns for each entry that a row has on average
FEWEST_COLUMNS = 8
MOST_SPARSE_CORE = 1_000_000  # elements of the core of effects, nearly all of them zero
# The noise that a Tucker model is burnt in with, as a share of the mean square of the values. Too
# little lets noise in that later is hard to tell from components, too much kills weak components.
SHARES = (0.1, 1.0, 0.02, 0.3)
SETTLED = 2  # sweeps of burning in, from where another fit ended


@dataclass(frozen=True)
class Candidate:
    """One way to fit.

    Attributes
    ----------
    kind : {"tucker", "effects"}
        A plain Tucker model, or mean, effects and pairs in one core.
    ranks : tuple of int
        Of a Tucker model the ranks, of effects the columns for pairs in each mode.
    offset : {None, "mean", "biases"}
        What is taken off first.
    share : float
        The noise assumed at first.
    triples : bool
        Whether interactions of three modes join the effects and pairs.
    """

    kind: str
    ranks: tuple[int, ...]
    offset: OffsetKind | None = None
    share: float = SHARES[0]
    triples: bool = False

    def __str__(self) -> str:
        if self.triples:
            return "mean, effects, pairs and triples"
        if self.kind == "effects":
            return "mean, effects and pairs" if max(self.ranks) > 0 else "mean and effects"
        around = {None: "", "mean": " around the mean", "biases": " around biases"}
        return f"Tucker{around[self.offset]}"

    @property
    def has_pairs(self) -> bool:
        """Whether it has interactions of two modes, in a core of effects."""
        return self.kind == "effects" and max(self.ranks) > 0

    def target(
        self, X: SparseTensor, threads: int, constraints: Constraints, allocation: str
    ) -> tuple[Target, Offset | None]:
        """Return what is fitted of the entries, and what is added back to predictions."""
        offset = None if self.offset is None else fit_offset(X, self.offset)
        values = X.values if offset is None else residuals(X, offset)
        return Target(X, values, threads, constraints, allocation, offset), offset

    def fit(self, target: Target, rng: np.random.Generator, tell: Tell) -> Posterior:
        """Fit without pruning."""
        if self.kind == "effects":
            return fit_effects(start_effects(target, self.ranks, rng), tell)
        return fit_tucker(random_parts(target, self.ranks, rng, self.share), tell)

    def fit_again(self, target: Target, parts: list[Floats], tell: Tell) -> Posterior:
        """Go on from core and factors that are given."""
        if self.kind == "effects":
            core, *factors = parts
            return fit_effects(resume_effects(target, core, factors), tell, again=True)
        return fit_tucker(started(target, parts, self.share), tell, burn_in=SETTLED)


def largest_ranks(shape: Sequence[int], nnz: int, most: int = MOST_RANK) -> tuple[int, ...]:
    """Return the ranks to start from: as large as the core, the modes and the entries allow.

    Examples
    --------
    >>> largest_ranks((1000, 500, 30), 100_000)
    (10, 10, 10)
    >>> largest_ranks((1000, 500, 30, 4), 100_000)
    (7, 7, 7, 4)
    >>> largest_ranks((20, 10), 50)
    (1, 1)
    """
    rank = most
    while rank > 1:
        ranks = [min(rank, dim) for dim in shape]
        elements = sum(dim * own for dim, own in zip(shape, ranks, strict=True))
        if math.prod(ranks) <= MOST_CORE and elements + math.prod(ranks) <= nnz:
            break
        rank -= 1
    ranks = [min(rank, dim) for dim in shape]
    return tuple(min(own, math.prod(ranks) // own) for own in ranks)


def affordable_ranks(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Return ranks that are asked for, cut to a core that does not take too long.

    Ranks up to those that a plain call starts from are not cut, unless there are so many modes that
    even they make too large a core.

    Examples
    --------
    >>> affordable_ranks((500, 500, 30))
    (20, 20, 20)
    >>> affordable_ranks((50, 5, 3))
    (50, 5, 3)
    >>> affordable_ranks((2,) * 24) == (1,) * 24
    True
    """
    most = max(ranks)
    while most > 1:
        core = math.prod(min(rank, most) for rank in ranks)
        if core <= (LARGEST_CORE if most > MOST_RANK else LARGEST_OF_SMALL_RANKS):
            break
        most -= 1
    return tuple(min(rank, most) for rank in ranks)


def pair_columns(shape: Sequence[int], nnz: int, most: int = MOST_COLUMNS) -> tuple[int, ...]:
    """Return how many columns the pairs of each mode get.

    Examples
    --------
    >>> pair_columns((999, 999, 21, 24), 36_000)
    (12, 12, 12, 12)
    >>> pair_columns((999, 999, 3, 1), 36_000)
    (13, 13, 1, -1)
    """
    found = round(COLUMNS_PER_ENTRY * nnz / sum(shape))
    largest = int(MOST_SPARSE_CORE ** (1.0 / len(shape))) - FIRST
    columns = max(1, min(max(found, FEWEST_COLUMNS), most, largest))
    return tuple(min(columns, dim - FIRST) for dim in shape)


def first_round(
    shape: Sequence[int],
    nnz: int,
    ranks: tuple[int, ...] | None,
    offset: str | None,
    *,
    effects: bool,
) -> Iterator[Candidate]:
    """Yield the candidates that differ in structure."""
    wanted = largest_ranks(shape, nnz) if ranks is None else ranks
    if effects:
        columns = pair_columns(shape, nnz)
        if ranks is not None:
            columns = tuple(min(a, b) for a, b in zip(columns, ranks, strict=True))
        without_pairs = tuple(min(0, each) for each in columns)
        for wide in (columns, without_pairs) if max(columns) > 0 else (without_pairs,):
            if math.prod(FIRST + each for each in wide) <= MOST_SPARSE_CORE:  # not of 20 modes
                yield Candidate("effects", wide)
    kinds: tuple[OffsetKind | None, ...] = (None, "mean", "biases")
    for kind in kinds if offset == "auto" else (offset,):
        yield Candidate("tucker", wanted, kind)  # type: ignore[arg-type]


def second_round(best: Candidate) -> Iterator[Candidate]:
    """Yield more candidates of the structure that was best, with more and less noise at first."""
    if best.kind == "tucker":
        for share in SHARES[1:]:
            yield Candidate("tucker", best.ranks, best.offset, share)
