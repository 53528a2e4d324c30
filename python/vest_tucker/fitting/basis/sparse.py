"""A basis in which a factor is as sparse as can be, before anything is pruned.

Pruning drops elements of the basis it finds, and a fit ends in any. A vector of a factor's column
space that has many zeros is rare, so there are few of them to find: many directions each walk to
a sparse one nearby, and the sparsest that are independent make the new basis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vest_tucker.base.types import Counts, Floats
from vest_tucker.fitting.basis.change import change_basis, gram

MOST_ROWS = 3000  # those of most entries say enough
DIRECTIONS = 60  # at random, and as many that are zero on some rows
STEPS = 30
POWERS = (1.0, 0.0)  # what is minimised, from the sum of magnitudes to the number of non-zeros
SOFTNESS = (0.3, 0.05)  # how small a value is about zero, in units of the column's rms
ZERO = 0.1  # the same when directions are compared
INDEPENDENT = 0.3  # the least singular value of directions that are well apart,
DEPENDENT = 1e-3  # and of those that are not the same
SINGULAR = 1e-10


def rotate(
    core: Floats,
    factors: Sequence[Floats],
    entries: Sequence[Counts],
    spread: float,
    modes: Iterable[int],
    rng: np.random.Generator,
) -> tuple[Floats, list[Floats]]:
    """Return copies of the parts with these modes in a sparse basis; predictions stay the same.

    Columns get the root mean square ``spread`` and a sum that is not negative.
    """
    core, factors = core.copy(), [factor.copy() for factor in factors]
    for mode in modes:
        factor = factors[mode]
        basis = sparse_basis(factor, entries[mode], rng)
        squares = np.einsum("ja,jk,ka->a", basis, gram(factor), basis)
        sums = np.einsum("j,ja->a", np.einsum("ij->j", factor), basis)
        sizes = np.sqrt(squares / len(factor)) / spread * np.where(sums < 0.0, -1.0, 1.0)
        sizes[sizes == 0.0] = 1.0
        inverse = np.linalg.inv(basis) * sizes[:, None]
        change_basis(core, factors, mode, basis / sizes, inverse)
    return core, factors


def sparse_basis(factor: Floats, entries: Counts, rng: np.random.Generator) -> Floats:
    """Return a matrix that makes the columns of a factor sparse; the identity if it has no say.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sparse = rng.normal(size=(200, 2)) * (rng.random((200, 2)) < 0.4)
    >>> mixed = sparse @ np.array([[1.0, 2.0], [-1.0, 1.0]])
    >>> found = mixed @ sparse_basis(mixed, np.ones(200, dtype=int), rng)
    >>> (abs(found) > 0.01 * abs(found).max()).mean().round(2) <= 0.41
    np.True_
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
    directions = walk(columns, first_directions(columns, rng))
    basis: Floats = np.einsum("jk,ak->ja", whiten, most_sparse(columns, directions))
    return basis


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


def walk(columns: Floats, directions: Floats) -> Floats:
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
    values = np.einsum("sj,ji->si", directions, columns)
    order = np.argsort(np.log1p((values / ZERO) ** 2).mean(axis=1), kind="stable")
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
