"""Tasks for the systems of bench/peers, made from truths that some of them must recover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peers import SYSTEMS, Fitted, Result, Task, run
from peers.clock import Clock
from peers.peer import Floats, Ints
from peers.tucker import cp_predictor, tucker_predictor


@dataclass(frozen=True)
class Planted:
    """A task and the true values of the cells it asks for."""

    task: Task
    truth: Floats

    def error(self, predictions: Floats) -> float:
        """Relative to what always predicting the mean would leave."""
        mean = self.task.values.mean()
        left = np.linalg.norm(self.truth - predictions) / np.linalg.norm(self.truth - mean)
        return float(left)

    def run(self, name: str, curve: bool = False, **settings: Any) -> Result:
        """Run a system in its own process; whatever hinders it fails the test."""
        task = replace(self.task, settings=settings, curve=curve)
        result = run(name, task, limit_seconds=120)
        assert result.error is None, result.error
        return result

    def fit(self, name: str, fit: Callable[[Task, Clock], Fitted], **settings: Any) -> Fitted:
        """Fit in this process."""
        return fit(self.task.with_settings(SYSTEMS[name].settings(settings)), Clock())


def planted(
    value: Callable[[Ints], Floats],
    shape: Sequence[int],
    ranks: int | Sequence[int],
    *,
    share: float = 0.6,
    noise: float = 0.02,
    seed: int = 0,
) -> Planted:
    """Observe a share of the cells with noise, and ask for some of the others (or, of all, all)."""
    rng = np.random.default_rng(seed)
    cells = np.stack(np.unravel_index(rng.permutation(int(np.prod(shape))), shape), axis=1)
    count = round(share * len(cells))
    seen = cells[:count]
    asked = cells[count:][:500] if share < 1 else cells
    values = value(seen)
    values = values + noise * values.std() * rng.standard_normal(count)
    return Planted(Task.of(seen, values, shape, ranks, asked), value(asked))


def cp_truth(
    shape: Sequence[int], rank: int, *, zeros: float = 0.0, seed: int = 1
) -> tuple[Floats, list[Floats]]:
    """Draw weights and vectors of norm 1, a share of whose elements is zero."""
    rng = np.random.default_rng(seed)
    factors = []
    for dim in shape:
        drawn = rng.uniform(0.5, 1.5, (dim, rank)) * rng.choice([-1.0, 1.0], (dim, rank))
        for column in drawn.T:
            column[rng.permutation(dim)[: round(zeros * dim)]] = 0.0
        factors.append(drawn / np.linalg.norm(drawn, axis=0))
    scale = np.sqrt(np.prod(shape))  # so that values are about 1
    return scale * 0.7 ** np.arange(rank), factors


def cp_task(rank: int = 2, shape: Sequence[int] = (20, 15, 10), **options: Any) -> Planted:
    """Plant a CP model, which is a Tucker model of the same ranks."""
    return planted(cp_predictor(*cp_truth(shape, rank)), shape, rank, **options)


def tucker_task(shape: Sequence[int] = (20, 15, 10), rank: int = 2, **options: Any) -> Planted:
    """Plant a Tucker model with a full core."""
    rng = np.random.default_rng(2)
    core = rng.standard_normal((rank,) * len(shape))
    factors = [rng.standard_normal((dim, rank)) for dim in shape]
    return planted(tucker_predictor(core, factors), shape, rank, **options)


def pairs_task(shape: Sequence[int] = (30, 20, 4), **options: Any) -> Planted:
    """Plant a mean, a bias per row and a product of the first two modes, as in ratings."""
    rng = np.random.default_rng(3)
    biases = [0.5 * rng.standard_normal(dim) for dim in shape]
    users, items = (rng.standard_normal(dim) for dim in shape[:2])

    def value(coords: Ints) -> Floats:
        rows = coords.T
        added = sum(bias[row] for bias, row in zip(biases, rows, strict=True))
        return np.asarray(3.0 + added + 0.7 * users[rows[0]] * items[rows[1]])

    return planted(value, shape, 2, **options)
