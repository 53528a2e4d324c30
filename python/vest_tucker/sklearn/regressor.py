"""`VestRegressor`: `vest_tucker.fit` and `predict` as scikit-learn calls them."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from textwrap import indent
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.docstrings import documented
from vest_tucker.base.errors import UnseenLabelsWarning
from vest_tucker.base.extras import needed_for
from vest_tucker.base.options import Allocation, LamRows, OffsetKind, OnInterrupt, ProgressOption
from vest_tucker.base.types import AnyPath, Floats
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting import fit as fitting
from vest_tucker.fitting.constraints import Where
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import HowUnseen
from vest_tucker.model.uncertainty import Clip
from vest_tucker.sklearn.cells import cells_of, tensor_of

with needed_for("vest_tucker.sklearn", "sklearn"):
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils.validation import check_is_fitted

# The options of `fit`: all of its arguments but the tensor.
OPTIONS = tuple(inspect.signature(fitting.fit).parameters)[1:]


class VestRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts the value of a cell from its labels, by a sparse Tucker model.

    One row of ``X`` is one observed cell: a label for each mode, of any type, and ``y`` has the
    values. So folds, searches and pipelines of scikit-learn work on observed cells. Columns of a
    frame (pandas, polars, Arrow) keep their types, and their names become the names of the modes.

    The parameters up to ``loss`` are the options of `vest_tucker.fit`, with its defaults, but for
    ``progress``, which is off: a search makes hundreds of fits. ``seed`` is what scikit-learn calls
    ``random_state``, and takes a ``numpy.random.RandomState``, too.

    Parameters
    ----------
    OPTIONS
    duplicates : {"mean", "median", "sum", "count", "min", "max", "first", "last", "error"}
        What to do with cells that appear more than once. In means and medians a cell weighs as much
        as its rows do together.
    unseen : {"mean", "zero", "nan", "error"}
        What to predict for labels that were not in the fit, as for `TuckerModel.predict`.
    clip : {"seen"} or (low, high), optional
        Cut predictions to the range of the values seen in the fit, or to the range given.

    Attributes
    ----------
    model_ : TuckerModel
        The model, with everything that can be asked of it: its ``modes`` are the features.
    n_iter_ : int
        How many iterations the fit took.
    n_features_in_ : int
        The number of modes.
    feature_names_in_ : ndarray of str
        The names of the columns, if X had names.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> from sklearn.model_selection import cross_val_score
    >>> from vest_tucker.sklearn import VestRegressor
    >>> X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=1500, noise=0.1, seed=0)
    >>> cells = X.to_frame()
    >>> values = cells.pop("value")
    >>> estimator = VestRegressor(seed=0).fit(cells, values)
    >>> estimator.model_.ranks, estimator.predict(cells[:2]).shape
    ((2, 2, 2), (2,))
    >>> bool(cross_val_score(estimator, cells, values, cv=3).min() > 0.9)  # R²
    True
    """

    def __init__(
        self,
        ranks: int | Iterable[int] | Mapping[str | int, int] | Literal["auto"] = "auto",
        *,
        preset: Literal["best", "paper"] = "best",
        penalty: Literal["bayes", "l1", "lf"] | None = None,
        sparsity: float | Literal["auto"] = "auto",
        allocation: Allocation | None = None,
        offset: OffsetKind | Literal["auto"] | None = "auto",
        holdout: float = 0.1,
        lam: float | Literal["auto"] | None = None,
        lam_core: float | None = None,
        lam_rows: LamRows | None = None,
        scale_lam: bool = True,
        max_iter: int = 100,
        tol: float | None = 1e-4,
        init_prune_rate: float = 0.01,
        max_prune_rate: float = 0.1,
        elbow: float = 0.05,
        revive: bool = True,
        validation: SparseTensor | None = None,
        patience: int = 5,
        init: str | tuple[ArrayLike, Iterable[ArrayLike]] | None = None,
        n_starts: int | None = None,
        warm_start: TuckerModel | None = None,
        nonnegative: bool | str | int | Iterable[str | int] = False,
        support: Mapping[str | int, Where] | None = None,
        keep: Mapping[str | int, Where] | None = None,
        fixed: Mapping[str | int, ArrayLike] | None = None,
        standardize: bool = True,
        seed: int | np.random.Generator | None = None,
        threads: int = 0,
        progress: ProgressOption = False,
        callback: Callable[..., object] | None = None,
        on_interrupt: OnInterrupt = "return",
        check_memory: bool = True,
        checkpoint: AnyPath | None = None,
        checkpoint_every: float = 60.0,
        checkpoint_errors: Literal["warn", "raise"] = "warn",
        loss: Literal["bayes", "l1", "lf"] | None = None,
        duplicates: Duplicates = "mean",
        unseen: HowUnseen = "mean",
        clip: Clip = None,
    ) -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VestRegressor:
        """Fit a model to observed cells.

        Parameters
        ----------
        X : array_like or frame, shape (n, N)
            One row per observed cell, one column of labels per mode.
        y : array_like, shape (n,)
            The values.
        sample_weight : array_like, shape (n,), optional
            How many rows each row counts as; one of weight 0 is left out.
        """
        tensor = tensor_of(self, X, y, sample_weight, vars(self)["duplicates"])
        options = {name: getattr(self, name) for name in OPTIONS}
        if options["warm_start"] is False:  # as elsewhere in scikit-learn, where it is a flag
            options["warm_start"] = None
        if isinstance(options["seed"], np.random.RandomState):  # as everywhere in scikit-learn
            options["seed"] = int(options["seed"].randint(np.iinfo(np.int32).max))
        self.model_ = fitting.fit(tensor, **options)
        self.n_iter_ = self.model_.n_iter
        return self

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Predict the values of cells.

        Parameters
        ----------
        X : array_like or frame, shape (n, N)
            One row per cell, with the columns of the fit.
        return_std : bool
            Return standard deviations too, as (values, std). Models of ``penalty="bayes"``, the
            default, have them.
        """
        check_is_fitted(self)
        options = {name: getattr(self, name) for name in ("unseen", "clip", "threads")}
        cells = cells_of(self, X, self.model_.modes)
        predict: Any = self.model_.predict  # of many overloads
        with warnings.catch_warnings():
            # Folds have labels that others have not: `unseen` of the estimator says what is meant.
            warnings.simplefilter("ignore", UnseenLabelsWarning)
            found: Floats | tuple[Floats, Floats] = predict(cells, return_std=return_std, **options)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.regressor_tags.poor_score = True  # continuous features are labels never seen again
        tags.non_deterministic = getattr(self, "seed", None) is None
        return tags


def _described(place: re.Match[str]) -> str:
    entries = [each for each in documented(fitting.fit) if set(each.names) <= set(OPTIONS)]
    return indent("\n".join(map(str, entries)), place[1])


# From 3.13 on, Python has taken the indentation off already.
VestRegressor.__doc__ = re.sub(
    r"^( *)OPTIONS$", _described, VestRegressor.__doc__ or "", count=1, flags=re.MULTILINE
)
