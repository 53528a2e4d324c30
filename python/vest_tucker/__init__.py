"""Sparse Tucker factorization of partially observed tensors."""

# Before all that takes long: what Ctrl-C does to the command.
from vest_tucker.cli import process as _process  # noqa: F401

# isort: split
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vest_tucker._core import __version__
from vest_tucker._moved import MovedModules
from vest_tucker.base.config import show_config
from vest_tucker.base.memory import estimate_memory
from vest_tucker.data.split import train_test_split
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.callback import RunningFit
from vest_tucker.fitting.fit import fit
from vest_tucker.fitting.offset import baseline
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.measure import mae, relative_error, rmse
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import Offset
from vest_tucker.studies.path.run import path
from vest_tucker.studies.stability.run import stability

if TYPE_CHECKING:
    from vest_tucker import datasets, errors
    from vest_tucker.drawing.model_plots import ModelPlots
    from vest_tucker.io.files import read, write
    from vest_tucker.io.read_options import FileInfo
    from vest_tucker.reading.asking.recommend import Recommendations
    from vest_tucker.reading.describe import Description
    from vest_tucker.reading.explain import Explanation
    from vest_tucker.reading.importance import ImportanceTable
    from vest_tucker.reading.residuals import Residuals
    from vest_tucker.studies.comparison import Comparison, compare
    from vest_tucker.studies.cross_validation import CrossValidation, cross_validate
    from vest_tucker.studies.path.result import Path
    from vest_tucker.studies.resume import resume
    from vest_tucker.studies.stability.result import Stability

__all__ = [
    "Comparison",
    "CrossValidation",
    "Description",
    "Explanation",
    "FileInfo",
    "Importance",
    "ImportanceTable",
    "IterationRecord",
    "ModelPlots",
    "Offset",
    "Path",
    "Recommendations",
    "Residuals",
    "RunningFit",
    "SparseTensor",
    "Stability",
    "TuckerModel",
    "__version__",
    "baseline",
    "compare",
    "cross_validate",
    "datasets",
    "errors",
    "estimate_memory",
    "fit",
    "mae",
    "path",
    "read",
    "relative_error",
    "resume",
    "rmse",
    "show_config",
    "stability",
    "train_test_split",
    "write",
]

# Loaded when they are first asked for: files and datasets take longer to load than all the rest.
_LATER = {
    "Comparison": "studies.comparison",
    "CrossValidation": "studies.cross_validation",
    "Description": "reading.describe",
    "Explanation": "reading.explain",
    "FileInfo": "io.read_options",
    "ImportanceTable": "reading.importance",
    "ModelPlots": "drawing.model_plots",
    "Path": "studies.path.result",
    "Recommendations": "reading.asking.recommend",
    "Residuals": "reading.residuals",
    "Stability": "studies.stability.result",
    "compare": "studies.comparison",
    "cross_validate": "studies.cross_validation",
    "datasets": "datasets",
    "errors": "errors",
    "read": "io.files",
    "resume": "studies.resume",
    "write": "io.files",
}

sys.meta_path.append(MovedModules())


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        from vest_tucker.base import errors  # which were names of the package, and go on working

        if name in errors.__all__:
            return getattr(errors, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from vest_tucker.base.interrupts import loading

    with loading():
        module = import_module(f"{__name__}.{_LATER[name]}")
    globals()[name] = found = getattr(module, name, module)
    return found


def __dir__() -> list[str]:
    return __all__
