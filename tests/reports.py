"""Models for tests of reports: with every kind of part, of label, and of gap."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.model.offset import Offset

HOSTILE = "</script><script>document.title='owned'</script>"
ODD_LABELS: list[str] = [
    HOSTILE, "<img src=x onerror=\"document.title='owned'\">", "=1+1", "-2+3", "@SUM(A1)",
    "a,b;\"c\"\r\nd", "line\u2028break", "null\x00byte", "half \ud800 pair",
    "\u05e9\u05dc\u05d5\u05dd",
    "مرحبا", "日本語", "", "  ", "x" * 3000, "{{7*7}}", "&lt;b&gt;", "'quoted'",
]  # fmt: skip

# What a model knows that was measured on entries held out, but for its own error.
HELD_OUT: dict[str, Any] = {
    "validation_mean": 0.4, "validation_baseline": 0.3, "validation_entries": 2000, "loss": "bayes",
}  # fmt: skip


def factored(
    seed: int = 0, *, shape: tuple[int, ...] = (18, 7, 5), ranks: tuple[int, ...] = (3, 2, 2),
    **facts: Any,
) -> vt.TuckerModel:  # fmt: skip
    """Make a model with zeros, signs and counts, the last row of each mode without entries."""
    rng = np.random.default_rng(seed)
    factors = [rng.normal(size=size) for size in zip(shape, ranks, strict=True)]
    for factor in factors:
        factor[rng.random(factor.shape) < 0.4] = 0.0
    core = rng.normal(size=ranks) * 3.0
    core[rng.random(ranks) < 0.4] = 0.0
    core.flat[0] = 2.0
    core.flat[-1] = 1e-6  # adds next to nothing
    entries = [rng.integers(1, 50, dim) for dim in shape]
    for counts in entries:
        counts[-1] = 0
    return vt.TuckerModel(core, factors, entries=entries, **facts)


def odd() -> vt.TuckerModel:
    """Make a model with labels that no page must stumble over, in modes of odd names."""
    labels = [ODD_LABELS, None, np.arange(5) + 7]
    return factored(modes=(f"who {HOSTILE}", "dish", "hour"), labels=labels)


def biased() -> vt.TuckerModel:
    """Make a model with an offset of mean and biases, and variances."""
    model = factored(1, modes=("person", "dish", "hour"))
    rng = np.random.default_rng(1)
    biases = tuple(rng.normal(size=dim) for dim in model.shape)
    return dataclasses.replace(
        model, offset=Offset("biases", 3.5, biases, error=0.22),
        factor_variances=[np.full(factor.shape, 0.01) for factor in model.factors],
        core_variance=np.full(model.core.shape, 0.04), noise=0.25, error=0.2, baseline_error=0.4,
        nnz=500, validation_error=0.25, validation_baseline=0.3,
    )  # fmt: skip


def constant() -> vt.TuckerModel:
    """Make a model around constant columns: a mean, effects of one mode, and pairs."""
    model = factored(2, ranks=(3, 3, 3), modes=("person", "dish", "hour"))
    core = np.zeros(model.core.shape)
    core[0, 0, 0], core[1, 0, 0], core[0, 1, 0], core[2, 2, 0] = 3.5, 1.0, -0.5, 2.0
    factors = [factor.copy() for factor in model.factors]
    for factor in factors:
        factor[:, 0] = 1.0
    return dataclasses.replace(model, core=core, factors=factors, constant=True, shares=(0.7, 0.3))


def empty() -> vt.TuckerModel:
    """Make a model that predicts its mean everywhere."""
    core, factors = np.zeros((1, 1)), [np.zeros((3, 1)), np.zeros((2, 1))]
    return vt.TuckerModel(core, factors, offset=Offset("mean", 3.5))


def tiny() -> vt.TuckerModel:
    """Make a model of one component, of which nothing is known but its numbers."""
    factors = [np.array([[1.0], [0.0]]), np.array([[-0.5]])]
    return vt.TuckerModel(np.array([[2.0]]), factors)


MODELS = {
    "odd": odd, "biased": biased, "constant": constant, "empty": empty, "tiny": tiny,
}  # fmt: skip
