"""The fits of a study as stages of its checkpoint: complete models are kept, and not made again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import leave, stage
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import Offset

stored(Offset)
stored(Importance)
OF_THE_TENSOR = ("labels", "modes")  # not stored with each model


def kept_model(fit: Callable[[], TuckerModel], X: SparseTensor) -> TuckerModel:
    """Return the model that a fit of a tensor makes, or has made."""
    named = [each.name for each in dataclasses.fields(TuckerModel) if each.init]
    named = [name for name in named if name not in OF_THE_TENSOR]

    def keep(model: TuckerModel) -> dict[str, Any]:
        return {name: getattr(model, name) for name in named}

    def back(fields: dict[str, Any]) -> TuckerModel:
        return TuckerModel(**fields, labels=X.labels, modes=X.modes)

    def whole() -> TuckerModel:
        model = fit()
        if model.stopped in ("interrupted", "callback"):
            leave()
        return model

    return stage("fit", whole, keep=keep, back=back)
