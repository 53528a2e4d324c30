"""Starts that the caller brings: arrays, or another model."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.checks import tucker_parts
from vest_tucker.base.errors import InitError, LabelError, ModeError, OptionError, RankError
from vest_tucker.base.options import type_text
from vest_tucker.base.types import Floats
from vest_tucker.data.labels import ModeLabels, show
from vest_tucker.fitting.starts.start import Start
from vest_tucker.model.cells import positions
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import average_row


def start_at(
    init: tuple[ArrayLike, Iterable[ArrayLike]], shape: tuple[int, ...], ranks: tuple[int, ...]
) -> Start:
    """Start at the caller's arrays."""
    return Start(*checked_arrays(init, shape, ranks), title="given")


def checked_arrays(
    init: tuple[ArrayLike, Iterable[ArrayLike]], shape: tuple[int, ...], ranks: tuple[int, ...]
) -> tuple[Floats, list[Floats]]:
    """Return a copy of the caller's ``init=(core, factors)``, if it is for this shape and ranks."""
    try:
        given_core, given_factors = init
    except (TypeError, ValueError):
        raise InitError(f"init must be a pair (core, factors), but is {type_text(init)}") from None
    try:
        core, factors = tucker_parts(given_core, given_factors)
    except (ValueError, TypeError) as error:
        raise InitError(f"init: {error}") from error
    dims = tuple(len(factor) for factor in factors)
    if core.shape != ranks or dims != shape:
        raise InitError(
            f"init is for a tensor {dims} with ranks {core.shape}, but the tensor is {shape} and "
            f"the ranks are {ranks}"
        )
    return core.copy(), [factor.copy() for factor in factors]


def start_from(
    model: TuckerModel, modes: ModeLabels, shape: tuple[int, ...], ranks: tuple[int, ...]
) -> Start:
    """Start where another model stands: rows are found by label.

    New ones are the average row; in models of effects they have no effect.
    """
    if not isinstance(model, TuckerModel):
        raise OptionError(f"warm_start must be a TuckerModel, but is {type_text(model)}")
    if model.ranks != ranks:
        raise RankError(
            f"warm_start has the ranks {model.ranks}, but {ranks} are asked for; both must agree"
        )
    if positions(modes.names, model.mode_labels) != list(range(len(ranks))):
        raise ModeError(
            f"warm_start has the modes {model.modes}, but the tensor {modes.names}; both must have "
            f"them in the same order"
        )
    factors = []
    for mode, (factor, dim) in enumerate(zip(model.factors, shape, strict=True)):
        rows = model.mode_labels.encode(mode, modes.decode(mode, np.arange(dim)))
        known = (rows >= 0) & (rows < len(factor))
        if not known.any():
            raise LabelError(
                f"warm_start has none of the labels of mode {modes.names[mode]!r}, such as "
                f"{show(modes.decode(mode, 0))}, so no start can be made of it"
            )
        taken = factor[np.where(known, rows, 0)]
        taken[~known] = _new_row(model, mode)
        factors.append(np.ascontiguousarray(taken, dtype=np.float64))
    return Start(np.array(model.core, dtype=np.float64), factors, title="warm")


def _new_row(model: TuckerModel, mode: int) -> Floats:
    """Return the row of a label that a model does not have."""
    if model.constant:
        row: Floats = np.eye(1, model.ranks[mode])[0]
        return row
    counts = None if model.row_amounts is None else model.row_amounts[mode]
    return average_row(model.factors[mode], counts)
