"""The options of `read`, and the information about a file that it can return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vest_tucker.base.public import public
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.sources.gaps import Missing
from vest_tucker.data.tensor import SparseTensor


@dataclass(frozen=True)
class Request:
    """The options of `read`; None for an option that was not given."""

    index_base: int | None = None
    shape: tuple[int, ...] | None = None
    modes: Sequence[str] | None = None
    value: str | None = None
    like: SparseTensor | None = None
    duplicates: Duplicates = "error"
    weight: str | None = None
    count_as_weight: bool = False
    missing: Missing = "raise"


@public
@dataclass(frozen=True)
class FileInfo:
    """How `read` understood a file.

    Attributes
    ----------
    path : str
        The file.
    format : str
        One of "tns", "sptensor", "csv", "tsv", "parquet", "npz".
    compression : str or None
        "gz", "bz2", "xz" or "zst".
    index_base : int or None
        The number that the file's indices count from; None where it has labels or needs none.
    """

    path: str
    format: str
    compression: str | None
    index_base: int | None
