"""From X, y and sample weights of scikit-learn to a tensor, or to the cells that a model predicts.

Columns of a frame keep their types, because an array of all of them would turn dates and numbers
into objects. Arrays are checked as scikit-learn checks them, and each column is a kind of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vest_tucker.base.errors import LabelError, ShapeError, WeightError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.types import Floats, Indices, Labels
from vest_tucker.data.duplicates import AVERAGES, Duplicates
from vest_tucker.data.frames import Column, column_of, encoded, null_message
from vest_tucker.data.label_arrays import Lookup, in_order, label_array, nulls
from vest_tucker.data.labels import ModeLabels, default_names
from vest_tucker.data.numbering import cell_numbers, numbered
from vest_tucker.data.tensor import SparseTensor

with needed_for("vest_tucker.sklearn", "sklearn"):
    import narwhals as nw
    from sklearn.utils import check_consistent_length, column_or_1d
    from sklearn.utils.validation import _get_feature_names, assert_all_finite, validate_data


def tensor_of(
    estimator: Any, X: Any, y: Any, sample_weight: Any, duplicates: Duplicates
) -> SparseTensor:
    """Check what `fit` of an estimator was given, and return it as a tensor.

    The entries are sorted, so that the order of the rows does not matter. A row counts once, or as
    often as its weight says, whether its cell repeats or not.
    """
    columns = checked_columns(estimator, X, y=y, reset=True)
    length = len(columns[0])
    values = _numbers(y, "y", length)
    weights = None if sample_weight is None else _weights(sample_weight, length)
    names = names_of(estimator)
    if weights is not None and not weights.all():  # a row of weight 0 was never there
        kept = np.flatnonzero(weights)
        columns = [each[kept] for each in columns]
        values, weights = values[kept], weights[kept]
    coded = [_coded(each, name) for each, name in zip(columns, names, strict=True)]
    labels = [own for own, _ in coded]
    coords = np.stack([rows for _, rows in coded], axis=1)
    numbers = cell_numbers(coords, [*map(len, labels)], range(len(names)))
    by_cell = np.argsort(numbers, kind="stable")
    tensor = SparseTensor(
        coords[by_cell],
        values[by_cell],
        modes=names,
        labels=labels,
        duplicates=duplicates,
        weights=None if weights is None else weights[by_cell],
        count_as_weight=duplicates in AVERAGES,
    )
    all_once = tensor.weights is not None and bool((tensor.weights == 1.0).all())
    return tensor.with_weights(None) if all_once else tensor


def cells_of(estimator: Any, X: Any, modes: Sequence[str]) -> Any:
    """Check what `predict` of an estimator was given, and return cells for a model to predict."""
    columns = checked_columns(estimator, X, reset=False)
    if is_named_frame(X) and hasattr(estimator, "feature_names_in_"):
        return X
    labels = map(coded_labels, columns)
    return {name: own.rows(own.labels) for name, own in zip(modes, labels, strict=True)}


def checked_columns(estimator: Any, X: Any, *, reset: bool, least: int = 2, **y: Any) -> list[Any]:
    """Return the columns of X: series of a frame whose columns have names, or else label arrays.

    ``reset`` says that X is what the estimator is fitted to, ``least`` how many rows and columns it
    then needs; otherwise it must have as many features, with the same names.
    """
    if is_named_frame(X):
        table = nw.from_native(X, eager_only=True)
        known = _get_feature_names(X) is not None
        validate_data(
            estimator, X if known else Names(table), reset=reset, skip_check_array=True, **y
        )
        if reset and min(table.shape) < least:
            raise ShapeError(
                f"X has {len(table)} sample(s) and {len(table.columns)} feature(s); give a row per "
                f"observed cell and a column per mode, at least {least} of each"
            )
        return [table[name] for name in table.columns]
    if isinstance(X, range):  # which would be written out, and has one dimension only
        raise ShapeError(f"X is {X!r}; give a row per observed cell and a column per mode")
    limits = {"ensure_min_features": least, "ensure_min_samples": least} if reset else {}
    checked = validate_data(
        estimator, X, reset=reset, dtype=object if isinstance(X, list | tuple) else None,
        **limits, **({**y, "y_numeric": True} if y else {}),
    )  # fmt: skip
    array = checked[0] if y else checked
    return [label_array(column) for column in array.T]


class Names:
    """Shape and names of a frame that scikit-learn does not take for one: polars 2 for its 1.7."""

    def __init__(self, table: nw.DataFrame[Any]) -> None:
        self.shape, self._names = table.shape, table.columns

    def __len__(self) -> int:
        return self.shape[0]

    def __dataframe__(self) -> Names:
        return self

    def column_names(self) -> list[str]:
        """Return the names of the columns."""
        return self._names


def is_named_frame(X: Any) -> bool:
    """Tell whether X is a frame of some library, with texts for the names of its columns."""
    if not nw.dependencies.is_into_dataframe(X):
        return False
    return all(isinstance(name, str) for name in column_names(X))


def column_names(X: Any) -> list[str]:
    """Return the names of the columns of a frame of some library."""
    names: list[str] = nw.from_native(X, eager_only=True).columns
    return names


def names_of(estimator: Any) -> tuple[str, ...]:
    """Return the names of the modes: those of the features, or else those of nameless modes."""
    names = getattr(estimator, "feature_names_in_", None)
    return default_names(estimator.n_features_in_) if names is None else tuple(names)


def coded_labels(column: Any) -> Column:
    """Return a column as labels, perhaps as distinct ones and each row's number among them."""
    return Column(column) if isinstance(column, np.ndarray) else column_of(column)


def _coded(column: Any, name: str) -> tuple[Labels, Indices]:
    """Return the labels of a mode, in order, and the index of each row among them."""
    if not isinstance(column, np.ndarray):
        labels, rows = encoded(column, ModeLabels(1, [name]), 0, fixed=False, can_drop=False)
        assert labels is not None  # of a mode that is not fixed
        return labels, rows
    missing = nulls(column)
    if missing.any():
        raise LabelError(null_message(name, int(missing.argmax()), option=False))
    if column.dtype == np.int64:
        return numbered(column)
    own = in_order(column)
    return own, Lookup(own).find(column)


def _weights(given: Any, length: int) -> Floats:
    weights = _numbers(given, "sample_weight", length)
    if not weights.any():
        raise WeightError("all sample weights are zero; give at least one row a positive weight")
    return weights


def _numbers(given: Any, name: str, length: int) -> Floats:
    numbers: Floats = np.asarray(column_or_1d(given, warn=True), dtype=np.float64)
    assert_all_finite(numbers, input_name=name)
    check_consistent_length(numbers, range(length))
    return numbers
