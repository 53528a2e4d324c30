"""What a running fit says of an iteration, to the step that is under way."""

from __future__ import annotations

import math
from functools import partial

from vest_tucker.base.telling.steps import underway
from vest_tucker.fitting.state import FitState
from vest_tucker.model.history import IterationRecord


def tell_step(record: IterationRecord) -> None:
    """Tell the step that is under way of one more iteration."""
    underway().advance(words=partial(describe, record))


def watch(state: FitState) -> bool:
    """Tell the step of the latest iteration of a fit that nobody wants to stop."""
    tell_step(state.history[-1])
    return False


def describe(record: IterationRecord) -> str:
    """Say how good and how sparse a fit is after an iteration.

    Examples
    --------
    >>> describe(IterationRecord(7, 0.21, 0.4, 0.3, 0.07, 0.5))
    'error 0.2100, 40 % zeros, pruning 7 %'
    """
    said = [f"error {record.error:.4f}"]
    if not math.isnan(record.validation_error):
        said.append(f"held-out {record.validation_error:.4f}")
    said.append(zeros(record.sparsity))
    if record.prune_rate:
        said.append(f"pruning {100 * record.prune_rate:.2g} %")
    return ", ".join(said)


def zeros(share: float, held_out: float = math.nan) -> str:
    """Say how sparse a fit is, and the error on entries held out if it is known.

    Examples
    --------
    >>> zeros(0.614, 0.23199)
    '61 % zeros, held-out 0.2320'
    """
    known = "" if math.isnan(held_out) else f", held-out {held_out:.4f}"
    return f"{100 * share:.0f} % zeros{known}"
