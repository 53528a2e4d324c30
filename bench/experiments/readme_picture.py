"""The README's picture: one factor without and with pruning, and the error on the way there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import vest_tucker as vt

RESULTS = Path(__file__).parents[1] / "results"
BLUE, ORANGE, GREY = "#2166ac", "#d6604d", "0.45"
LIMIT = 0.6  # the end of the colour scale: no element of a column of norm 1 is far above it


def main() -> None:
    orders = vt.datasets.demo()
    train, test = vt.train_test_split(orders, test=0.1, seed=0)
    dense = vt.fit(train, ranks=4, loss="lf", sparsity=0, seed=0)
    path = vt.path(train, ranks=4, preset="paper", validation=test, seed=0)

    plt.rcParams |= {"font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold"}
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(11, 4.3), width_ratios=(1, 1, 2.1), layout="constrained"
    )
    draw_factor(left, dense, "not pruned")
    image = draw_factor(middle, path.best, "pruned to the knee")
    middle.set_yticklabels([])
    bar = figure.colorbar(image, ax=middle, aspect=35, pad=0.04)
    bar.outline.set_visible(False)
    bar.set_ticks([-LIMIT, 0, LIMIT], labels=[f"−{LIMIT}", "0", f"{LIMIT}"])
    draw_errors(right, path)
    figure.savefig(RESULTS / "readme.png", dpi=130, facecolor="white")


def draw_factor(axes: Any, model: vt.TuckerModel, name: str) -> Any:
    """Draw the factor of the dishes; zeros stay blank."""
    factor = model.factors[model.modes.index("dish")]
    dishes = model.labels[model.modes.index("dish")]
    assert dishes is not None
    image = axes.pcolormesh(
        np.ma.masked_equal(factor, 0.0),
        cmap="RdBu", vmin=-LIMIT, vmax=LIMIT, edgecolors="white", linewidth=1.5,
    )  # fmt: skip
    axes.set_facecolor("0.96")
    axes.invert_yaxis()
    axes.set_title(f"{name}:\n{100 * model.sparsity:.0f} % zeros, error {model.error:.2f}")
    axes.set_xticks(np.arange(4) + 0.5, range(4))
    axes.set_yticks(np.arange(len(dishes)) + 0.5, dishes, fontsize=8)
    axes.set_xlabel("component")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def draw_errors(axes: Any, path: vt.Path) -> None:
    """Draw the errors over the share of zeros, with the knee that the path chose."""
    zeros = [100 * step.sparsity for step in path.steps]
    knee = path.best_index
    axes.plot(zeros, [step.validation_error for step in path.steps], color=ORANGE, lw=2)
    axes.plot(zeros, [step.error for step in path.steps], color=BLUE, lw=2)
    axes.axhline(path.baseline_error, color=GREY, ls=":", lw=1.5)
    axes.plot(zeros[knee], path.steps[knee].error, "o", color=BLUE, ms=9, mec="white", mew=1.5)
    axes.text(2, path.baseline_error - 0.02, "always predicting the mean", color=GREY, va="top")
    axes.text(2, path.steps[0].validation_error + 0.02, "entries held back", color=ORANGE)
    axes.text(2, path.steps[0].error - 0.02, "entries fitted", color=BLUE, va="top")
    axes.annotate(
        f"the knee, found by itself:\n{zeros[knee]:.0f} % zeros, and no higher error",
        xy=(zeros[knee] - 0.8, path.steps[knee].error + 0.02), xytext=(30, 0.52),
        arrowprops={"arrowstyle": "-|>", "color": "0.25", "shrinkB": 6},
    )  # fmt: skip
    axes.set(xlim=(0, 100), ylim=(0, 1), xlabel="zeros, %", ylabel="relative error")
    axes.set_title("zeros cost nothing, up to the knee")
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
