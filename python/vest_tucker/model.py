"""The model that comes out: a sparse core, sparse factors and what happened on the way to them."""

from __future__ import annotations

import dataclasses
import math
import os
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from vest_tucker import checks, exports, prediction, summary, tidy
from vest_tucker.cells import CellsLike, find_cells
from vest_tucker.checks import Floats
from vest_tucker.convert.frames import Backend, make_frame
from vest_tucker.errors import OptionError
from vest_tucker.label_arrays import Labels
from vest_tucker.labels import ModeLabels
from vest_tucker.offset import Offset
from vest_tucker.options import check_choice, check_threads
from vest_tucker.prediction import Counts, HowUnseen
from vest_tucker.record import IterationRecord
from vest_tucker.tensor import SparseTensor, require_tensor


@dataclass(frozen=True, eq=False, repr=False)
class TuckerModel:
    """A core G and one factor A(n) per mode, which together predict any cell of a tensor.

    B(i_1, ..., i_N) is the sum over all j of G(j_1, ..., j_N) A(1)(i_1, j_1) ... A(N)(i_N, j_N),
    plus the offset if there is one.
    `fit` makes them; one made by hand from a core and factors predicts just as well.

    Attributes
    ----------
    core : ndarray, shape (J_1, ..., J_N)
    factors : list of ndarray, shape (I_n, J_n)
    modes : tuple of str
        Names of the modes; by default "mode_0", "mode_1", and so on.
    labels : tuple of (ndarray or None)
        What the rows of each factor stand for, None where they just have numbers.
    entries : list of ndarray, shape (I_n,), or None
        How many entries it was fitted to in each row of each mode; None if unknown.
    offset : Offset or None
        What was taken off the values before they were factored, and is added to each prediction.
    error : float
        RE of this model on the entries it was fitted to; NaN if unknown.
    baseline_error : float
        RE of always predicting the mean of those entries, to hold ``error`` against.
    history : list of IterationRecord
    stopped : {"converged", "max_iter", "validation", "callback", "interrupted", "path", ""}
    loss : {"l1", "lf", ""}
    lam, lam_used : float
        The penalty as given, and after scaling.
    chosen : str
        How they were chosen, if ``lam="auto"`` did.
    nnz : int
        How many entries it was fitted to.
    seconds : float
        How long the fit took.

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
    history: list[IterationRecord] = field(default_factory=list)
    stopped: str = ""
    loss: str = ""
    lam: float = math.nan
    lam_used: float = math.nan
    chosen: str = ""
    nnz: int = 0
    seconds: float = 0.0
    modes: tuple[str, ...] = ()
    labels: tuple[Labels | None, ...] = ()
    entries: list[Counts] | None = None
    offset: Offset | None = None
    _named: ModeLabels = field(init=False)

    def __post_init__(self) -> None:
        core, factors = checks.tucker_parts(self.core, self.factors)
        named = ModeLabels(core.ndim, self.modes or None, self.labels or None)
        shape = tuple(len(factor) for factor in factors)
        named.require_shape(shape)
        entries = prediction.checked_entries(self.entries, shape)
        if self.offset is not None:
            self.offset.require_shape(shape)
        checked = {"core": core, "factors": list(factors), "entries": entries, "_named": named}
        for name, value in (checked | {"modes": named.names, "labels": named.labels}).items():
            object.__setattr__(self, name, value)

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
    def n_nonzero(self) -> int:
        """Number of non-zero elements in the core and all factors."""
        return sum(int(np.count_nonzero(part)) for part in (self.core, *self.factors))

    @property
    def n_parameters(self) -> int:
        """How many non-zero numbers it takes to predict: the elements, and those of the offset."""
        return self.n_nonzero + (0 if self.offset is None else self.offset.n_parameters)

    @property
    def sparsity(self) -> float:
        """Share of zeros in the core and all factors together."""
        return 1.0 - self.n_nonzero / sum(part.size for part in (self.core, *self.factors))

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
        """Whether a part is all zero, so that it predicts 0, or just its offset, everywhere."""
        return not all(part.any() for part in (self.core, *self.factors))

    @property
    def offset_is_exact(self) -> bool:
        """Whether there is an offset, and it left nothing to factor."""
        return self.offset is not None and self.offset.is_exact

    def predict(self, cells: CellsLike, *, unseen: HowUnseen = "mean", threads: int = 0) -> Floats:
        """Predict the values of any cells, observed or not.

        Parameters
        ----------
        cells : array_like, frame, dict or SparseTensor
            *Whole numbers* of shape (n, N) are coordinates, inside the model's shape; if all labels
            are such too, they must be an array, for a list may mean either. A *frame* of any
            library has labels in the columns called like the modes; a *dict* has them by mode, many
            or a single one for all. *Rows of anything else*, as [("ann", "soup")], hold labels in
            the order of the modes. The cells of a *SparseTensor* are found by its labels. In a mode
            without labels the numbers of its rows are its labels.
        unseen : {"mean", "zero", "nan", "error"}
            What to do with labels that the model has not, and with rows it was fitted to without
            any entry. "mean" predicts what the model knows without them: the average of its
            predictions for the other rows, each as often as the fit saw an entry of it; if it has
            biases, these of the rows that it knows, and no more. "zero" is the bare Tucker sum, to
            which they add nothing, plus the offset. A row that had entries but was pruned empty is
            known to be 0, or not to deviate from the offset.
        threads : int
            How many threads to use; 0 means all.

        Returns
        -------
        ndarray, shape (n,)

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"person": ["ann", "bob"], "dish": ["soup", "rice"]}
        >>> model = vt.TuckerModel(
        ...     [[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("person", "dish"), labels=labels
        ... )
        >>> model.predict([("bob", "rice"), ("eve", "soup")]).tolist()
        [3.0, 4.0]
        >>> model.predict({"person": "bob", "dish": ["soup", "rice", "tea"]}, unseen="nan")
        array([ 6.,  3., nan])
        """
        check_choice("unseen", unseen, get_args(HowUnseen))
        threads = check_threads(threads)
        found = find_cells(cells, self._named, self.shape, strict=unseen == "error")
        # The fields are the user's to replace; what fit left in them passes without a copy.
        core, factors = checks.matching_parts(self.core, self.factors)
        return prediction.predict(
            core, factors, self.entries, self._named, found,
            unseen=unseen, threads=threads, offset=self.offset,
        )  # fmt: skip

    def factor_frame(
        self, mode: str | int, *, nonzero: bool = False, backend: Backend | None = None
    ) -> Any:
        """One factor as a tidy frame: label, component and value of each element.

        Components are in order, within each the largest magnitudes first. The column of labels is
        called like the mode, with ``_`` behind it should that be "component" or "value".

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        nonzero : bool
            Leave out the zeros.
        backend : {"pandas", "polars", "pyarrow"}, optional
            What the frame is to be; by default the first of these that is installed.
        """
        number = self._named.number(mode)
        factor = self.factors[number]
        labels = self._named.decode(number, np.arange(len(factor)))
        columns = tidy.factor_columns(factor, labels, self.modes[number], nonzero=nonzero)
        return make_frame(columns, backend)

    def bias_frame(
        self, mode: str | int, *, nonzero: bool = False, backend: Backend | None = None
    ) -> Any:
        """One mode's biases as a frame: label and value, the largest magnitudes first.

        The options are those of `factor_frame`; a model fitted with ``offset="biases"`` has them.
        """
        number = self._named.number(mode)
        if self.offset is None or not self.offset.biases:
            raise OptionError('the model has no biases; fit(..., offset="biases") gives it some')
        biases = self.offset.biases[number]
        labels = self._named.decode(number, np.arange(len(biases)))
        columns = tidy.bias_columns(biases, labels, self.modes[number], nonzero=nonzero)
        return make_frame(columns, backend)

    def core_frame(self, *, nonzero: bool = False, backend: Backend | None = None) -> Any:
        """Return the core as a tidy frame: a component of each mode and the value, strongest first.

        The options are those of `factor_frame`.
        """
        columns = tidy.core_columns(self.core, self.modes, nonzero=nonzero)
        return make_frame(columns, backend)

    def top(self, mode: str | int, component: int, n: int = 10) -> list[tuple[Any, float]]:
        """Return the strongest labels of one component, with their values; zeros never.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> dishes = [None, ["soup", "rice", "tea"]]
        >>> model = vt.TuckerModel([[2.0]], [[[1.0]], [[1.0], [0.0], [-3.0]]], labels=dishes)
        >>> model.top(1, component=0)
        [('tea', -3.0), ('soup', 1.0)]
        """
        number = self._named.number(mode)
        factor = self.factors[number]
        rows = tidy.top_rows(factor, component, n)
        labels = self._named.decode(number, rows).tolist()
        return list(zip(labels, factor[rows, component].tolist(), strict=True))

    def to_tensorly(self) -> Any:
        """Return the model as a ``tensorly.tucker_tensor.TuckerTensor``.

        An offset becomes one component more in each mode, or two if there are biases.
        """
        return exports.tensorly_tucker(self.core, self.factors, self.offset)

    def to_pyttb(self) -> Any:
        """Return the model as a ``pyttb.ttensor``, an offset included as for `to_tensorly`."""
        return exports.pyttb_ttensor(self.core, self.factors, self.offset)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into a file, whole or not at all; `load` brings it back bit for bit.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> vt.TuckerModel([[2.0]], [[[1.0]], [[3.0]]], nnz=7).save("model.npz")
        >>> vt.TuckerModel.load("model.npz").nnz
        7
        """
        from vest_tucker import storage  # it loads slowly, and most programs save nothing

        kept = [each.name for each in dataclasses.fields(self) if each.init]
        storage.write_model(path, {name: getattr(self, name) for name in kept})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TuckerModel:
        """Read a model that `save` wrote; nothing in the file is executed.

        Raises
        ------
        FileFormatError
            It holds no model, or, as a DamagedFileError, was cut short or changed.
        """
        from vest_tucker import storage

        defaults = {each.name: each.default for each in dataclasses.fields(cls) if each.init}
        fields = storage.read_model(path, defaults)
        try:
            return cls(**fields)
        except (TypeError, ValueError) as error:
            raise storage.no_model(path, error) from error

    def __repr__(self) -> str:
        return (
            f"TuckerModel(shape={self.shape}, ranks={self.ranks}, sparsity={self.sparsity:.3f}, "
            f"error={self.error:.4f})"
        )

    def __str__(self) -> str:
        return "\n".join(summary.lines(self))


def relative_error(
    model: TuckerModel, X: SparseTensor, *, unseen: HowUnseen = "mean", threads: int = 0
) -> float:
    """RE of a model on the entries of a tensor: ||x - B|| / ||x||, the paper's measure.

    Where both have labels, rows are matched by label, in whatever order they are. ``unseen`` says
    what B is for rows that the model has not seen, as in `TuckerModel.predict`.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
    >>> vt.relative_error(vt.TuckerModel([[1.0]], [[[3.0], [0.0]], [[1.0]]]), X)
    0.8
    """
    require_tensor(X, "relative_error")
    norm = checks.norm(X.norm, X.values)
    residuals = X.values - model.predict(X, unseen=unseen, threads=threads)
    return float(np.linalg.norm(residuals)) / norm


def constant_error(value: float, X: SparseTensor) -> float:
    """RE of predicting the same value for every entry of a tensor.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> round(constant_error(3.0, vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])), 3)
    0.2
    """
    norm = checks.norm(X.norm, X.values)
    return float(np.linalg.norm(X.values - value)) / norm
