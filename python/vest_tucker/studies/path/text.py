"""The summary that ``print`` shows of a path: the error at each sparsity, and the knee."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.model.text import held_back_line, held_out_line, held_out_verdict, times

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.studies.path.result import Path, PathStep

SHOWN = 10  # number of stops in the table, beside the knee and its neighbours
RULES = {
    "curve": "lowest criterion",
    "validation": "sparsest within one standard error of the best on the entries held back",
    "holdout": "sparsest that costs nothing on entries not fitted",
    "worth": "first whose elements are worth more than their prior",
}


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of the summary, with the knee marked in the table of stops."""
    knee, model = path.best_index, path.best
    yield (
        f"{len(path)} models of a {times(model.shape)} tensor, ranks {times(model.ranks)}, "
        f"{path.basis} basis"
    )
    if model.penalty == "bayes":
        yield from _lines_of_bayes(path, model)
    else:
        yield f"  knee        {path.steps[knee].sparsity:.3f}, the {RULES[path.knee]}"
        yield f"  baseline    {path.baseline_error:.4f}, the error of always predicting the mean"
        if path.has_validation:
            line = held_back_line(path.steps[knee].validation_error, path.validation_baseline)
            yield f"  held back   {line}"
    yield from table(path, knee)


def _lines_of_bayes(path: Path, model: TuckerModel) -> Iterator[str]:
    """Yield where the knee is, and how good the model is there."""
    step = path.steps[path.best_index]
    yield f"  knee        {step.share:.3f} pruned, the {RULES[path.knee]}"
    if path.has_validation:
        yield f"  held out    {held_out_line(model)}"
        yield f"              {held_out_verdict(model)}"
    else:
        yield f"  baseline    {path.baseline_error:.4f}, the error of always predicting the mean"
    yield f"  structure   {model.chosen.partition('; ')[0]}"


def table(path: Path, knee: int) -> Iterator[str]:
    """Yield a line for some of the stops, and the knee among them."""
    held, noisy = path.has_validation, path[0].penalty == "bayes"
    pruned = "  pruned" if noisy else ""
    unseen = "  held back" if held else ""
    yield f"  stop  sparsity{pruned}  parameters   error{unseen}  criterion"
    for number in shown(len(path), knee):
        mark = "  <- knee" if number == knee else ""
        yield row(number, path.steps[number], held=held, noisy=noisy) + mark
    if knee == len(path) - 1 and knee > 0:
        yield "  The path ends before its knee: lower least, or the ranks."


def row(number: int, step: PathStep, *, held: bool, noisy: bool = False) -> str:
    """Return the line of one stop in the table."""
    unseen = f"  {step.validation_error:>9.4f}" if held else ""
    pruned = f"  {step.share:>6.3f}" if noisy else ""
    return (
        f"  {number:>4}  {step.sparsity:>8.3f}{pruned}  {step.n_parameters:>10,}  {step.error:.4f}"
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
