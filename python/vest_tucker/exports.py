"""A model for the tools that people know: the same core and factors as another package's object.

Core and factors are copied, so that whatever the other package does to them leaves the model alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from vest_tucker.checks import Floats
from vest_tucker.optional import needed_for


def tensorly_tucker(core: Floats, factors: Sequence[Floats]) -> Any:
    """Return a ``tensorly.tucker_tensor.TuckerTensor``, on TensorLy's backend of the moment."""
    with needed_for("to_tensorly", "peers"):
        tensorly = import_module("tensorly")
        tucker_tensor = import_module("tensorly.tucker_tensor")
    parts = [tensorly.tensor(part.copy()) for part in (core, *factors)]
    return tucker_tensor.TuckerTensor((parts[0], parts[1:]))


def pyttb_ttensor(core: Floats, factors: Sequence[Floats]) -> Any:
    """Return a ``pyttb.ttensor``."""
    with needed_for("to_pyttb", "peers"):
        pyttb = import_module("pyttb")
    return pyttb.ttensor(pyttb.tensor(core.copy()), [factor.copy() for factor in factors])
