"""P-Tucker-Approx: row-wise least squares on the observed entries, the core truncated on the way.

From S. Oh, N. Park, L. Sael and U Kang, Scalable Tucker factorization for sparse tensors, 2018. The
core is random and stays it, but for the elements that are truncated: after each iteration those
whose own share of the squared error, the partial reconstruction error, is the largest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Task
from peers.tucker import tucker_predictor

BLOCK = 2_000_000  # numbers at a time


def fit(task: Task, clock: Clock) -> Fitted:
    """Update all rows, measure, truncate, until the error has settled."""
    settings = task.settings
    rng = np.random.default_rng(task.seed)
    factors = [rng.random((dim, rank)) for dim, rank in zip(task.shape, task.ranks, strict=True)]
    core = rng.random(task.ranks)
    orders = [np.argsort(task.coords[:, mode], kind="stable") for mode in range(task.order)]
    before = math.inf
    for _ in range(settings["max_iter"]):
        for mode in range(task.order):
            update_rows(task, core, factors, mode, orders[mode], settings["lam"])
        predict = tucker_predictor(core, factors)
        rest = task.values - predict(task.coords)
        error = float(np.linalg.norm(rest) / np.linalg.norm(task.values))
        clock.point(partial(predict, task.test_coords))
        if abs(before - error) < settings["tol"]:
            break
        before = error
        if settings["truncation"]:
            errors = partial_errors(task, core, factors, rest)
            core = truncated(core, errors, settings["truncation"])
    return Fitted.of_arrays(tucker_predictor(core, factors), (core, *factors))


def update_rows(
    task: Task, core: Floats, factors: list[Floats], mode: int, order: Ints, lam: float
) -> None:
    """Give each row of one factor the least squares of its entries; no entries, no row."""
    rank = core.shape[mode]
    rows = task.coords[order, mode]
    found = np.zeros_like(factors[mode])
    for some in row_blocks(rows, BLOCK // (rank * rank)):
        entries = order[some]
        delta = deltas(core, factors, task.coords[entries], mode)
        which, starts = np.unique(rows[some], return_index=True)
        products = delta[:, :, np.newaxis] * delta[:, np.newaxis, :]
        grams = np.add.reduceat(products, starts) + lam * np.eye(rank)
        sides = np.add.reduceat(task.values[entries, np.newaxis] * delta, starts)
        found[which] = np.linalg.solve(grams, sides[:, :, np.newaxis])[:, :, 0]
    factors[mode] = found


def row_blocks(rows: Ints, most: int) -> Iterator[slice]:
    """Cut sorted rows into slices of about this many entries, never inside a row."""
    begin = 0
    while begin < len(rows):
        last = min(begin + max(1, most), len(rows)) - 1
        end = int(np.searchsorted(rows, rows[last], side="right"))
        yield slice(begin, end)
        begin = end


def deltas(core: Floats, factors: list[Floats], coords: Ints, mode: int) -> Floats:
    """Contract the core with the rows of all modes but one, for each entry: entries x rank."""
    left = np.moveaxis(core, mode, -1)[np.newaxis]
    for other, factor in enumerate(factors):
        if other != mode:
            left = np.einsum("cj...,cj->c...", left, factor[coords[:, other]])
    return np.broadcast_to(left, (len(coords), core.shape[mode]))


def partial_errors(task: Task, core: Floats, factors: list[Floats], rest: Floats) -> Floats:
    """Return how much of the squared error each element of the core brings.

    It is the error with the element less the error without it: for its value g and its features f,
    the products of factor elements, -(2 g sum(r f) + g^2 sum(f^2)) with r what is left.
    """
    crossed, squares = np.zeros(core.size), np.zeros(core.size)
    for some in np.array_split(np.arange(len(rest)), 1 + len(rest) * core.size // BLOCK):
        features = np.ones((len(some), 1))
        for mode, factor in enumerate(factors):
            rows = factor[task.coords[some, mode]]
            features = (features[:, :, np.newaxis] * rows[:, np.newaxis, :]).reshape(len(some), -1)
        crossed += rest[some] @ features
        squares += np.sum(features**2, axis=0)
    flat = core.ravel()
    return np.asarray(-(2.0 * flat * crossed + flat**2 * squares)).reshape(core.shape)


def truncated(core: Floats, errors: Floats, share: float) -> Floats:
    """Set this share of the elements that are left to zero, the worst ones; one always stays."""
    alive = np.flatnonzero(core)
    count = min(math.floor(share * alive.size), alive.size - 1)
    worst = alive[np.argsort(-errors.ravel()[alive], kind="stable")[:count]]
    result = core.copy()
    result.ravel()[worst] = 0.0
    return result
