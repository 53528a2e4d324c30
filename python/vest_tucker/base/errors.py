"""All errors and warnings, one class per cause, so that callers can catch exactly one of them.

Wrong values are `ValueError`, wrong types are `TypeError`; catching those two catches all of these
but `ClusterError`, `DivergedError`, `NotEnoughMemoryError`, `MissingPackageError`,
`MissingFileError` and `DownloadError`, which are not caused by an argument.
"""

from __future__ import annotations

import os

from vest_tucker._core import CoordinateError as CoordinateError
from vest_tucker._core import NonFiniteError as NonFiniteError
from vest_tucker._core import WeightError as WeightError
from vest_tucker.base.text_table import visible

__all__ = [
    "AllZeroError",
    "ChangedArrayError",
    "CheckpointError",
    "CheckpointWarning",
    "ClusterError",
    "ColumnError",
    "CoordinateError",
    "CoordinatesWarning",
    "DamagedFileError",
    "DivergedError",
    "DownloadError",
    "DtypeError",
    "DuplicateError",
    "EmptyModelWarning",
    "EmptyTensorError",
    "FileFormatError",
    "GapsWarning",
    "InitError",
    "InterruptedWarning",
    "LabelError",
    "LossError",
    "MissingFileError",
    "MissingPackageError",
    "ModeError",
    "ModesWarning",
    "NonFiniteError",
    "NotEnoughMemoryError",
    "OptionError",
    "OverlapWarning",
    "RankError",
    "RanksWarning",
    "ScaleError",
    "ScaleWarning",
    "ShapeError",
    "SparsityError",
    "SparsityWarning",
    "ThreadsError",
    "UnseenLabelsWarning",
    "VarianceError",
    "WeightError",
]


class DtypeError(TypeError):
    """An array holds something other than the numbers asked for."""


class ShapeError(ValueError):
    """Arrays do not fit each other, or a tensor cannot have the shape."""


class EmptyTensorError(ValueError):
    """A tensor without any entry."""


class DuplicateError(ValueError):
    """The same cell was observed twice, and ``duplicates=`` does not say what to do with it."""


class ChangedArrayError(ValueError):
    """The arrays that a tensor shares with the caller were changed after it was made."""


class AllZeroError(ValueError):
    """Every value is zero, so an error relative to their norm has no meaning."""


class ScaleError(ValueError):
    """Values so large or so small that their squares leave the range of double precision."""


class ModeError(ValueError):
    """A mode that does not exist, or names of modes that are not distinct texts."""


class ColumnError(ValueError):
    """A column that a data frame does not have, or that is asked for twice."""


class LabelError(ValueError):
    """A label that is missing, repeated or unknown, or not one label per row."""


class RankError(ValueError):
    """A rank that the tensor cannot have, or ranks whose core would be too large."""


class LossError(ValueError):
    """A penalty (the option that was once called loss) that is not one of its three."""


class SparsityError(ValueError):
    """A sparsity that is neither ``"auto"`` nor a share of zeros in [0, 1)."""


class InitError(ValueError):
    """A start that is not a core and factors of the shape and ranks asked for."""


class VarianceError(ValueError):
    """A variance that is negative, or a model without variances where they are needed."""


class ThreadsError(ValueError):
    """A number of threads that is negative, too large or not a whole number."""


class OptionError(ValueError):
    """Any other option outside its range."""


class FileFormatError(ValueError):
    """A file whose content is not what its format asks for.

    Attributes
    ----------
    path : str
        The file.
    line : int or None
        The number of the bad line, counted from 1; None if the error is not about one line.
    """

    def __init__(
        self, what: str, path: str | os.PathLike[str] = "", line: int | None = None
    ) -> None:
        self.what, self.path, self.line = what, os.fspath(path), line
        name = visible(self.path)
        where = name if line is None else f"{name}, line {line}"
        super().__init__(f"{where}: {what}" if where else what)

    def __reduce__(self) -> tuple[type[FileFormatError], tuple[str, str, int | None]]:
        return type(self), (self.what, self.path, self.line)


class DamagedFileError(FileFormatError):
    """A file that was cut short or changed after it was written."""

    @classmethod
    def because(cls, error: Exception, path: str | os.PathLike[str]) -> DamagedFileError:
        """Return the error for a file that could not be read because of another error."""
        return cls(f"is damaged or cut short ({error}); get it again", path)


class MissingFileError(FileNotFoundError):
    """A file or folder that is not there, or that lacks what a dataset consists of."""


class DownloadError(OSError):
    """A dataset that could not be fetched, or that came with the wrong checksum."""


class NotEnoughMemoryError(MemoryError):
    """The fit would need more memory than is available; nothing was allocated."""


class MissingPackageError(ImportError):
    """A package that only some functions need is not installed."""


class CheckpointError(ValueError):
    """A checkpoint that another call wrote, with other settings or for another tensor."""


class CheckpointWarning(UserWarning):
    """A checkpoint that could not be written; the call goes on without it."""


class EmptyModelWarning(UserWarning):
    """A fit ended with a part all zero, so that it predicts 0, or its offset, everywhere."""


class CoordinatesWarning(UserWarning):
    """Whole numbers that were taken for coordinates, but may have been meant as labels."""


class UnseenLabelsWarning(UserWarning):
    """Labels that a model does not know: some of a mode, or all of it, if they are another type."""


class GapsWarning(UserWarning):
    """Rows that were dropped because something was missing in them."""


class ModesWarning(UserWarning):
    """A column of a table became a mode, though it hardly looks like one."""


class OverlapWarning(UserWarning):
    """Entries to measure models on that were fitted, too, and so tell nothing of other entries."""


class InterruptedWarning(RuntimeWarning):
    """Ctrl-C has ended a call, which returns what it has so far."""


class RanksWarning(RuntimeWarning):
    """Ranks that are lower than what was asked for, because that would take too long."""


class ScaleWarning(RuntimeWarning):
    """Predictions that are too large for double precision, and so infinite or NaN."""


class SparsityWarning(RuntimeWarning):
    """A sparsity that leaves nothing of a part, or of the model."""


class ClusterError(RuntimeError):
    """A cluster that is not there, or that has stopped answering."""


class DivergedError(FloatingPointError):
    """The reconstruction error stopped being a finite number during the fit."""


for _name in __all__:  # what the decorator `public` does elsewhere; pickles keep this name
    globals()[_name].__module__ = "vest_tucker.errors"
