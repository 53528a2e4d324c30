"""The result of vt.path: the curve, the model at each stop, and the knee."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.extras import Later
from vest_tucker.base.html import PAGE_BYTES, preformatted, whole
from vest_tucker.base.options import ProgressOption, check_choice, check_sparsity
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import AnyPath
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.same import same
from vest_tucker.drawing.path import draw_path
from vest_tucker.fitting.noise.sparser import SMALL, sparsest_that_costs_nothing
from vest_tucker.model.criterion import knee_of_curve, within_one_standard_error
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.standardize import unit_columns
from vest_tucker.studies.path import text
from vest_tucker.studies.path.snapshot import Snapshot

if TYPE_CHECKING:
    from vest_tucker.report import model_page
    from vest_tucker.studies.path import report
else:  # seldom needed
    model_page = Later("vest_tucker.report.model_page")
    report = Later("vest_tucker.studies.path.report")

Knee: TypeAlias = Literal["holdout", "worth", "curve", "validation"]
Basis: TypeAlias = Literal["auto", "rotated", "plain"]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One stop of a path.

    Attributes
    ----------
    sparsity : float
        Share of zeros in the core and all factors.
    n_nonzero : int
        How many elements are not zero.
    n_parameters : int
        ``n_nonzero`` and the number of parameters of the offset.
    error : float
        RE on the entries it was fitted to.
    validation_error : float
        RE on the entries held back; NaN if there are none.
    validation_spread : float
        Standard error of the square of ``validation_error``.
    criterion : float
        nnz log(RE^2) + n_parameters log(nnz), lowest at the knee of the curve.
    """

    sparsity: float
    n_nonzero: int
    n_parameters: int
    error: float
    validation_error: float
    validation_spread: float
    criterion: float

    @property
    def share(self) -> float:
        """The share of zeros that a model is asked for by."""
        return self.sparsity

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are the same; NaN equals NaN, which dataclasses of 3.13 deny."""
        if not isinstance(other, PathStep) or type(other) is not type(self):
            return NotImplemented
        return same(astuple(self), astuple(other))


@dataclass(frozen=True, slots=True, eq=False)
class NoisyStep(PathStep):
    """A stop of a path with ``penalty="bayes"``.

    Attributes
    ----------
    pruned : float
        Share of zeros among the elements that are not zero or one by design and belong to rows with
        entries, as ``fit(sparsity=)`` counts them. ``sparsity`` counts all.
    worthless : float
        The share of the elements left of which the entries say no more than their prior did.
    """

    pruned: float
    worthless: float

    @property
    def share(self) -> float:
        """The share of zeros that a model is asked for by."""
        return self.pruned


@public
@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """Models from dense to sparse, as `path` returns them; ``print`` shows the curve.

    ``path[i]`` is the model at stop ``i``, ``len(path)`` is the number of stops, and ``best`` is
    the model that the rule ``knee`` chooses.

    Attributes
    ----------
    steps : tuple of PathStep
        Sparsity, parameters and errors of each stop.
    knee : {"holdout", "worth", "curve", "validation"}
        How the best model, the one at the knee, is chosen.
    basis : {"rotated", "plain"}
        The basis that was pruned.
    criteria : dict
        For each basis that was tried, the lowest criterion of its models.
    """

    steps: tuple[PathStep, ...]
    knee: Knee
    basis: str
    criteria: dict[str, float]
    _snapshots: tuple[Snapshot, ...] = field(repr=False)
    _records: tuple[IterationRecord, ...] = field(repr=False)
    _facts: Mapping[str, Any] = field(repr=False)
    _scaled_modes: tuple[int, ...] = field(repr=False)
    _variances: tuple[Snapshot, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, number: int | np.integer[Any]) -> TuckerModel:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise TypeError(f"the stop of a path must be a whole number, but is {number!r}")
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no stop {number}; the path has {len(self)}")
        number = int(number) % len(self)
        core, *factors = self._snapshots[number].parts()
        unit_columns(core, factors, modes=self._scaled_modes, in_place=True)
        history = list(self._records[: number + 1])
        variances: dict[str, Any] = {}
        if self._variances:
            own, *others = self._variances[number].parts()
            variances = {"core_variance": own, "factor_variances": others}
        return TuckerModel(
            core, factors, error=self.steps[number].error, history=history, stopped="path",
            validation_error=self.steps[number].validation_error, **variances, **self._facts,
        )  # fmt: skip

    def __iter__(self) -> Iterator[TuckerModel]:
        return (self[number] for number in range(len(self)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a pickle holds, which may have been written before ``knee`` had this name."""
        if "elbow" in state:
            state = {**state, "knee": state["elbow"]}
            del state["elbow"]
        self.__dict__.update(state)

    @property
    def elbow(self) -> Knee:
        """The former name of ``knee``."""
        return self.knee

    @property
    def best_index(self) -> int:
        """The number of the stop at the knee."""
        return self.choose(self.knee)

    @property
    def best(self) -> TuckerModel:
        """The model at the knee."""
        return self[self.best_index]

    @property
    def baseline_error(self) -> float:
        """RE of always predicting the mean, to hold the errors against."""
        return float(self._facts["baseline_error"])

    @property
    def validation_baseline(self) -> float:
        """The same on the entries held back, of the offset alone if there is one; NaN if none."""
        return float(self._facts.get("validation_baseline", math.nan))

    @property
    def validation_mean(self) -> float:
        """RE of always predicting the mean on the entries held back; NaN if unknown."""
        return float(self._facts.get("validation_mean", math.nan))

    @property
    def has_validation(self) -> bool:
        """Whether entries were held back."""
        return not math.isnan(self.steps[0].validation_error)

    def choose(self, knee: Knee) -> int:
        """Return the number of the stop that a rule chooses.

        "holdout" takes the sparsest model whose error on the entries held back is at most 0.05 %
        above the lowest; "validation" the sparsest whose squared error is within one standard error
        of the lowest; "curve" the lowest criterion; "worth" the first with next to no element that
        is worth no more than its prior, which is for paths with ``penalty="bayes"``.
        """
        check_choice("knee", knee, get_args(Knee))
        if knee == "worth":
            return self._first_of_worth()
        if knee == "curve":
            errors = [step.error for step in self.steps]
            totals = self._facts.get("row_totals")
            nnz = self._facts["nnz"] if totals is None else float(totals[0].sum())
            return knee_of_curve(errors, [step.n_parameters for step in self.steps], nnz)
        if not self.has_validation:
            raise OptionError("no entries were held back; path(..., validation=...) takes some")
        if knee == "holdout":
            return sparsest_that_costs_nothing([step.validation_error for step in self.steps])
        squares = np.array([step.validation_error**2 for step in self.steps])
        spreads = np.array([step.validation_spread for step in self.steps])
        return within_one_standard_error(squares, spreads)

    def _first_of_worth(self) -> int:
        shares = [step.worthless for step in self.steps if isinstance(step, NoisyStep)]
        if not shares:
            raise OptionError('knee="worth" is for paths with penalty="bayes"')
        return next((k for k, share in enumerate(shares) if share <= SMALL), len(shares) - 1)

    def at(self, sparsity: float) -> TuckerModel:
        """Return the model whose sparsity is nearest to the given one.

        With ``penalty="bayes"`` that is the share of zeros that ``fit(sparsity=)`` would be asked
        for, ``pruned`` in the frame: elements that are zero or one by design do not count.
        """
        wanted = check_sparsity(sparsity)
        if wanted == "auto":
            raise OptionError('sparsity is "auto"; choose a share of zeros, or take path.best')
        return self[int(np.argmin([abs(step.share - wanted) for step in self.steps]))]

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return the curve as a frame: a row per stop, with its sparsity, parameters and errors.

        Of a path with ``penalty="bayes"`` the last columns are *pruned*, the share of zeros as
        ``fit(sparsity=)`` counts them, and *worthless*, the share of the elements left of which the
        entries say no more than their prior did.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        names = type(self.steps[0]).__dataclass_fields__
        columns = {name: np.array([getattr(step, name) for step in self.steps]) for name in names}
        return make_frame(columns, backend)

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors over the zeros, the stop that is chosen, and the error of the mean.

        It is the paper's figure 3. Errors on entries held back have a band of one standard error.
        The frame behind it is `frame`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        return draw_path(self.steps, self.best_index, self.baseline_error, ax=ax)

    def report(
        self,
        path: AnyPath,
        *,
        title: str | None = None,
        note: str | None = None,
        unit: str = "",
        budget: int = PAGE_BYTES,
        progress: ProgressOption = "auto",
    ) -> None:
        """Write a page about the path and its best model: one file of HTML, for any browser.

        It has the curve with its knee, the table of stops, and all that `TuckerModel.report` says
        of the model at the knee; the options are the same.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> found = vt.path(vt.datasets.demo(), ranks=4, preset="paper", lam=0.01, seed=0)
        >>> found.report("path.html", title="Who orders what when")
        """
        choices = model_page.Choices(title, note, unit, budget)
        with watched(progress, "report"):
            model_page.report_model(self.best, path, choices, [report.path_section(self)])

    def __repr__(self) -> str:
        knee = self.steps[self.best_index]
        ends = f"{self.steps[0].sparsity:.3f} to {self.steps[-1].sparsity:.3f}"
        return f"Path({len(self)} stops, sparsity {ends}, knee at {knee.sparsity:.3f})"

    def __str__(self) -> str:
        return shown_lines(text.lines(self))

    def _repr_html_(self) -> str:
        return whole([preformatted(text.lines(self))])
