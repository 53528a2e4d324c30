"""A model as an object of other packages, with the same core and factors; its cells as an array.

Core and factors are copied, so that the other package cannot change the model. An offset becomes
additional components, because a Tucker sum can express it exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from vest_tucker.base.extras import needed_for
from vest_tucker.base.memory import require_for_dense
from vest_tucker.base.telling.steps import step
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.per_row import chunks
from vest_tucker.model.offset import Offset

AT_A_TIME = 1 << 20  # cells to predict at once


def with_offset(
    core: Floats, factors: Sequence[Floats], offset: Offset | None
) -> tuple[Floats, list[Floats]]:
    """Return copies of the parts with the offset in further components.

    Each mode gets a component of ones; the core element of all these components is the mean. With
    biases each mode also gets a component of them, with a core element 1 at the ones of the others.

    Examples
    --------
    >>> import numpy as np
    >>> parts = np.ones((1, 1)), [np.array([[2.0], [3.0]]), np.array([[5.0]])]
    >>> core, factors = with_offset(*parts, Offset("mean", 0.5))
    >>> (factors[0] @ core @ factors[1].T).tolist()
    [[10.5], [15.5]]
    """
    if offset is None:
        return core.copy(), [factor.copy() for factor in factors]
    ones = core.shape  # the number of the component of ones in each mode
    whole = np.zeros([rank + (2 if offset.biases else 1) for rank in ones])
    whole[tuple(slice(rank) for rank in ones)] = core
    whole[ones] = offset.mean
    wider = [np.column_stack([factor, np.ones(len(factor))]) for factor in factors]
    for mode, effects in enumerate(offset.biases):
        wider[mode] = np.column_stack([wider[mode], effects])
        whole[(*ones[:mode], ones[mode] + 1, *ones[mode + 1 :])] = 1.0
    return whole, wider


def tensorly_tucker(core: Floats, factors: Sequence[Floats], offset: Offset | None = None) -> Any:
    """Return a ``tensorly.tucker_tensor.TuckerTensor``, on TensorLy's backend of the moment."""
    with needed_for("to_tensorly", "peers"):
        tensorly = import_module("tensorly")
        tucker_tensor = import_module("tensorly.tucker_tensor")
    whole, wider = with_offset(core, factors, offset)
    return tucker_tensor.TuckerTensor((tensorly.tensor(whole), [tensorly.tensor(a) for a in wider]))


def pyttb_ttensor(core: Floats, factors: Sequence[Floats], offset: Offset | None = None) -> Any:
    """Return a ``pyttb.ttensor``."""
    with needed_for("to_pyttb", "peers"):
        pyttb = import_module("pyttb")
    whole, wider = with_offset(core, factors, offset)
    return pyttb.ttensor(pyttb.tensor(whole), wider)


def dense_predictions(shape: tuple[int, ...], predict: Callable[[Coords], Floats]) -> Floats:
    """Return what is predicted for all cells, some of them at a time."""
    require_for_dense(shape, "the array of all predictions")
    flat = np.empty(math.prod(shape))
    with step("predicting", len(flat), "cell") as predicting:
        for chunk in chunks(len(flat), AT_A_TIME):
            cells = np.unravel_index(np.arange(chunk.start, min(chunk.stop, len(flat))), shape)
            flat[chunk] = predict(np.stack(cells, axis=1).astype(np.int32))
            predicting.advance(len(cells[0]))
    return flat.reshape(shape)
