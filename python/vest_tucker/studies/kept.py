"""The fits of a study as stages of its checkpoint: complete models are kept, and not made again."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vest_tucker.base import errors
from vest_tucker.base.telling.warn import warn
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import leave, stage
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import Offset

stored(Offset)
stored(Importance)
OF_THE_TENSOR = ("labels", "modes")  # not stored with each model


@contextmanager
def noted(into: list[warnings.WarningMessage]) -> Iterator[None]:
    """Note the warnings of a block; they are shown as ever."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def note(*told: Any, **more: Any) -> None:
            into.append(warnings.WarningMessage(*told, **more))
            show(*told, **more)

        warnings.showwarning = note
        yield


def kept_model(fit: Callable[[], TuckerModel], X: SparseTensor) -> TuckerModel:
    """Return the model that a fit of a tensor makes, or has made."""
    named = [each.name for each in dataclasses.fields(TuckerModel) if each.init]
    named = [name for name in named if name not in OF_THE_TENSOR]
    warned: list[warnings.WarningMessage] = []

    def keep(model: TuckerModel) -> dict[str, Any]:
        told = [
            (each.category.__name__, str(each.message))
            for each in warned
            if not issubclass(each.category, errors.CheckpointWarning)  # of that time alone
        ]
        return {"warned": told, "fields": {name: getattr(model, name) for name in named}}

    def back(was: dict[str, Any]) -> TuckerModel:
        for name, text in was["warned"]:  # they hold of the model as they did when it was made
            category = getattr(errors, name, UserWarning)
            if not issubclass(category, Warning):  # of a file that is not ours
                category = UserWarning
            warn(text, category)
        return TuckerModel(**was["fields"], labels=X.labels, modes=X.modes)

    def whole() -> TuckerModel:
        with noted(warned):
            model = fit()
        if model.stopped in ("interrupted", "callback"):
            leave()
        return model

    return stage("fit", whole, keep=keep, back=back)
