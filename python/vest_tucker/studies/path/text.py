"""The summary that ``print`` shows of a path: the error at each sparsity, and the knee."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.model.text import held_back_line, times

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import Path, PathStep

SHOWN = 10  # number of stops in the table, beside the knee and its neighbours
RULES = {
    "curve": "lowest criterion",
    "validation": "sparsest within one standard error of the best on the entries held back",
}


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of the summary, with the knee marked in the table of stops."""
    knee, model = path.best_index, path[0]
    yield (
        f"{len(path)} models of a {times(model.shape)} tensor, ranks {times(model.ranks)}, "
        f"{path.basis} basis"
    )
    yield f"  knee        {path.steps[knee].sparsity:.3f}, the {RULES[path.elbow]}"
    yield f"  baseline    {path.baseline_error:.4f}, the error of always predicting the mean"
    held = path.has_validation
    if held:
        line = held_back_line(path.steps[knee].validation_error, path.validation_baseline)
        yield f"  held back   {line}"
    yield "  stop  sparsity  parameters   error" + ("  held back" if held else "") + "  criterion"
    for number in shown(len(path), knee):
        mark = "  <- knee" if number == knee else ""
        yield row(number, path.steps[number], held=held) + mark
    if knee == len(path) - 1 and knee > 0:
        yield "  The path ends before its knee: lower least, or the ranks."


def row(number: int, step: PathStep, *, held: bool) -> str:
    """Return the line of one stop in the table."""
    unseen = f"  {step.validation_error:>9.4f}" if held else ""
    return (
        f"  {number:>4}  {step.sparsity:>8.3f}  {step.n_parameters:>10,}  {step.error:.4f}"
        f"{unseen}  {step.criterion:>9,.0f}"
    )


def shown(n: int, knee: int) -> list[int]:
    """Return which stops to show: some from end to end, and the knee with its neighbours.

    Examples
    --------
    >>> shown(5, 2)
    [0, 1, 2, 3, 4]
    >>> len(shown(100, 47)), {46, 47, 48} <= set(shown(100, 47))
    (13, True)
    """
    spaced = np.linspace(0, n - 1, min(n, SHOWN)).round().astype(int).tolist()
    near = [number for number in (knee - 1, knee, knee + 1) if 0 <= number < n]
    return sorted({*spaced, *near})
