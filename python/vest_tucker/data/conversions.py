"""The methods of SparseTensor that convert from and to frames and arrays, shrink and describe.

`SparseTensor` inherits them from `Conversions`. The work is done by functions on `Entries`, so that
the modules with these functions need not import the tensor.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.errors import DtypeError, OptionError
from vest_tucker.base.options import check_choice, check_whole, type_text
from vest_tucker.base.types import Floats
from vest_tucker.data import arrays, frames
from vest_tucker.data.densest import densest_entries
from vest_tucker.data.describe import Description, describe_entries
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.entries import Entries
from vest_tucker.data.labels import GivenLabels
from vest_tucker.data.sources import labelled
from vest_tucker.data.sources.gaps import Missing, rows_as_given

Tensor = TypeVar("Tensor", bound="Conversions")


class Conversions(ABC):
    """Conversions over two methods of `SparseTensor`: make it of `Entries`, and return them."""

    __slots__ = ()

    @classmethod
    @abstractmethod
    def _of(
        cls: type[Tensor], entries: Entries, duplicates: Duplicates, count_as_weight: bool = False
    ) -> Tensor: ...

    @abstractmethod
    def _entries(self) -> Entries: ...

    @classmethod
    def from_frame(
        cls: type[Tensor],
        frame: Any,
        modes: Iterable[str] | None = None,
        value: str = labelled.VALUE,
        *,
        labels: Mapping[str, Any] | None = None,
        like: Tensor | None = None,
        duplicates: Duplicates = "error",
        weight: str | None = None,
        count_as_weight: bool = False,
        missing: Missing = "raise",
    ) -> Tensor:
        """Make a tensor of a data frame with one row per entry.

        Parameters
        ----------
        frame : data frame, or series of pandas
            Of pandas, polars, Arrow or another library that narwhals knows. Of a lazy frame only
            the columns that are needed are collected. A series has the values; the levels of its
            index are the modes. (`from_dense` takes wide frames, rows by columns.)
        modes : sequence of str
            The columns with the labels: one per mode, of text, numbers, dates, categories or
            anything else that can be a label. Levels of the index of pandas are columns, too. Of a
            series, by default all levels.
        value : str
            The column with the observed values.
        labels : dict, optional
            For some modes all labels in the order of their indices; other labels in the column
            are then errors. By default a mode has the labels of its column, sorted, so that the
            order of the rows does not matter; ordered categories keep their order. Categories
            without a row are left out.
        like : SparseTensor, optional
            Use the labels and the shape of this tensor, as for a test set. ``modes`` are then its
            modes.
        duplicates : {"error", "mean", "median", "sum", "count", "min", "max", "first", "last"}
            What to do with cells that appear more than once, as for `SparseTensor`.
        weight : str, optional
            The column with the weights, such as the number of observations that a value is the mean
            of. By default every row counts once.
        count_as_weight : bool
            For the duplicates "mean" and "median": whether a cell weighs as many rows as were
            averaged.
        missing : {"raise", "drop"}
            What to do with rows in which a label, the value or the weight is missing (null or
            NaN): raise, with the first of them; or drop them, with a warning that says how many
            and in which columns.

        Examples
        --------
        >>> import pandas as pd
        >>> import vest_tucker as vt
        >>> meals = pd.DataFrame(
        ...     {"who": ["eve", "bob", "eve"], "dish": ["soup", "rice", "rice"], "stars": [4, 2, 5]}
        ... )
        >>> X = vt.SparseTensor.from_frame(meals, modes=["who", "dish"], value="stars")
        >>> X
        SparseTensor(shape=(2, 2), nnz=3, density=0.75, modes=('who', 'dish'))
        >>> X.coords.tolist(), X.labels[0].tolist()
        ([[1, 1], [0, 0], [1, 0]], ['bob', 'eve'])
        >>> by_dish = vt.SparseTensor.from_frame(
        ...     meals.assign(town="Rome"), ["dish", "town"], "stars",
        ...     duplicates="mean", count_as_weight=True,
        ... )
        >>> by_dish.to_frame()
           dish  town  value  weight
        0  soup  Rome    4.0     1.0
        1  rice  Rome    3.5     2.0
        >>> vt.SparseTensor.from_frame(meals.groupby(["who", "dish"])["stars"].mean())
        SparseTensor(shape=(2, 2), nnz=3, density=0.75, modes=('who', 'dish'))
        """
        if like is not None and labels is not None:
            raise OptionError("labels and like were both given; choose one of them")
        other = None if like is None else _entries_of(like)
        if modes is None and like is None:
            frame = labelled.only_column(frame, value)
        if labelled.is_series(frame):
            frame, levels = labelled.series_as_rows(frame, value)
            modes = levels if modes is None and like is None else modes
        columns = frames.chosen_modes(modes, other and other.labels)
        given = (labels or {}) if other is None else other.labels
        check_choice("missing", missing, get_args(Missing))
        numbers = [value] if weight is None else [value, weight]
        rows, kept = frames.whole_rows(frame, [*columns, *numbers], missing)
        entries = frames.frame_entries(rows, columns, value, given, weight, kept)
        if other is not None:
            entries = entries._replace(shape=other.shape)
        else:
            library = frames.library_of(frame)
            entries = entries._replace(labels=entries.labels.of_library(library))
        with rows_as_given(kept):
            return cls._of(entries, duplicates, count_as_weight)

    def to_frame(
        self,
        *,
        value: str = "value",
        backend: frames.Backend | None = None,
        weight: str = "weight",
    ) -> Any:
        """Return a data frame with one row per entry: a column per mode, the values, the weights.

        Parameters
        ----------
        value : str
            The name of the column of values.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default that of the frame which the entries came in, or
            the first of these that is installed.
        weight : str
            The name of the column of weights, if the entries have weights.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 1], [1, 0]], [4, 2], labels=[["eve", "bob"], None])
        >>> X.to_frame(value="stars")
          mode_0  mode_1  stars
        0    eve       1    4.0
        1    bob       0    2.0
        """
        columns = frames.decoded(self._entries(), value, weight)
        return frames.make_frame(columns, backend, self._entries().labels.library)

    def head(
        self,
        n: int = 5,
        *,
        value: str = "value",
        backend: frames.Backend | None = None,
        weight: str = "weight",
    ) -> Any:
        """Return the first entries as a data frame, to have a look at them.

        Parameters
        ----------
        n : int
            How many, at most.
        value, backend, weight
            As for `to_frame`.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> vt.datasets.demo().head(2)
                  person      dish  hour  value
        0  Ada (student)  espresso    13    0.0
        1  Ada (student)  espresso    18    0.0
        """
        entries = self._entries()
        few = entries.take(np.arange(min(check_whole("n", n, at_least=1), len(entries.values))))
        return frames.make_frame(frames.decoded(few, value, weight), backend, few.labels.library)

    @classmethod
    def from_scipy(
        cls: type[Tensor],
        matrix: Any,
        *,
        modes: Iterable[str] | None = None,
        labels: GivenLabels = None,
        duplicates: Duplicates = "error",
        weights: ArrayLike | None = None,
        count_as_weight: bool = False,
    ) -> Tensor:
        """Make a tensor of a SciPy sparse matrix or array, of any format and order.

        Stored cells were observed, stored zeros included; all other cells are missing. In the
        formats dia and bsr, which store zeros as padding, zeros are missing too. Weights are in the
        order of ``matrix.tocoo().data``.

        Examples
        --------
        >>> import scipy.sparse
        >>> import vest_tucker as vt
        >>> counts = scipy.sparse.csr_array([[0, 3], [1, 0], [0, 0]])
        >>> vt.SparseTensor.from_scipy(counts, modes=["who", "dish"])
        SparseTensor(shape=(3, 2), nnz=2, density=0.333, modes=('who', 'dish'))
        """
        entries = arrays.scipy_entries(matrix, modes, labels).weighted(weights)
        return cls._of(entries, duplicates, count_as_weight)

    @classmethod
    def from_sparse(
        cls: type[Tensor],
        array: Any,
        *,
        modes: Iterable[str] | None = None,
        labels: GivenLabels = None,
        duplicates: Duplicates = "error",
        weights: ArrayLike | None = None,
        count_as_weight: bool = False,
    ) -> Tensor:
        """Make a tensor of a ``sparse.COO``, or another array of the package sparse.

        Stored cells were observed, stored zeros included; the fill value means missing cells.
        Weights are in the order of ``array.asformat("coo").data``.

        Examples
        --------
        >>> import numpy as np
        >>> import sparse
        >>> import vest_tucker as vt
        >>> cells = np.array([[0, 2], [1, 0]])  # (0, 1) and (2, 0)
        >>> vt.SparseTensor.from_sparse(sparse.COO(cells, [4.0, 0.0], shape=(3, 2)))
        SparseTensor(shape=(3, 2), nnz=2, density=0.333)
        """
        entries = arrays.sparse_entries(array, modes, labels).weighted(weights)
        return cls._of(entries, duplicates, count_as_weight)

    @classmethod
    def from_dense(
        cls: type[Tensor],
        array: ArrayLike | Any,
        mask: ArrayLike | None = None,
        *,
        modes: Iterable[str] | None = None,
        labels: GivenLabels = None,
        weights: ArrayLike | None = None,
    ) -> Tensor:
        """Make a tensor of a dense array whose missing cells are NaN or masked.

        Parameters
        ----------
        array : array_like, wide frame or DataArray
            All cells; zeros among them were observed. Masked cells of a NumPy masked array are
            missing. A frame of pandas is a matrix whose index and columns have the labels, and the
            names of the modes if these have names; those of a DataArray of xarray are the
            coordinates of its dimensions.
        mask : array_like of bool, optional
            True where a cell is missing, as in NumPy's masked arrays.
        modes, labels
            As for `SparseTensor`; by default those of the array.
        weights : array_like of float, optional
            How many entries each cell counts as, in the shape of the array; those of missing cells
            do not matter.

        Examples
        --------
        >>> import numpy as np
        >>> import vest_tucker as vt
        >>> vt.SparseTensor.from_dense([[1.0, np.nan], [0.0, 2.0]]).coords.tolist()
        [[0, 0], [1, 0], [1, 1]]
        >>> import pandas as pd
        >>> wide = pd.DataFrame(
        ...     {"soup": [4, np.nan], "rice": [2, 5]}, index=pd.Index(["ann", "bob"], name="who")
        ... )
        >>> vt.SparseTensor.from_dense(wide.rename_axis(columns="dish")).to_frame()
           who  dish  value
        0  ann  soup    4.0
        1  ann  rice    2.0
        2  bob  rice    5.0
        """
        own = labelled.with_own_labels(array, modes, labels)
        entries = arrays.dense_entries(own.cells, mask, own.modes, own.labels, weights)
        return cls._of(entries, "error")

    def to_dense(self, fill: float = math.nan) -> Floats:
        """Return all cells as a NumPy array, with ``fill`` where nothing was observed.

        That is one number per cell: it raises if there is no memory for so many. `from_dense` takes
        the array back, if ``fill`` is NaN; labels and weights are not part of it.

        Parameters
        ----------
        fill : float
            What stands for cells without an entry; any number, or NaN.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0]).to_dense()
        array([[ 1., nan],
               [nan,  2.]])
        """
        return arrays.dense_array(self._entries(), fill)

    def to_xarray(self, fill: float = math.nan) -> Any:
        """Return all cells as a ``DataArray`` of xarray, whose coordinates are the labels.

        Modes are its dimensions; one without labels has no coordinates. `from_dense` takes it back.
        What is said of `to_dense` about memory, ``fill`` and weights holds here, too.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"who": ["ann", "bob"], "dish": ["soup", "rice"]}
        >>> X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], modes=["who", "dish"], labels=labels)
        >>> X.to_xarray().sel(who="bob").values
        array([nan,  2.])
        """
        return labelled.data_array(lambda: self.to_dense(fill), self._entries().labels)

    def densest(self: Tensor, shape: Iterable[int | None]) -> Tensor:
        """Choose rows of every mode so that as many entries as possible lie in all of them.

        Rows with the fewest entries are peeled off, a quarter of those too many at a time, and the
        entries counted anew; at the end each mode's rows are chosen again, given those of the
        others, as long as that gains entries. This is quick and good, but not always the best
        choice, which would take too long to find.

        Parameters
        ----------
        shape : sequence of int or None
            How many rows each mode is to keep; None keeps all.

        Returns
        -------
        SparseTensor
            With just these rows, in their old order and with their labels; rows of a mode without
            labels get their old indices as labels.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [1, 1], [1, 2], [2, 1], [2, 2]], [1, 2, 3, 4, 5])
        >>> small = X.densest((2, 2))
        >>> small.density, small.values.tolist(), small.labels[0].tolist()
        (1.0, [2.0, 3.0, 4.0, 5.0], [1, 2])
        """
        return type(self)._of(densest_entries(self._entries(), shape), "error")

    def describe(
        self, ranks: int | Iterable[int] | None = None, *, threads: int = 0
    ) -> Description:
        """Return what there is to know before a fit; ``print`` shows it.

        Dimensions, density, how the values spread, how many entries the rows of each mode have, how
        often tuples of modes repeat (of all but one mode, and of all but two up to order 8), and
        the memory of a fit. Each kind of tuple takes a sort of all entries.

        Parameters
        ----------
        ranks : int or sequence of int, optional
            The ranks of that fit; by default 5 in each mode, or its dimension if that is less, and
            fewer where the core would have more than a million elements.
        threads : int
            As for `fit`.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X, _ = vt.datasets.synthetic((50, 40, 30), ranks=3, nnz=2000, seed=1)
        >>> about = X.describe()
        >>> about.rows[0].empty, round(about.rows[0].spread.mean), about.ranks
        (0, 40, (5, 5, 5))
        """
        return describe_entries(self._entries(), ranks, threads)


def _entries_of(like: object) -> Entries:
    if not isinstance(like, Conversions):
        raise DtypeError(f"like must be a SparseTensor, but is {type_text(like)}")
    return like._entries()
