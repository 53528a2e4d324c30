"""The judge of learning from new entries: plain loops over entries, cells, rows and elements."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference import best_value

Floats = NDArray[np.float64]


def delta(core: Floats, factors: Sequence[Floats], cell: Sequence[int], mode: int) -> Floats:
    """delta(j) of one mode of one entry, element of the core by element."""
    out = np.zeros(core.shape[mode])
    for beta in np.ndindex(core.shape):
        product = core[beta]
        for n, j in enumerate(beta):
            product *= factors[n][cell[n], j] if n != mode else 1.0
        out[beta[mode]] += product
    return out


def average_outer(
    core: Floats, factors: Sequence[Floats], counts: Sequence[NDArray[np.int64]], mode: int
) -> Floats:
    """The mean of delta delta^T over all cells, rows drawn independently, as often as counted."""
    total, rank = 0.0, core.shape[mode]
    out = np.zeros((rank, rank))
    dims = [range(len(f)) if n != mode else range(1) for n, f in enumerate(factors)]
    for cell in itertools.product(*dims):
        weight = 1.0
        for n, i in enumerate(cell):
            weight *= float(counts[n][i]) if n != mode else 1.0
        d = delta(core, factors, cell, mode)
        out += weight * np.outer(d, d)
        total += weight
    return out / total


def penalty(loss: str, lam: Floats, row: Floats) -> float:
    return float(np.sum(lam * (row**2 if loss == "lf" else np.abs(row))))


def slope(loss: str, lam: float, value: float) -> float:
    """Half the slope of the penalty where an element was fitted."""
    return lam * value if loss == "lf" else 0.5 * lam * float(np.sign(value))


def learned_row(
    deltas: Sequence[Floats],
    values: Sequence[float],
    n: float,
    old: Floats,
    average: Floats,
    loss: str,
    lam: Floats,
    nonnegative: bool,
    sweeps: int = 5000,
    weights: Sequence[float] | None = None,
) -> Floats:
    """The paper's steps, one element at a time, on new entries and n remembered ones."""
    rank = len(old)
    v, b = n * average, n * average @ old
    for d, x, w in zip(deltas, values, weights or [1.0] * len(values), strict=True):
        v, b = v + w * np.outer(d, d), b + w * x * d
    row = old.copy()
    for _ in range(sweeps):
        before = row.copy()
        for j in range(rank):
            if n > 0 and (old[j] == 0.0 or v[j, j] == 0.0):
                continue
            h = b[j] - sum(v[j, t] * row[t] for t in range(rank) if t != j)
            h += slope(loss, lam[j], old[j]) if n > 0 else 0.0
            row[j] = best_value(h, v[j, j], loss, lam[j])
            if nonnegative:
                row[j] = max(0.0, row[j])
        if np.array_equal(row, before):
            break  # not a bit would change in those that are left
    return row


def learn(
    core: Floats,
    factors: list[Floats],
    old: Sequence[Floats],
    coords: NDArray[np.int32],
    values: Floats,
    counts: Sequence[Floats],
    mode: int,
    average: Floats,
    loss: str,
    lam: Floats,
    nonnegative: bool = False,
    weights: Floats | None = None,
) -> None:
    """Every row of one mode that has a new entry, in turn."""
    for i in sorted(set(coords[:, mode].tolist())):
        here = [k for k in range(len(values)) if coords[k, mode] == i]
        deltas = [delta(core, factors, coords[k].tolist(), mode) for k in here]
        new = [float(values[k]) for k in here]
        n = float(counts[mode][i])
        weighed = None if weights is None else [float(weights[k]) for k in here]
        factors[mode][i] = learned_row(
            deltas, new, n, old[mode][i], average, loss, lam, nonnegative, weights=weighed
        )


def bias_changes(
    coords: NDArray[np.int32],
    rest: Floats,
    weights: Sequence[Floats],
    sweeps: int = 3000,
    entry_weights: Floats | None = None,
) -> list[Floats]:
    """Each bias as the mean of what the others leave of its entries, and weight times no change."""
    changes = [np.zeros(len(each)) for each in weights]
    w = np.ones(len(rest)) if entry_weights is None else entry_weights
    for _ in range(sweeps):
        before = [each.copy() for each in changes]
        for mode, each in enumerate(weights):
            for i in range(len(each)):
                here = [k for k in range(len(rest)) if coords[k, mode] == i]
                if not here or np.isinf(each[i]):
                    continue
                left = 0.0
                for k in here:
                    others = [changes[m][coords[k, m]] for m in range(len(weights)) if m != mode]
                    left += w[k] * (rest[k] - sum(others))
                changes[mode][i] = left / (float(w[here].sum()) + each[i])
        if all(np.array_equal(now, was) for now, was in zip(changes, before, strict=True)):
            break
    return changes
