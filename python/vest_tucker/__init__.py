"""Sparse Tucker factorization of partially observed tensors."""

from vest_tucker import datasets
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
)
from vest_tucker.fit import fit
from vest_tucker.io import FileInfo, read, write
from vest_tucker.memory import estimate_memory
from vest_tucker.model import TuckerModel, relative_error
from vest_tucker.record import IterationRecord
from vest_tucker.split import train_test_split
from vest_tucker.tensor import SparseTensor

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
    "OptionError",
    "RankError",
    "ScaleError",
    "ShapeError",
    "SparseTensor",
    "SparsityError",
    "ThreadsError",
    "TuckerModel",
    "__version__",
    "datasets",
    "estimate_memory",
    "fit",
    "read",
    "relative_error",
    "show_config",
    "train_test_split",
    "write",
]
