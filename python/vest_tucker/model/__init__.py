"""The model that a fit returns, and everything that can be asked of it."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "TuckerModel":  # pickles of version 0.1.0 look for the model here
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from vest_tucker.model.model import TuckerModel

    return TuckerModel
