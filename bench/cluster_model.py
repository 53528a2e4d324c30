"""What an iteration of a fit on a cluster sends and asks, as formulas.

`cluster_traffic.py` holds them against what networks have counted, and `cluster_simulation.py`
makes times of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

NUMBER = 8  # bytes
SLOTS = 64  # sums for the core that are added up by themselves
CHUNKS = (512, 16_384)  # at least and at most so many chunks, of
CHUNK = 256  # entries each
INLINE = 1 << 15  # bytes of an array that travels with each task


@dataclass(frozen=True)
class Fit:
    """A fit, as far as its traffic is concerned.

    ``numbers`` is how many numbers an element has: 1, or 2 with variances.
    """

    shape: tuple[int, ...]
    ranks: tuple[int, ...]
    nnz: int
    numbers: int = 1
    prunes: bool = False

    @property
    def elements(self) -> int:
        """How many elements all factors have."""
        return sum(dim * rank for dim, rank in zip(self.shape, self.ranks, strict=True))

    @property
    def large(self) -> int:
        """How many of them lie in factors that are sent by themselves, and not with each task."""
        sizes = [dim * rank for dim, rank in zip(self.shape, self.ranks, strict=True)]
        return sum(size for size in sizes if NUMBER * size > INLINE)

    @property
    def rounds(self) -> int:
        """How many rounds of tasks there are: a mode each, the core, the error, the choice."""
        return len(self.shape) + 2 + (2 if self.prunes else 0)

    @property
    def sends(self) -> int:
        """How many times arrays are sent: before the rows of each mode that others have seen."""
        sizes = [dim * rank for dim, rank in zip(self.shape, self.ranks, strict=True)]
        return sum(NUMBER * size > INLINE for size in sizes) + self.prunes


@dataclass(frozen=True)
class Traffic:
    """Bytes of an iteration: to the client, from it, and from worker to worker."""

    to_client: float
    from_client: float
    between: float


def core_sums(ranks: tuple[int, ...]) -> int:
    """Return how many numbers a sum for the core has: half of a matrix, and a vector."""
    return math.prod(rank * (rank + 1) // 2 for rank in ranks) + math.prod(ranks)


def chunks(nnz: int) -> int:
    """Return how many chunks entries are summed in."""
    least, most = CHUNKS
    return min(max(nnz // CHUNK, least), most)


def traffic(fit: Fit, workers: int) -> Traffic:
    """Return what an iteration sends, if the arrays that have changed go to every worker once.

    The client sends an array to one worker; the others have it from there.
    """
    new = NUMBER * fit.numbers * fit.elements
    sums = NUMBER * (SLOTS * core_sums(fit.ranks) + chunks(fit.nnz))
    large = NUMBER * fit.numbers * fit.large
    marks = fit.large  # a byte each
    told = (2 * large + marks) if fit.prunes else large  # pruned, and later updated
    chosen = fit.elements if fit.prunes else 0  # which ones, a byte each
    return Traffic(new + sums + chosen, told, (workers - 1) * told)
