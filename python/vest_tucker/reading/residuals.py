"""Where a model is wrong: its residuals by label, by value, and the worst cells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.options import check_choice, check_whole
from vest_tucker.base.public import public
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import Flags, Floats
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.per_row import sum_per_row
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.model.frames import free_name, free_names
from vest_tucker.model.prediction import HowUnseen
from vest_tucker.reading.captions import amount, percent
from vest_tucker.reading.ordinals import label_text

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

Of: TypeAlias = Literal["predicted", "observed"]
BY_LABEL = ("entries", "mean_error", "rmse", "share")
WORST = ("value", "predicted", "error")
EQUAL = 6  # digits, relative to the largest, in which equal values agree
SHOWN = 3  # labels of a mode and cells that print shows


@public
@dataclass(frozen=True, eq=False, repr=False)
class Residuals:
    """Where a model is wrong; `TuckerModel.residuals` makes it, printing it tells it.

    An error is the value minus the prediction: positive where the model predicts too little.
    Entries with weights count as these say. Those whose prediction is NaN, as ``unseen="nan"`` asks
    for, count nowhere; `n_unknown` says how many they are.

    Attributes
    ----------
    X : SparseTensor
        The entries.
    predicted : ndarray, shape (nnz,)
    errors : ndarray, shape (nnz,)
    """

    X: SparseTensor
    predicted: Floats
    errors: Floats

    @cached_property
    def _known(self) -> Flags:
        known: Flags = np.isfinite(self.errors)
        return known

    @cached_property
    def _weights(self) -> Floats:
        """The weights of the entries that have a prediction."""
        weights = self.X.weights
        return np.ones(self.n_known) if weights is None else weights[self._known]

    @property
    def n_known(self) -> int:
        """How many entries have a prediction."""
        return int(np.count_nonzero(self._known))

    @property
    def n_unknown(self) -> int:
        """How many entries are left out, because their prediction is NaN."""
        return self.X.nnz - self.n_known

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return math.sqrt(self._average(self.errors**2))

    @property
    def mean_error(self) -> float:
        """The mean error: above 0 if predictions are too low on the whole."""
        return self._average(self.errors)

    def _average(self, numbers: Floats) -> float:
        known = self._known
        return float(np.average(numbers[known], weights=self._weights)) if known.any() else math.nan

    def _label_columns(self, mode: int) -> dict[str, Any]:
        """Return the errors of each label that has some, the largest sums of squares first."""
        X, dim = self.X, self.X.shape[mode]
        column, errors, weights = (
            X.coords[self._known, mode],
            self.errors[self._known],
            self._weights,
        )
        counts = sum_per_row(column, None, dim).astype(np.int64)
        sums = [
            sum_per_row(column, each, dim)
            for each in (weights, weights * errors, weights * errors**2)
        ]
        rows = np.flatnonzero(counts)
        rows = rows[np.argsort(-sums[2][rows], kind="stable")]
        total, signed, squares = (each[rows] for each in sums)
        numbers = (counts[rows], signed / total, np.sqrt(squares / total))
        share = squares / max(float(squares.sum()), np.finfo(float).tiny)
        labels = {free_name(X.modes[mode], BY_LABEL): X.mode_labels.decode(mode, rows)}
        return {**labels, **dict(zip(BY_LABEL, (*numbers, share), strict=True))}

    def by_label(self, mode: str | int, *, backend: Backend | None = None) -> Any:
        """Return a frame with a row per label of a mode, those with most of the error first.

        Its columns are the label, called like the mode, *entries*, *mean_error*, *rmse* and *share*
        (of the squared error of all entries).

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        number = self.X.mode_labels.number(mode)
        return make_frame(self._label_columns(number), backend, self.X.mode_labels.library)

    def by_value(
        self, bins: int = 10, *, of: Of = "predicted", backend: Backend | None = None
    ) -> Any:
        """Return a frame with a row per range of values, with about as many entries each.

        Where *mean_error* is not near 0 in a range of predictions, these are off on the whole. In
        ranges of observed values it always rises: high values are high by chance, too.
        The columns are *low*, *high*, *entries*, *mean_value*, *mean_predicted*, *mean_error* and
        *rmse*.

        Parameters
        ----------
        bins : int
            How many ranges, at most.
        of : {"predicted", "observed"}
            Which values the ranges are of.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        check_choice("of", of, get_args(Of))
        bins = check_whole("bins", bins, at_least=1)
        X, known, weights = self.X, self._known, self._weights
        values = (self.predicted if of == "predicted" else X.values)[known]
        at, n = _ranges(values, bins)
        total = np.bincount(at, weights, minlength=n)
        low, high = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(low, at, values)
        np.maximum.at(high, at, values)

        def mean(numbers: Floats) -> Floats:
            return np.asarray(np.bincount(at, weights * numbers[known], minlength=n) / total)

        columns = {
            "low": low, "high": high, "entries": np.bincount(at, minlength=n),
            "mean_value": mean(X.values), "mean_predicted": mean(self.predicted),
            "mean_error": mean(self.errors), "rmse": np.sqrt(mean(self.errors**2)),
        }  # fmt: skip
        return make_frame(columns, backend, self.X.mode_labels.library)

    def _worst_columns(self, n: int) -> dict[str, Any]:
        X = self.X
        sizes = np.abs(self.errors) * (1.0 if X.weights is None else np.sqrt(X.weights))
        sizes = np.where(self._known, sizes, -1.0)
        n = min(n, self.n_known)
        first = np.argpartition(-sizes, n - 1)[:n] if n else np.zeros(0, dtype=np.intp)
        first = first[np.lexsort((first, -sizes[first]))]
        labels = {
            name: X.mode_labels.decode(mode, X.coords[first, mode])
            for mode, name in enumerate(free_names(X.modes, WORST))
        }
        numbers = (X.values[first], self.predicted[first], self.errors[first])
        return {**labels, **dict(zip(WORST, numbers, strict=True))}

    def worst(self, n: int = 20, *, backend: Backend | None = None) -> Any:
        """Return a frame of the cells with the largest errors, times the root of their weights.

        Its columns are the label of each mode, *value*, *predicted* and *error*.
        """
        columns = self._worst_columns(check_whole("n", n, at_least=0))
        return make_frame(columns, backend, self.X.mode_labels.library)

    def __repr__(self) -> str:
        return f"Residuals(entries={self.n_known}, rmse={self.rmse:.4g})"

    def __str__(self) -> str:
        return shown_lines(_lines(self))


def _ranges(values: Floats, most: int) -> tuple[NDArray[np.intp], int]:
    """Return the range that each value falls into, and how many there are.

    Ranges have about as many values each; equal values, up to rounding, fall into the same one,
    however many they are.

    Examples
    --------
    >>> _ranges(np.array([0.0, 0.0, 0.0, 7.0, 8.0, 0.0]), 3)
    (array([0, 0, 0, 1, 1, 0]), 2)
    """
    scale = float(np.abs(values).max(initial=0.0)) or 1.0
    steps = (values / scale).round(EQUAL)
    _, at, counts = np.unique(steps, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - counts / 2.0
    wide = np.minimum((most * middles / max(len(values), 1)).astype(np.intp), most - 1)
    used, numbers = np.unique(wide, return_inverse=True)
    return numbers[at].astype(np.intp), len(used)


def _lines(found: Residuals) -> Iterator[str]:
    if not found.n_known:
        yield f"no entry of {found.X.nnz:,} has a prediction"
        return
    mean = amount(found.mean_error)
    entries = "1 entry" if found.n_known == 1 else f"{found.n_known:,} entries"
    left_out = f"; {found.n_unknown:,} without a prediction left out" if found.n_unknown else ""
    yield f"{entries}, root mean squared error {found.rmse:.4g}, mean error {mean}{left_out}"
    for mode, name in enumerate(found.X.modes):
        columns = list(found._label_columns(mode).values())
        told = [
            f"{label_text(label)} {rmse:.3g} ({percent(share)} of it)"
            for label, _, _, rmse, share in zip(
                *(listed(each[:SHOWN]) for each in columns), strict=True
            )
        ]
        yield f"  most of it, by {name}: {', '.join(told)}"
    for *labels, value, predicted, error in zip(
        *(listed(each) for each in found._worst_columns(SHOWN).values()), strict=True
    ):
        cell = ", ".join(map(label_text, labels))
        yield f"  {cell}: {value:.4g}, predicted {predicted:.4g}, error {amount(error)}"


def residuals(model: TuckerModel, X: SparseTensor, *, unseen: HowUnseen) -> Residuals:
    """Compare predictions with entries; see `TuckerModel.residuals`."""
    require_tensor(X, "residuals")
    predicted = model.predict(X, unseen=unseen)
    return Residuals(X, predicted, X.values - predicted)
