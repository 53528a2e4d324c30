"""What ``--json`` tells about a model."""

from __future__ import annotations

from typing import Any

from vest_tucker.model.model import TuckerModel

FIELDS = (
    "modes", "shape", "ranks", "sparsity", "n_nonzero", "n_parameters", "nnz", "penalty", "loss",
    "error", "baseline_error", "validation_error", "validation_mean", "validation_baseline",
    "validation_entries", "noise", "chosen", "stopped", "n_iter", "seconds", "made",
)  # fmt: skip


def facts(model: TuckerModel) -> dict[str, Any]:
    """Return the facts about a model that its summary tells, and how it was made."""
    return {name: getattr(model, name) for name in FIELDS}
