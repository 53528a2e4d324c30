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
FEW = 16  # workers that always have new rows from each other; more do
PAIR = 1000  # if these have as many bytes for each pair of them


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

    def staying(self, workers: int) -> tuple[int, int]:
        """Return how many factors have their rows stay on the workers, and their elements."""
        sizes = [dim * rank for dim, rank in zip(self.shape, self.ranks, strict=True)]
        least = max(INLINE, 0 if workers <= FEW else PAIR * workers**2)
        own = [size for size in sizes if NUMBER * size > least]
        return len(own), sum(own)


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
    """Return what an iteration sends where new rows stay on the workers.

    Each worker has those of the others from them. After pruning everything is sent from the client:
    to one worker, and the others have it from there.
    """
    new = NUMBER * fit.numbers * fit.elements
    sums = NUMBER * (SLOTS * core_sums(fit.ranks) + chunks(fit.nnz))
    large = NUMBER * fit.numbers * fit.large
    staying = NUMBER * fit.numbers * fit.staying(workers)[1]
    marks = fit.large  # a byte each
    told = large - staying + (large + marks if fit.prunes else 0)
    chosen = fit.elements if fit.prunes else 0  # which ones, a byte each
    return Traffic(new + sums + chosen, told, (workers - 1) * (staying + told))
