"""Where the modules of version 0.1.0 have gone, so that pickles written with it can still be read.

A pickle names the module of each class. Importing one of these old names gives a module that looks
every name up in the new place.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

PLACES = {
    "vest_tucker.tensor": "vest_tucker.data.tensor",
    "vest_tucker.entries": "vest_tucker.data.entries",
    "vest_tucker.labels": "vest_tucker.data.labels",
    "vest_tucker.offset": "vest_tucker.model.offset",
    "vest_tucker.record": "vest_tucker.model.history",
    "vest_tucker.path_result": "vest_tucker.studies.path.result",
    "vest_tucker.snapshot": "vest_tucker.studies.path.snapshot",
    "vest_tucker.stability_result": "vest_tucker.studies.stability.result",
    "vest_tucker.recurrence": "vest_tucker.studies.stability.recurrence",
}


class MovedModules(MetaPathFinder, Loader):
    """Finds a module under its old name."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for the old names only."""
        return spec_from_loader(name, self) if name in PLACES else None

    def exec_module(self, module: ModuleType) -> None:
        """Let the module look its names up in the new place."""
        there = import_module(PLACES[module.__name__])
        module.__getattr__ = lambda name: getattr(there, name)  # type: ignore[method-assign]
