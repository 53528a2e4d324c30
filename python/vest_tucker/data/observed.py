"""The methods of SparseTensor that show what was observed, row by row: a frame and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vest_tucker.base.extras import Later
from vest_tucker.data.conversions import Conversions
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.per_row import sum_per_row

if TYPE_CHECKING:
    from vest_tucker.data.tensor import SparseTensor
    from vest_tucker.drawing import tensor
else:
    tensor = Later("vest_tucker.drawing.tensor")  # drawing imports tensors

ENTRIES, MEAN, WEIGHT = "entries", "mean", "weight"


class Observed(Conversions):
    """Methods of `SparseTensor`, which inherits them, about the entries of each row."""

    __slots__ = ()

    def rows_frame(self, mode: str | int, *, backend: Backend | None = None) -> Any:
        """Return the rows of a mode as a frame: label, number of entries and mean of the values.

        With weights there is their sum, *weight*, too, and means are weighted. The mean of a row
        without entries is NaN. The column of labels is called like the mode, followed by ``_`` if
        another column has that name.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [0, 1]], [3.0, 4.0], labels=[["soup"], None])
        >>> X.rows_frame(0)
          mode_0  entries  mean
        0   soup        2   3.5
        """
        coords, values, shape, named, weights = self._entries()
        number = named.number(mode)
        rows = coords[:, number]
        often = sum_per_row(rows, None, shape[number])
        total = often if weights is None else sum_per_row(rows, weights, shape[number])
        sums = sum_per_row(rows, values if weights is None else values * weights, shape[number])
        means = sums / np.where(total > 0.0, total, np.nan)
        name = named.names[number]
        columns: dict[str, Any] = {
            f"{name}_" if name in (ENTRIES, MEAN, WEIGHT) else name: named.decode(
                number, np.arange(shape[number])
            ),
            ENTRIES: often.astype(np.int64),
            MEAN: means,
        }
        if weights is not None:
            columns[WEIGHT] = total
        return make_frame(columns, backend, named.library)

    def plot(
        self,
        mode: str | int | None = None,
        *,
        n: int | None = None,
        ordered: bool | None = None,
        figure: Any = None,
        ax: Any = None,
    ) -> Any:
        """Draw what was observed: the entries per row of each mode, and the values.

        Modes with an order, as hours and dates, are drawn over it; of others the rows with most
        entries. The frame behind it is `rows_frame`.

        Parameters
        ----------
        mode : str or int, optional
            A single mode to draw, on a single axes.
        n : int, optional
            How many rows to draw, at most; by default 12, or 40 of a single mode.
        ordered : bool, optional
            Whether the rows of this single mode have an order; by default numbers and dates do, if
            there are not too many numbers.
        figure : matplotlib Figure or SubFigure, optional
            Where to put the axes; by default a new figure.
        ax : matplotlib.axes.Axes, or an array of them, optional
            The axes to draw on: one for a single mode, otherwise one per mode and one more.

        Returns
        -------
        Axes for a single mode, otherwise ndarray of Axes
        """
        whole = cast("SparseTensor", self)
        return tensor.draw(whole, mode, n=n, ordered=ordered, figure=figure, ax=ax)
