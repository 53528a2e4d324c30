"""The model that a fit returns: a sparse core, sparse factors and the history of the fit.

`sparsity`, `factor_frame`, `core_frame`, `bias_frame`, `to_tensorly`, `to_pyttb` and other methods
that show the model are in ``views.py``, in the base class `ModelViews`; those that ask what it
means, as `describe` and `explain`, are in ``meaning/questions.py``, in `ModelQuestions`.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError
from vest_tucker.base.extras import Later
from vest_tucker.base.options import (
    ProgressOption,
    check_choice,
    check_flag,
    check_progress,
    check_threads,
)
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import Counts, Floats, Labels
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.same import same_fields
from vest_tucker.data.sources.gaps import Missing
from vest_tucker.data.sources.labelled import data_array
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model import prediction, text, uncertainty
from vest_tucker.model.cells import Cells, CellsLike, are_many, averaged_modes, find_cells, told_of
from vest_tucker.model.compact import compact_parts
from vest_tucker.model.exports import dense_predictions
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.meaning.meant import OPTION
from vest_tucker.model.meaning.names import Names, checked_names
from vest_tucker.model.meaning.questions import ModelQuestions
from vest_tucker.model.offset import Offset
from vest_tucker.model.prediction import HowUnseen
from vest_tucker.model.uncertainty import Clip

if TYPE_CHECKING:
    from vest_tucker.fitting import fit
    from vest_tucker.fitting import options as fitting_options
    from vest_tucker.learning import fold_in, new_entries, update
else:  # these import the model
    fit = Later("vest_tucker.fitting.fit")
    fitting_options = Later("vest_tucker.fitting.options")
    fold_in = Later("vest_tucker.learning.fold_in")
    new_entries = Later("vest_tucker.learning.new_entries")
    update = Later("vest_tucker.learning.update")

# The fields that decide what a model predicts, how sure it is, what it is called and how it learns.
CONTENT = (
    "core", "factors", "modes", "labels", "offset", "constant", "core_variance", "factor_variances",
    "noise", "value_range", "entries", "row_totals", "component_names", "loss", "lam_used",
    "lam_rows",
)  # fmt: skip


@public
@dataclass(frozen=True, eq=False, repr=False)
class TuckerModel(ModelQuestions):
    """A core G and one factor A(n) per mode, which together predict any cell of a tensor.

    B(i_1, ..., i_N) is the sum over all j of G(j_1, ..., j_N) A(1)(i_1, j_1) ... A(N)(i_N, j_N),
    plus the offset if there is one.
    `fit` returns one; a model can also be made by hand from a core and factors.

    Attributes
    ----------
    core : ndarray, shape (J_1, ..., J_N)
    factors : list of ndarray, shape (I_n, J_n)
    modes : tuple of str
        Names of the modes; by default "mode_0", "mode_1", and so on.
    labels : tuple of (ndarray or None)
        What the rows of each factor stand for; None for a mode without labels.
    row_counts, entries : list of ndarray, shape (I_n,), or None
        How many entries it was fitted to in each row of each mode; None if unknown. The name in
        files and in the constructor is ``entries``.
    row_totals : list of ndarray, shape (I_n,), or None
        The summed weights of these entries; None if they had no weights.
    offset : Offset or None
        What was subtracted from the values before they were factored; each prediction adds it.
    error : float
        Relative error (RE) on the entries it was fitted to; NaN if unknown. After `fold_in` and
        `update` it is the error on the new entries.
    baseline_error : float
        RE of always predicting the mean of those entries, to compare ``error`` with.
    validation_error, validation_baseline : float
        RE of the model on the entries held back, and RE of the offset alone on them (of the mean,
        if there is no offset); NaN if no entries were held back.
    history : list of IterationRecord
    stopped : str
        Why the fit ended: "converged", "max_iter", "validation", "callback" or "interrupted";
        "path" for a model of a path, "baseline" for one of these; "folded in" or "updated" after
        these; "" for a model made by hand.
    loss : {"bayes", "l1", "lf", ""}
        The kind of penalty; `penalty` is the same under the name of the option.
    lam, lam_used : float
        The weight of the penalty as given, and after scaling.
    lam_rows : {"equal", "sqrt", "entries", ""}
        How the penalty of a row depends on its number of entries.
    chosen : str
        How ``lam`` and the start were chosen, if ``lam="auto"`` chose them.
    nnz : int
        How many entries it was fitted to.
    seconds : float
        How long the fit took.
    core_variance : ndarray, shape (J_1, ..., J_N), or None
        The variance of each element of the core; None if unknown.
    factor_variances : list of ndarray, shape (I_n, J_n), or None
        The variance of each element of the factors; None if unknown. Of models with variances,
        `fold_in` and `update` give them to what they learn.
    noise : float
        The variance of the noise of single values, those of weight 1; NaN if unknown. A value of
        weight w is the mean of w such, with this variance over w.
    value_range : tuple of float, or None
        The least and the largest of the values it was fitted to; None if unknown.
    ranks_before : tuple of int, or None
        The ranks before `compact` dropped components; None if it never did.
    constant : bool
        Whether the first column of every factor is constant one. The first element of the core is
        then the mean, and elements at the first column in all modes but one or two are effects of
        one mode and interactions of two.
    shares : tuple of float
        If there is a constant column: the share of what is explained by effects of one mode, by
        pairs of modes, by triples, and so on.
    validation_mean : float
        RE of always predicting the mean on the entries held back.
    validation_entries : int
        How many entries that were.
    made : dict or None
        How the model was made: options, seed, versions, and a fingerprint of the entries.
    measured : Importance or None
        How much each component and core element carries on the entries it was fitted to; None if
        that was not measured. `measure_importance` measures it, `importance` shows it.
    component_names : tuple of dict
        For each mode, the names that `name` gave to components, by number.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0, 0.0]], [[[1.0], [3.0]], [[1.0, 0.5], [0.0, 1.0]]])
    >>> model
    TuckerModel(shape=(2, 2), ranks=(1, 2), sparsity=0.250, error=nan)
    >>> model.predict([[0, 0], [1, 0]]).tolist()
    [2.0, 6.0]
    """

    core: Floats
    factors: list[Floats]
    error: float = math.nan
    baseline_error: float = math.nan
    validation_error: float = math.nan
    validation_baseline: float = math.nan
    history: list[IterationRecord] = field(default_factory=list)
    stopped: str = ""
    loss: str = ""
    lam: float = math.nan
    lam_used: float = math.nan
    lam_rows: str = ""
    chosen: str = ""
    nnz: int = 0
    seconds: float = 0.0
    modes: tuple[str, ...] = ()
    labels: tuple[Labels | None, ...] = ()
    entries: list[Counts] | None = None
    offset: Offset | None = None
    row_totals: list[Floats] | None = None
    core_variance: Floats | None = None
    factor_variances: list[Floats] | None = None
    noise: float = math.nan
    value_range: tuple[float, float] | None = None
    ranks_before: tuple[int, ...] | None = None
    constant: bool = False
    shares: tuple[float, ...] = ()
    validation_mean: float = math.nan
    validation_entries: int = 0
    made: dict[str, Any] | None = None
    measured: Importance | None = None
    component_names: Names = ()
    _named: ModeLabels = field(init=False)

    def __post_init__(self) -> None:
        core, factors = checks.tucker_parts(self.core, self.factors, wide=self.constant)
        named = ModeLabels(core.ndim, self.modes or None, self.labels or None)
        shape = tuple(len(factor) for factor in factors)
        named.require_shape(shape)
        row_counts = prediction.checked_row_counts(self.entries, shape)
        if self.offset is not None:
            self.offset.require_shape(shape)
        object.__setattr__(self, "shares", tuple(self.shares))
        if self.ranks_before is not None:
            before = checks.tucker_ranks(self.ranks_before, (checks.INT32_MAX,) * core.ndim)
            object.__setattr__(self, "ranks_before", before)
        certainty = uncertainty.checked_fields(
            core, factors, self.core_variance, self.factor_variances, self.noise, self.value_range
        )
        checked = {"core": core, "factors": list(factors), "entries": row_counts, "_named": named}
        checked["row_totals"] = prediction.checked_row_totals(self.row_totals, row_counts)
        names: dict[str, Any] = {"modes": named.names, "labels": named.labels}
        names["component_names"] = checked_names(self.component_names, core.shape)
        if self.measured is not None and not self.measured.fits(core.shape):
            checked["measured"] = None  # it speaks of other components
        for name, value in (checked | names | certainty).items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        """Whether the other answers every question alike: parts, labels, offset, variances.

        How the fit went (its history and errors, time, options) is not compared.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=1500, seed=0)
        >>> model = vt.fit(X, seed=1)
        >>> model == model.refit(X), model == truth
        (True, False)
        """
        return (
            same_fields(self, other, CONTENT) if isinstance(other, TuckerModel) else NotImplemented
        )

    def __hash__(self) -> int:  # of what stays when somebody writes into its arrays
        return hash((self.shape, self.ranks, self.modes))

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions I_1, ..., I_N of the tensors it predicts."""
        return tuple(len(factor) for factor in self.factors)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Dimensions J_1, ..., J_N of the core."""
        return self.core.shape

    @property
    def order(self) -> int:
        """Number of modes N."""
        return self.core.ndim

    @property
    def penalty(self) -> str:
        """The kind of penalty that was fitted with: "bayes", "l1" or "lf"; "" if unknown."""
        return self.loss

    @property
    def row_counts(self) -> list[Counts] | None:
        """How many entries each row of each mode had in the fit; None if unknown."""
        return self.entries

    @property
    def row_amounts(self) -> Sequence[Counts | Floats] | None:
        """How many entries those of each row count as: their summed weights, or their number."""
        return self.entries if self.row_totals is None else self.row_totals

    @property
    def mode_labels(self) -> ModeLabels:
        """Names and labels of the modes together."""
        return self._named

    @property
    def n_iter(self) -> int:
        """Number of complete iterations."""
        return len(self.history)

    @property
    def is_zero(self) -> bool:
        """Whether a part is all zero, so that the model predicts 0, or its offset, everywhere."""
        return not all(part.any() for part in (self.core, *self.factors))

    @property
    def offset_is_exact(self) -> bool:
        """Whether there is an offset that leaves nothing to factor."""
        return self.offset is not None and self.offset.is_exact

    @overload
    def predict(
        self, cells: CellsLike, *, unseen: HowUnseen = "mean", return_std: Literal[False] = False,
        interval: None = None, clip: Clip = None, average: Sequence[str] = (), threads: int = 0,
        progress: ProgressOption = "auto",
    ) -> Floats: ...  # fmt: skip
    @overload
    def predict(
        self, cells: CellsLike, *, unseen: HowUnseen = "mean", return_std: Literal[True],
        interval: None = None, clip: Clip = None, average: Sequence[str] = (), threads: int = 0,
        progress: ProgressOption = "auto",
    ) -> tuple[Floats, Floats]: ...  # fmt: skip
    @overload
    def predict(
        self, cells: CellsLike, *, unseen: HowUnseen = "mean", return_std: Literal[False] = False,
        interval: float, clip: Clip = None, average: Sequence[str] = (), threads: int = 0,
        progress: ProgressOption = "auto",
    ) -> tuple[Floats, Floats, Floats]: ...  # fmt: skip
    @overload
    def predict(
        self, cells: CellsLike, *, unseen: HowUnseen = "mean", return_std: Literal[True],
        interval: float, clip: Clip = None, average: Sequence[str] = (), threads: int = 0,
        progress: ProgressOption = "auto",
    ) -> tuple[Floats, Floats, Floats, Floats]: ...  # fmt: skip
    def predict(
        self,
        cells: CellsLike,
        *,
        unseen: HowUnseen = "mean",
        return_std: bool = False,
        interval: float | None = None,
        clip: Clip = None,
        average: Sequence[str] = (),
        threads: int = 0,
        progress: ProgressOption = "auto",
    ) -> Floats | tuple[Floats, ...]:
        """Predict the values of any cells, observed or not, and how far off they may be.

        Parameters
        ----------
        cells : array_like, frame, dict or SparseTensor
            *Whole numbers* of shape (n, N) are coordinates, inside the model's shape; if all labels
            are whole numbers too, coordinates must be an array, because a list may mean either. A
            *frame* of any library has labels in the columns called like the modes; one that is
            missing is an error, unless ``average`` names it. A *dict* has the labels of each mode,
            many or a single one for all cells; a mode that it leaves out is averaged over. *Rows of
            anything else*, as [("ann", "soup")], hold labels in the order of the modes. The cells
            of a *SparseTensor* are found by its labels. In a mode without labels the indices are
            the labels.
        unseen : {"mean", "zero", "nan", "error"}
            What to predict for labels that the model does not have, and for rows that had no entry
            in the fit. "mean" is the average of the predictions for the other rows, each weighted
            by its number of entries in the fit (or their summed weights); if the model has biases,
            it is the offset without the bias of the unseen row. "zero" is the offset alone, or 0
            without one. "nan" is NaN, and "error" raises. A row that had entries but was pruned
            empty is not unseen: it adds 0 to the Tucker sum. With "mean" one `UnseenLabelsWarning`
            says how many cells and labels of each mode are concerned, and which known labels may
            have been meant; with "zero" and "nan" only if some look like mistakes.
        return_std : bool
            Return standard deviations, too: how far a new value in the cell will typically lie from
            the prediction. Their square is the variance of the noise, plus the variance of each
            element times the square of the prediction's slope in it (to first order, elements
            independent). An unseen row is uncertain by as much as the rows differ that were seen.
            The noise is that of a value of weight 1; for cells given as a tensor with weights, that
            of values with these weights.
            The model needs ``noise`` and ``core_variance`` or ``factor_variances``; of these two, a
            part without variances counts as exact.
        interval : float, optional
            Return the bounds between which this share of new values will lie, as 0.9 for nine in
            ten, if they are Gaussian around the prediction with those standard deviations.
        clip : {"seen"} or (low, high), optional
            Cut predictions and bounds to the range of the values seen in the fit, or to the range
            given; standard deviations stay. By default nothing is cut.
        average : sequence of str
            Modes to average over, for which a frame or a dict then needs no labels, as ["hour"].
            As by `recommend`, the average row, weighted by entries, stands for all of them; of a
            model with a constant column, the constant.
        threads : int
            How many threads to use; 0 means all.
        progress : bool or "auto"
            Whether to show how many cells are done, if there are more than a million, as for `fit`.

        Returns
        -------
        values : ndarray, shape (n,)
            Alone if nothing else is asked for; otherwise the first of a tuple.
        std : ndarray, shape (n,)
            If ``return_std``.
        lower, upper : ndarray, shape (n,)
            If ``interval``; with ``return_std`` the result is (values, std, lower, upper).

        Raises
        ------
        VarianceError
            The model does not have the variances that ``return_std`` and ``interval`` need.

        Examples
        --------
        >>> import dataclasses
        >>> import vest_tucker as vt
        >>> labels = {"person": ["ann", "bob"], "dish": ["soup", "rice"]}
        >>> model = vt.TuckerModel(
        ...     [[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("person", "dish"), labels=labels
        ... )
        >>> model.predict([("bob", "rice"), ("ann", "soup")]).tolist()
        [3.0, 2.0]
        >>> model.predict({"dish": ["soup", "rice"]}).tolist()  # of an average person
        [4.0, 2.0]
        >>> model.predict({"person": "bob", "dish": ["soup", "rice", "tea"]}, unseen="nan")
        array([ 6.,  3., nan])

        With the variance of the core's element known, and that of the noise:

        >>> sure = dataclasses.replace(model, core_variance=[[0.01]], noise=0.16)
        >>> values, std = sure.predict([("bob", "soup"), ("ann", "rice")], return_std=True)
        >>> values.tolist(), std.round(3).tolist()
        ([6.0, 1.0], [0.5, 0.403])
        >>> values, low, high = sure.predict([("bob", "soup")], interval=0.9, clip=(0, 6.5))
        >>> low.round(2).tolist(), high.tolist()
        ([5.18], [6.5])
        """
        check_choice("unseen", unseen, get_args(HowUnseen))
        threads = check_threads(threads)
        width = None if interval is None else uncertainty.half_width(interval)
        bounds = uncertainty.range_to_keep(clip, self.value_range)
        shown = check_progress(progress)
        check_flag("return_std", return_std)
        with watched(shown, "predict") if are_many(cells) else nullcontext():
            found = find_cells(
                cells, self._named, self.shape, strict=unseen == "error", told=told_of(unseen),
                advice=OPTION, average=averaged_modes(average, self._named),
            )  # fmt: skip
            weights = cells.weights if isinstance(cells, SparseTensor) else None
            return self._predicted(found, weights, unseen, return_std, width, bounds, threads)

    def _predicted(
        self,
        found: Cells,
        weights: Floats | None,
        unseen: HowUnseen,
        return_std: bool,
        width: float | None,
        bounds: tuple[float, float] | None,
        threads: int,
    ) -> Floats | tuple[Floats, ...]:
        """Return what `predict` does, its options checked; limits are ``width`` deviations wide."""
        # Users may have replaced the fields, so they are checked. Arrays of a fit are not copied.
        core, factors = checks.matching_parts(self.core, self.factors, wide=self.constant)
        if not return_std and width is None:
            variances = None
        else:
            variances = uncertainty.known_variances(
                core, factors, self.core_variance, self.factor_variances, self.noise
            )
        amounts, offset = self.row_amounts, self.offset
        if found.left_out:
            modes, constant = found.left_out, self.constant
            if variances is not None:
                variances = uncertainty.averaged_variances(
                    modes, factors, amounts, variances, constant
                )
            means, amounts, offset = prediction.averaged_over(
                modes, factors, amounts, offset, constant
            )
            factors = tuple(means)
        how: dict[str, Any] = {
            "unseen": unseen, "threads": threads, "offset": offset, "constant": self.constant,
        }  # fmt: skip

        def values_of(block: Cells, _: slice) -> Floats:
            return prediction.predict(core, factors, amounts, self._named, block, **how)

        # An error names the row of a cell among all of them.
        values = prediction.by_blocks(values_of, found, "values", whole=unseen == "error")
        prediction.warn_of_overflow(values, may_be_nan=unseen == "nan")
        if variances is None:
            return values if bounds is None else values.clip(*bounds)

        def deviations_of(block: Cells, at: slice) -> Floats:
            own = None if weights is None else weights[at]
            return uncertainty.standard_deviations(
                core, factors, variances, amounts, block, weights=own, **how
            )

        std = prediction.by_blocks(deviations_of, found, "standard deviations")
        limits = [] if width is None else [values - width * std, values + width * std]
        if bounds is not None:
            values, *limits = (each.clip(*bounds) for each in (values, *limits))
        return (values, *([std] if return_std else []), *limits)

    def to_dense(
        self, *, unseen: HowUnseen = "mean", threads: int = 0, progress: ProgressOption = "auto"
    ) -> Floats:
        """Return the predictions of all cells as a NumPy array, the offset included.

        That is one number per cell: it raises if there is no memory for so many. ``unseen`` says
        what to predict in rows that had no entry in the fit, as for `predict`, and ``progress``
        whether to show how many cells are done.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]]).to_dense()
        array([[2., 1.],
               [6., 3.]])
        """
        with watched(progress, "to_dense"):
            return dense_predictions(
                self.shape, lambda cells: self.predict(cells, unseen=unseen, threads=threads)
            )

    def to_xarray(
        self, *, unseen: HowUnseen = "mean", threads: int = 0, progress: ProgressOption = "auto"
    ) -> Any:
        """Return the predictions of all cells as a ``DataArray`` of xarray, with the labels.

        Modes are its dimensions and labels its coordinates; a mode without labels has none. The
        options are those of `to_dense`, and so is the memory.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"who": ["ann", "bob"], "dish": ["soup", "rice"]}
        >>> parts = [[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]]
        >>> model = vt.TuckerModel(*parts, modes=("who", "dish"), labels=labels)
        >>> model.to_xarray().sel(who="bob").to_series()
        dish
        soup    6.0
        rice    3.0
        dtype: float64
        """
        how: dict[str, Any] = {"unseen": unseen, "threads": threads, "progress": progress}
        return data_array(lambda: self.to_dense(**how), self._named)

    def refit(self, X: SparseTensor, **changes: Any) -> TuckerModel:
        """Fit other entries as this model was fitted: the same options and the same seed.

        Parameters
        ----------
        X : SparseTensor
            The entries. With those of the first fit, the model comes out the same.
        **changes
            Options of `fit` to change.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=1500, seed=0)
        >>> model = vt.fit(X, seed=1)
        >>> model.refit(X).error == model.error
        True
        """
        if not self.made:
            raise OptionError(
                'the model does not say how it was made; models of fit with penalty="bayes" do'
            )
        given = [name for name in self.made["not_stored"] if name not in changes]
        if given:
            raise OptionError(
                f"the model was made with {', '.join(given)}, which it does not keep; give it again"
            )
        under_one_name = fitting_options.under_one_name
        options = under_one_name(self.made["options"], "penalty", "loss")  # of files of any age
        changes = under_one_name(changes, "penalty", "loss")
        return fit.fit(X, **{**options, "seed": self.made["seed"], **changes})

    def compact(self) -> TuckerModel:
        """Return the model without the components that carry nothing.

        A component carries nothing if its column of the factor is all zero, or if every element of
        the core that it takes part in is zero, or meets such a column. An element with a variance
        carries something. Each mode keeps one component at least. Labels, offset, errors and all
        else stay; ``ranks_before`` tells the ranks that the model had.

        Predictions and their standard deviations are the same, up to rounding: what is summed stays
        the same, but a core with few zeros left is summed in another order. Where ``row_counts``
        are unknown, a row of zeros is not part of the average that stands for unknown labels; that
        a row has become one can change this average.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> model = vt.TuckerModel([[2.0, 0.0]], [[[1.0], [3.0]], [[1.0, 0.5], [0.0, 1.0]]])
        >>> small = model.compact()
        >>> small.ranks, small.ranks_before, small.predict([[0, 0], [1, 0]]).tolist()
        ((1, 1), (1, 2), [2.0, 6.0])
        """
        parts = compact_parts(
            self.core, self.factors, self.core_variance, self.factor_variances,
            constant=self.constant, measured=self.measured, names=self.component_names,
        )  # fmt: skip
        before = self.ranks_before or self.ranks
        return dataclasses.replace(self, **parts, ranks_before=before) if parts else self

    def fold_in(
        self,
        mode: str | int,
        X: SparseTensor | Any,
        *,
        value: str | None = None,
        weight: str | None = None,
        duplicates: Duplicates = "error",
        missing: Missing = "raise",
        nonnegative: bool | None = None,
        threads: int = 0,
    ) -> TuckerModel:
        """Return the model with new rows in one mode, fitted to their entries; all else stays.

        Each new row is the best one for its entries by the squared error and the penalty of the
        fit, given the core and the other factors. In an entry with labels of other modes that the
        model does not know, these rows are replaced as in `predict`, and a warning says how many
        there are. ``error`` and ``baseline_error`` are errors on the new entries, and ``history``
        is empty.

        Parameters
        ----------
        mode : str or int
            The mode whose labels are new, by name or number.
        X : SparseTensor or frame
            Entries of new rows, matched by the names of the modes and by labels, or by index in
            modes without labels; a row that the model already has is an error. A frame of any
            library has columns called like the modes, with one row per entry.
        value, weight : str, optional
            The columns of a frame with the values and the weights. By default the value is the
            only column that is not a mode, or the one called "value", and there are no weights,
            unless "value" and "weight" are what is left.
        duplicates, missing
            What to do with repeated cells and with gaps of a frame, as for `from_frame`.
        nonnegative : bool, optional
            Whether negative elements are forbidden; by default they are if the factor has none.
        threads : int
            How many threads to use; 0 means all.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> model = vt.TuckerModel(
        ...     [[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], loss="lf", lam_used=0.0,
        ...     labels=[["ann", "bob"], ["soup", "rice"]],
        ... )
        >>> X = vt.SparseTensor([[0, 0], [0, 1]], [8, 4], labels=[["eve"], ["soup", "rice"]])
        >>> model.fold_in(0, X).predict([("eve", "soup"), ("bob", "soup")]).tolist()
        [8.0, 6.0]
        """
        read = new_entries.InFrame(value, weight, duplicates, missing)
        return fold_in.fold_in(self, mode, X, read=read, nonnegative=nonnegative, threads=threads)

    def update(
        self,
        X: SparseTensor | Any,
        *,
        value: str | None = None,
        weight: str | None = None,
        duplicates: Duplicates = "error",
        missing: Missing = "raise",
        nonnegative: bool | None = None,
        threads: int = 0,
    ) -> TuckerModel:
        """Return the model updated with new entries, without the old ones and without a refit.

        Labels may be known or new, in any mode. Rows with new entries change; the core and all
        other rows stay. The n old entries of a row count as n average cells that it fits exactly,
        so the more entries a row had, the less it changes; an entry with a weight counts as so many
        entries, old or new. Entries that are predicted exactly
        change nothing. Zeros of known rows stay zero. Columns are not standardized again. A cell
        that was seen before counts once more. ``row_counts`` and ``nnz`` grow; ``error`` and
        ``baseline_error`` are errors on the new entries, and ``history`` is empty.

        Parameters
        ----------
        X : SparseTensor or frame
            New entries, matched by the names of the modes and by labels; a frame of any library
            has columns called like the modes, with one row per entry.
        value, weight : str, optional
            The columns of a frame with the values and the weights. By default the value is the
            only column that is not a mode, or the one called "value", and there are no weights,
            unless "value" and "weight" are what is left.
        duplicates, missing
            What to do with repeated cells and with gaps of a frame, as for `from_frame`.
        nonnegative : bool, optional
            Whether negative elements are forbidden; by default they are in factors without any.
        threads : int
            How many threads to use; 0 means all.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, noise=0.1, seed=0)
        >>> old, new = vt.train_test_split(X, test=0.5)
        >>> model = vt.fit(old, ranks=2, preset="paper", lam=0.01, seed=0)
        >>> updated = model.update(new)
        >>> updated.nnz, updated.error < vt.relative_error(model, new)
        (3000, True)
        """
        read = new_entries.InFrame(value, weight, duplicates, missing)
        return update.update(self, X, read=read, nonnegative=nonnegative, threads=threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into a file, whole or not at all; `load` reads it back bit for bit.

        The file is a .npz. A name with another suffix is refused, one without is taken as it is.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> vt.TuckerModel([[2.0]], [[[1.0]], [[3.0]]], nnz=7).save("model.npz")
        >>> vt.TuckerModel.load("model.npz").nnz
        7
        """
        from vest_tucker.model.storage import write_model  # seldom needed, so not loaded before

        stored = [each.name for each in dataclasses.fields(self) if each.init]
        write_model(path, {name: getattr(self, name) for name in stored})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TuckerModel:
        """Read a model that `save` wrote; nothing in the file is executed.

        Raises
        ------
        FileFormatError
            The file does not hold a model; as a DamagedFileError: it was cut short or changed.
        """
        from vest_tucker.model.storage import not_a_model, read_model

        defaults = {each.name: each.default for each in dataclasses.fields(cls) if each.init}
        fields = read_model(path, defaults)
        try:
            return cls(**fields)
        except (TypeError, ValueError) as error:
            raise not_a_model(path, error) from error

    def __repr__(self) -> str:
        return (
            f"TuckerModel(shape={self.shape}, ranks={self.ranks}, sparsity={self.sparsity:.3f}, "
            f"error={self.error:.4f})"
        )

    def __str__(self) -> str:
        return shown_lines([*text.lines(self), *self._strongest()])
