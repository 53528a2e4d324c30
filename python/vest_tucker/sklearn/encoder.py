"""`VestEncoder`: labels become the rows of factors, numbers that another model can work with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import DtypeError, ModeError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.options import check_choice
from vest_tucker.base.types import Floats
from vest_tucker.data.labels import ModeLabels, listed, perhaps
from vest_tucker.model.cells import is_many, known_rows
from vest_tucker.model.meaning.meant import OPTION, StrangeLabels
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import average_row, without_entries
from vest_tucker.sklearn.cells import (
    checked_columns,
    coded_labels,
    column_names,
    is_named_frame,
    names_of,
)
from vest_tucker.sklearn.regressor import VestRegressor

with needed_for("vest_tucker.sklearn", "sklearn"):
    from sklearn.base import BaseEstimator, TransformerMixin, clone
    from sklearn.utils.validation import check_is_fitted, validate_data

UNSEEN = ("mean", "zero", "nan", "error")


class VestEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns the labels of modes into their rows of the factors, for a model that comes after it.

    Every label becomes a few numbers, most of them zero: how much it takes part in each component.
    They come from a model of the cells and values given to `fit`, or from a model that was fitted
    before, to other and perhaps far more entries.

    Parameters
    ----------
    mode : str, int, sequence of these or None
        The modes whose labels are encoded, by name or number; None for all.
    regressor : VestRegressor, optional
        How to fit the model; by default ``VestRegressor()``.
    model : TuckerModel, optional
        A model to take the factors from. Nothing is fitted then, and X has a column for each mode
        that is encoded: those called like the modes, or all in their order if X has no names.
    unseen : {"mean", "zero", "nan", "error"}
        What labels become that the model has no entries of: the average row, zeros, NaN, or an
        error.

    Attributes
    ----------
    model_ : TuckerModel
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The names of the columns, if X had names.

    Notes
    -----
    A constant column of the factors is left out. If the model has biases, the bias of each label
    comes first, as "user_bias"; components keep their numbers, as "user_0".

    As with every encoder that has seen the target, what comes after it should be judged on other
    cells than those that it was fitted to: keep both in one pipeline, and split outside of it.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> from vest_tucker.sklearn import VestEncoder
    >>> X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=1500, noise=0.1, seed=0)
    >>> encoder = VestEncoder("mode_0", model=vt.fit(X, seed=0)).set_output(transform="pandas")
    >>> encoder.fit_transform(X.to_frame()[["mode_0"]]).columns.tolist()
    ['mode_0_0', 'mode_0_1']
    """

    def __init__(
        self,
        mode: str | int | Sequence[str | int] | None = None,
        *,
        regressor: VestRegressor | None = None,
        model: TuckerModel | None = None,
        unseen: str = "mean",
    ) -> None:
        self.mode = mode
        self.regressor = regressor
        self.model = model
        self.unseen = unseen

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> VestEncoder:
        """Fit a model to cells and their values, or check that the given one has such modes.

        Parameters
        ----------
        X : array_like or frame, shape (n, N)
            One row per observed cell, one column of labels per mode.
        y : array_like, shape (n,), optional
            The values; not needed if ``model`` is given.
        sample_weight : array_like, shape (n,), optional
            As for `VestRegressor.fit`.
        """
        check_choice("unseen", self.unseen, UNSEEN)
        if self.model is None:
            if self.mode is not None and is_named_frame(X):  # a fit may take long
                columns = column_names(X)
                self._numbers(ModeLabels(len(columns), columns))
            fitted = clone(VestRegressor() if self.regressor is None else self.regressor)
            self.model_ = fitted.fit(X, y, sample_weight=sample_weight).model_
            validate_data(self, X, skip_check_array=True)  # sets number and names of the features
        else:
            if not isinstance(self.model, TuckerModel):
                raise DtypeError(f"model must be a TuckerModel, not {type(self.model).__name__}")
            self.model_ = self.model
            checked_columns(self, X, reset=True, least=1)
        self._features()  # raises if a mode is not among the columns
        return self

    def transform(self, X: Any) -> Floats:
        """Return the numbers of each row's labels, one column per component.

        Parameters
        ----------
        X : array_like or frame, shape (n, N)
            Labels, in the columns of the fit.
        """
        check_is_fitted(self)
        columns = checked_columns(self, X, reset=False)
        encoded = [self._encoded(mode, columns[at]) for mode, at in self._features().items()]
        return np.hstack(encoded)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns that `transform` returns, as "user_0".

        Parameters
        ----------
        input_features : array_like of str, optional
            The names of the columns of the fit, and no others.
        """
        check_is_fitted(self)
        if input_features is not None:
            own = [*names_of(self)]
            if not is_many(input_features):
                raise ValueError(f"input_features is {input_features!r}; give a list of {own}")
            given = [*islice(input_features, len(own) + 1)]
            if len(given) != len(own):
                raise ValueError(
                    f"input_features should have length equal to {len(own)}, but has another one"
                )
            if hasattr(self, "feature_names_in_") and given != own:
                raise ValueError(f"input_features is not equal to feature_names_in_, {own}")
        names = [name for mode in self._features() for name in self._names(mode)]
        return np.array(names, dtype=object)

    # --- One mode ---------------------------------------------------------------------------------

    def _features(self) -> dict[int, int]:
        """Return the number of the column of each mode that is encoded."""
        modes = self.model_.mode_labels
        numbers = self._numbers(modes)
        if self.model is None:
            return {number: number for number in numbers}
        if hasattr(self, "feature_names_in_"):
            there = self.feature_names_in_.tolist()
            missing = [modes.names[each] for each in numbers if modes.names[each] not in there]
            if missing:
                s = "" if len(missing) == 1 else "s"
                meant = perhaps(missing[0], self.feature_names_in_.astype(object))
                raise ModeError(
                    f"X has no column{s} {listed(missing)}{meant}; there are {listed(there)}"
                )
            return {number: there.index(modes.names[number]) for number in numbers}
        if self.n_features_in_ != len(numbers):
            names = listed(modes.names[number] for number in numbers)
            raise ModeError(
                f"X has {self.n_features_in_} columns without names, but {len(numbers)} modes are "
                f"encoded; give a column for each of {names}"
            )
        return {number: at for at, number in enumerate(numbers)}

    def _numbers(self, modes: ModeLabels) -> list[int]:
        """Return the numbers of the modes that are encoded."""
        if self.mode is None:
            return list(range(modes.order))
        wanted = [self.mode] if isinstance(self.mode, str | int) else self.mode
        return [modes.number(each) for each in wanted]

    def _names(self, mode: int) -> list[str]:
        model, name = self.model_, self.model_.modes[mode]
        has_biases = model.offset is not None and model.offset.biases
        components = range(int(model.constant), model.ranks[mode])
        return [*([f"{name}_bias"] if has_biases else []), *(f"{name}_{j}" for j in components)]

    def _encoded(self, mode: int, column: Any) -> Floats:
        """Return the rows of a factor, and before them the biases if there are any."""
        model = self.model_
        factor, strict = model.factors[mode], self.unseen == "error"
        amounts = None if model.row_amounts is None else model.row_amounts[mode]
        strange, own = StrangeLabels(model.mode_labels), coded_labels(column)
        rows = known_rows(own, model.mode_labels, mode, len(factor), strict, strange, OPTION)
        strange.warn(mistakes_only=True, advice="unseen= says how these are encoded")
        unknown = rows < 0
        if amounts is not None:
            unknown |= amounts[rows] == 0
        if strict and unknown.any():
            row = int(np.argmax(unknown))
            raise without_entries(row, int(rows[row]), mode, model.mode_labels)
        gap = np.nan if self.unseen == "nan" else 0.0
        found: Floats = factor[rows]
        found[unknown] = gap
        if self.unseen == "mean" and not model.constant:
            found[unknown] = average_row(factor, amounts)
        found = found[:, int(model.constant) :]
        if model.offset is None or not model.offset.biases:
            return found
        return np.column_stack([np.where(unknown, gap, model.offset.biases[mode][rows]), found])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.target_tags.required = self.model is None
        how = VestRegressor() if self.regressor is None else self.regressor
        tags.non_deterministic = self.model is None and how.__sklearn_tags__().non_deterministic
        return tags
