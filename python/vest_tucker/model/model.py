"""The model that comes out: a sparse core, sparse factors and what happened on the way to them."""

from __future__ import annotations

import dataclasses
import math
import os
from dataclasses import dataclass, field
from typing import get_args

from vest_tucker.base import checks
from vest_tucker.base.options import check_choice, check_threads
from vest_tucker.base.public import public
from vest_tucker.base.types import Counts, Floats, Labels
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model import prediction, text
from vest_tucker.model.cells import CellsLike, find_cells
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.offset import Offset
from vest_tucker.model.prediction import HowUnseen
from vest_tucker.model.views import ModelViews


@public
@dataclass(frozen=True, eq=False, repr=False)
class TuckerModel(ModelViews):
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
        RE of this model on the entries it was fitted to; NaN if unknown. After `fold_in` and
        `update` it is that on the new entries.
    baseline_error : float
        RE of always predicting the mean of those entries, to hold ``error`` against.
    validation_error, validation_baseline : float
        RE on the entries held back, and there of the offset alone (of the mean, without one); NaN
        if there were none.
    history : list of IterationRecord
    stopped : str
        Why it ended: "converged", "max_iter", "validation", "callback" or "interrupted"; "path"
        for a stop of one; "folded in" or "updated" since; "" for a model made by hand.
    loss : {"l1", "lf", ""}
    lam, lam_used : float
        The penalty as given, and after scaling.
    lam_rows : {"equal", "sqrt", "entries", ""}
        How the number of entries of a row counts for what it pays.
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

    def fold_in(
        self,
        mode: str | int,
        X: SparseTensor,
        *,
        nonnegative: bool | None = None,
        threads: int = 0,
    ) -> TuckerModel:
        """Return the model with new rows in one mode, fitted to their entries; all else stays.

        Each is the best row for its entries by the loss and the penalty of the fit, given the core
        and the other factors. An entry whose other labels the model does not know counts as
        predictions take it, and a warning says how many do. ``error`` and ``baseline_error`` are
        those on the new entries, and ``history`` is empty.

        Parameters
        ----------
        mode : str or int
            The mode whose labels are new, by name or number.
        X : SparseTensor
            Entries of new rows, matched by the names of the modes and by labels, or numbers where
            a mode has none; a row that the model has already is an error.
        nonnegative : bool, optional
            Whether elements below zero are forbidden; by default if the factor has none.
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
        from vest_tucker.learning.fold_in import fold_in  # which needs the model

        return fold_in(self, mode, X, nonnegative=nonnegative, threads=threads)

    def update(
        self, X: SparseTensor, *, nonnegative: bool | None = None, threads: int = 0
    ) -> TuckerModel:
        """Return the model after new entries, without the old ones and without a refit.

        Labels may be known or new, in any mode. Rows that have new entries move, the core and all
        other rows stay. What a row has learned from its n old entries is remembered as n entries of
        average cells that it fits best, so that it moves the less the more it had; entries that it
        predicts exactly move nothing. Zeros of known rows stay zero. Columns are not standardized
        again. A cell seen before counts as seen once more. ``entries`` and ``nnz`` grow; ``error``
        and ``baseline_error`` are those on the new entries, and ``history`` is empty.

        Parameters
        ----------
        X : SparseTensor
            New entries, matched by the names of the modes and by labels.
        nonnegative : bool, optional
            Whether elements below zero are forbidden; by default in factors that have none.
        threads : int
            How many threads to use; 0 means all.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, noise=0.1, seed=0)
        >>> old, new = vt.train_test_split(X, test=0.5)
        >>> model = vt.fit(old, ranks=2, lam=0.01, seed=0)
        >>> updated = model.update(new)
        >>> updated.nnz, updated.error < vt.relative_error(model, new)
        (3000, True)
        """
        from vest_tucker.learning.update import update

        return update(self, X, nonnegative=nonnegative, threads=threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into a file, whole or not at all; `load` brings it back bit for bit.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> vt.TuckerModel([[2.0]], [[[1.0]], [[3.0]]], nnz=7).save("model.npz")
        >>> vt.TuckerModel.load("model.npz").nnz
        7
        """
        from vest_tucker.model.storage import write_model  # loaded only by those who save

        kept = [each.name for each in dataclasses.fields(self) if each.init]
        write_model(path, {name: getattr(self, name) for name in kept})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TuckerModel:
        """Read a model that `save` wrote; nothing in the file is executed.

        Raises
        ------
        FileFormatError
            It holds no model, or, as a DamagedFileError, was cut short or changed.
        """
        from vest_tucker.model.storage import no_model, read_model

        defaults = {each.name: each.default for each in dataclasses.fields(cls) if each.init}
        fields = read_model(path, defaults)
        try:
            return cls(**fields)
        except (TypeError, ValueError) as error:
            raise no_model(path, error) from error

    def __repr__(self) -> str:
        return (
            f"TuckerModel(shape={self.shape}, ranks={self.ranks}, sparsity={self.sparsity:.3f}, "
            f"error={self.error:.4f})"
        )

    def __str__(self) -> str:
        return "\n".join(text.lines(self))
