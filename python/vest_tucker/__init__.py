"""Sparse Tucker factorization of partially observed tensors."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vest_tucker._core import __version__
from vest_tucker.config import show_config
from vest_tucker.errors import (
    AllZeroError,
    ChangedArrayError,
    ColumnError,
    CoordinateError,
    DamagedFileError,
    DivergedError,
    DownloadError,
    DtypeError,
    DuplicateError,
    EmptyModelWarning,
    EmptyTensorError,
    FileFormatError,
    InitError,
    LabelError,
    LossError,
    MissingFileError,
    MissingPackageError,
    ModeError,
    NonFiniteError,
    NotEnoughMemoryError,
    OptionError,
    RankError,
    ScaleError,
    ShapeError,
    SparsityError,
    ThreadsError,
    UnseenLabelsWarning,
)
from vest_tucker.fitting import fit
from vest_tucker.measure import relative_error
from vest_tucker.memory import estimate_memory
from vest_tucker.model import TuckerModel
from vest_tucker.offset import Offset
from vest_tucker.path import path
from vest_tucker.record import IterationRecord
from vest_tucker.split import train_test_split
from vest_tucker.stability import stability
from vest_tucker.tensor import SparseTensor

if TYPE_CHECKING:
    from vest_tucker import datasets
    from vest_tucker.io.files import read, write
    from vest_tucker.io.request import FileInfo
    from vest_tucker.path_result import Path
    from vest_tucker.stability_result import Stability

__all__ = [
    "AllZeroError",
    "ChangedArrayError",
    "ColumnError",
    "CoordinateError",
    "DamagedFileError",
    "DivergedError",
    "DownloadError",
    "DtypeError",
    "DuplicateError",
    "EmptyModelWarning",
    "EmptyTensorError",
    "FileFormatError",
    "FileInfo",
    "InitError",
    "IterationRecord",
    "LabelError",
    "LossError",
    "MissingFileError",
    "MissingPackageError",
    "ModeError",
    "NonFiniteError",
    "NotEnoughMemoryError",
    "Offset",
    "OptionError",
    "Path",
    "RankError",
    "ScaleError",
    "ShapeError",
    "SparseTensor",
    "SparsityError",
    "Stability",
    "ThreadsError",
    "TuckerModel",
    "UnseenLabelsWarning",
    "__version__",
    "datasets",
    "estimate_memory",
    "fit",
    "path",
    "read",
    "relative_error",
    "show_config",
    "stability",
    "train_test_split",
    "write",
]

# Loaded when they are first asked for: files and datasets take longer to load than all the rest.
_LATER = {
    "FileInfo": "io.request",
    "Path": "path_result",
    "Stability": "stability_result",
    "datasets": "datasets",
    "read": "io.files",
    "write": "io.files",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_LATER[name]}")
    globals()[name] = found = getattr(module, name, module)
    return found


def __dir__() -> list[str]:
    return __all__
