"""The README's picture: the same factor without and with pruning, and the error on the way."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import vest_tucker as vt

RESULTS = Path(__file__).parents[1] / "results"


def main() -> None:
    X, _ = vt.datasets.synthetic((100, 80, 60), ranks=4, nnz=30_000, noise=0.1, seed=0)
    dense = vt.fit(X, ranks=4, loss="lf", sparsity=0, seed=0)
    sparse = vt.fit(X, ranks=4, seed=0)

    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(10, 3.4), width_ratios=(1, 1, 1.6), layout="constrained"
    )
    for axes, model, name in ((left, dense, "no pruning"), (middle, sparse, "pruned")):
        factor = model.factors[0]
        image = np.ma.masked_equal(factor, 0.0)
        limit = np.abs(factor).max()
        axes.imshow(
            image, aspect="auto", cmap="PuOr_r", vmin=-limit, vmax=limit, interpolation="nearest"
        )
        axes.set_title(f"factor 0, {name}\n{model.sparsity:.0%} zeros, error {model.error:.2f}")
        axes.set_xticks(range(4))
        axes.set_xlabel("component")
        axes.set_ylabel("row")

    steps = [record.iteration for record in sparse.history]
    right.plot(steps, [record.error for record in sparse.history], label="error")
    right.plot(steps, [record.sparsity for record in sparse.history], label="share of zeros")
    right.axhline(sparse.baseline_error, color="gray", linestyle=":", label="error of the mean")
    pruning = sum(record.prune_rate > 0 for record in sparse.history)
    right.axvspan(1, pruning, alpha=0.1, label="pruning")
    right.set_xlabel("iteration")
    right.set_title("pruning stops by itself at the elbow")
    right.legend(loc="lower right")
    figure.savefig(RESULTS / "readme.png", dpi=110)


if __name__ == "__main__":
    main()
