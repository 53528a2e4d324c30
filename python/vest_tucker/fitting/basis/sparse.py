"""A basis in which a factor is as sparse as can be, before anything is pruned.

A fit may end in any basis, and pruning depends on which. Vectors with many zeros are rare in the
column space of a factor, so there are few of them to find: from many directions we step to a sparse
one nearby, and the sparsest independent ones make the new basis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vest_tucker.base.types import Counts, Floats
from vest_tucker.fitting.basis.change import change_basis, gram

MOST_ROWS = 3000  # the rows with the most entries are enough to find a basis
DIRECTIONS = 60  # number of random directions, and of those that are zero on some rows
STEPS = 30  # of each direction towards a sparse one
AT_ONCE = 30  # directions whose values in all rows are in memory together
# The power of magnitudes that is minimised, from their sum at first to the number of non-zeros.
POWERS = (1.0, 0.0)
# Values below this count as about zero, first and last, in units of the column's rms.
SOFTNESS = (0.3, 0.05)
ZERO = 0.1  # the same where directions are compared
# A direction is accepted if the smallest singular value of the chosen set stays above the first
# number; if too few are, the bound is relaxed down to the second.
INDEPENDENT = 0.3
DEPENDENT = 1e-3
SINGULAR = 1e-10  # a factor with a smaller ratio of squared singular values is left as it is


def rotate(
    core: Floats,
    factors: Sequence[Floats],
    entries: Sequence[Counts | Floats],
    size: float,
    modes: Iterable[int],
    rng: np.random.Generator,
) -> tuple[Floats, list[Floats]]:
    """Return copies of the parts with these modes in a sparse basis; predictions stay the same.

    Columns get the root mean square ``size`` and a sum that is not negative.
    """
    core, factors = core.copy(), [factor.copy() for factor in factors]
    for mode in modes:
        factor = factors[mode]
        basis = sparse_basis(factor, entries[mode], rng)
        squares = np.einsum("ja,jk,ka->a", basis, gram(factor), basis)
        sums = np.einsum("j,ja->a", np.einsum("ij->j", factor), basis)
        sizes = np.sqrt(squares / len(factor)) / size * np.where(sums < 0.0, -1.0, 1.0)
        sizes[sizes == 0.0] = 1.0
        inverse = np.linalg.inv(basis) * sizes[:, None]
        change_basis(core, factors, mode, basis / sizes, inverse)
    return core, factors


def sparse_basis(factor: Floats, entries: Counts | Floats, rng: np.random.Generator) -> Floats:
    """Return a matrix that makes the columns of a factor sparse.

    It is the identity if the factor has one column or is nearly singular.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sparse = rng.normal(size=(200, 2)) * (rng.random((200, 2)) < 0.4)
    >>> mixed = sparse @ np.array([[1.0, 2.0], [-1.0, 1.0]])
    >>> found = mixed @ sparse_basis(mixed, np.ones(200, dtype=int), rng)
    >>> bool((abs(found) > 0.01 * abs(found).max()).mean().round(2) <= 0.41)
    True
    """
    rank = factor.shape[1]
    rows = np.argsort(-entries, kind="stable")[:MOST_ROWS]
    chosen = factor[rows[entries[rows] > 0]]
    squares, axes = np.linalg.eigh(gram(chosen))
    if rank == 1 or squares[0] <= SINGULAR * squares[-1]:
        return np.eye(rank)
    # The orthonormal basis that is nearest to the columns, transposed, rms 1 over the rows.
    whiten = np.einsum("ja,a,ka->jk", axes, 1.0 / np.sqrt(squares / len(chosen)), axes)
    columns = np.ascontiguousarray(np.einsum("ij,jk->ki", chosen, whiten))
    starts = in_groups(first_directions(columns, rng))
    directions = np.concatenate([towards_sparse(columns, some) for some in starts])
    basis: Floats = np.einsum("jk,ak->ja", whiten, most_sparse(columns, directions))
    return basis


def bytes_to_turn(shape: Sequence[int], ranks: Sequence[int]) -> float:
    """Return how much memory it takes to look for a sparse basis of each mode in turn."""
    # Columns as they are and whitened; their pairs, and what these are products of, or else values
    # in some directions, what these weigh, and two steps there.
    pairs = [rank * (rank + 1) // 2 for rank in ranks]
    sizes = [
        min(rows, MOST_ROWS) * (2 * rank + own + max(own, 4 * AT_ONCE))
        for rows, rank, own in zip(shape, ranks, pairs, strict=True)
    ]
    return 8.0 * max(sizes)


def in_groups(directions: Floats) -> list[Floats]:
    """Return directions in groups of about the same size, `AT_ONCE` at most."""
    return np.array_split(directions, -(-len(directions) // AT_ONCE))


def first_directions(columns: Floats, rng: np.random.Generator) -> Floats:
    """Return where to walk from: the axes, random directions, and some that are zero on rows."""
    rank, n = columns.shape
    lengths = np.sqrt(np.einsum("ji,ji->i", columns, columns))
    chance = lengths / lengths.sum() if np.count_nonzero(lengths) >= rank else None
    across = []
    for _ in range(DIRECTIONS):
        rows = rng.choice(n, rank - 1, replace=False, p=chance)
        across.append(np.linalg.svd(columns[:, rows].T)[2][-1])
    return unit_rows(np.vstack([np.eye(rank), rng.standard_normal((DIRECTIONS, rank)), *across]))


def towards_sparse(columns: Floats, directions: Floats) -> Floats:
    """Walk from each direction t to one where sum_i (q_i^2 + eps^2)^(p/2), q = Q t, is small.

    Reweighted least squares: the sum's own weights make it a quadratic form, whose smallest
    eigenvector two steps of inverse iteration come closer to without leaving the neighbourhood.
    """
    rank = len(columns)
    first, second = np.triu_indices(rank)
    pairs = columns[first] * columns[second]
    form = np.empty((len(directions), rank, rank))
    for step in np.linspace(0.0, 1.0, STEPS):
        power = POWERS[0] + (POWERS[1] - POWERS[0]) * step
        softness = SOFTNESS[0] * (SOFTNESS[1] / SOFTNESS[0]) ** step
        values = np.einsum("sj,ji->si", directions, columns)
        weights = (values**2 + softness**2) ** (power / 2.0 - 1.0)
        form[:, first, second] = form[:, second, first] = np.einsum("si,pi->sp", weights, pairs)
        for _ in range(2):
            nearer = np.linalg.solve(form, directions[:, :, None])[:, :, 0]
            directions = unit_rows(np.asarray(nearer, dtype=np.float64))
    return directions


def most_sparse(columns: Floats, directions: Floats) -> Floats:
    """Return as many independent directions as there are columns, the sparsest first."""
    rank = len(columns)
    sizes = [
        np.log1p((np.einsum("sj,ji->si", some, columns) / ZERO) ** 2).mean(axis=1)
        for some in in_groups(directions)
    ]
    order = np.argsort(np.concatenate(sizes), kind="stable")
    chosen: list[int] = []
    apart = INDEPENDENT
    while len(chosen) < rank and apart > DEPENDENT:
        for k in order.tolist():
            if len(chosen) < rank and k not in chosen:
                together = np.linalg.svd(directions[[*chosen, k]], compute_uv=False)
                if together[-1] > apart:
                    chosen.append(k)
        apart /= 2.0
    found = directions[chosen]
    if len(chosen) < rank:  # all walked to the same few: what is across these will do
        found = np.vstack([found, np.linalg.svd(found)[2][len(chosen) :]])
    return found


def unit_rows(vectors: Floats) -> Floats:
    """Return vectors of length 1."""
    unit: Floats = vectors / np.sqrt(np.einsum("sj,sj->s", vectors, vectors))[:, None]
    return unit
