"""The methods of TuckerModel that show it: sparsity, labelled frames, other packages' objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.extras import Later
from vest_tucker.base.html import PAGE_BYTES
from vest_tucker.base.options import ProgressOption
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.types import AnyPath, Floats
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.labels import ModeLabels
from vest_tucker.model import exports, frames
from vest_tucker.model.meaning.names import Names, title
from vest_tucker.model.offset import Offset

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.report import model_page
else:
    model_page = Later("vest_tucker.report.model_page")  # imports this


class ModelViews:
    """Methods that read a model; `TuckerModel`, which inherits them, has the fields."""

    core: Floats
    factors: list[Floats]
    modes: tuple[str, ...]
    offset: Offset | None
    core_variance: Floats | None
    factor_variances: list[Floats] | None
    constant: bool
    component_names: Names
    _named: ModeLabels

    @property
    def n_nonzero(self) -> int:
        """Number of non-zero elements in the core and all factors."""
        return sum(int(np.count_nonzero(part)) for part in (self.core, *self.factors))

    @property
    def n_parameters(self) -> int:
        """Number of non-zero parameters: elements of core and factors, and those of the offset."""
        return self.n_nonzero + (0 if self.offset is None else self.offset.n_parameters)

    @property
    def sparsity(self) -> float:
        """Share of zeros in the core and all factors together."""
        return 1.0 - self.n_nonzero / sum(part.size for part in (self.core, *self.factors))

    def factor_frame(
        self, mode: str | int, *, nonzero: bool = False, backend: Backend | None = None
    ) -> Any:
        """Return one factor as a tidy frame: label, component and value of each element.

        Components are in order, within each the largest magnitudes first. The column of labels is
        called like the mode, followed by ``_`` if that is "component" or "value". If the model has
        ``factor_variances``, the column "std_error" has the square root of each. If components of
        the mode were given names, the last column, "name", has these.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        nonzero : bool
            Leave out the zeros.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default that of the frame which the entries came in, or
            the first of these that is installed.
        """
        number = self._named.number(mode)
        factor = self.factors[number]
        labels = self._named.decode(number, np.arange(len(factor)))
        variance = None if self.factor_variances is None else self.factor_variances[number]
        name = self.modes[number]
        columns = frames.factor_columns(factor, labels, name, variance, nonzero=nonzero)
        if self.component_names and self.component_names[number]:
            titles = [self._title(number, j) for j in range(factor.shape[1])]
            own = np.array(titles, dtype=object)[columns[frames.COMPONENT]]
            columns |= {frames.free_name("name", list(columns)): own}
        return make_frame(columns, backend, self._named.library)

    def _title(self, mode: int, component: int) -> str:
        return title(self.component_names, self.modes, mode, component)

    def bias_frame(
        self, mode: str | int, *, nonzero: bool = False, backend: Backend | None = None
    ) -> Any:
        """Return the biases of a mode as a frame: label and value, the largest magnitudes first.

        The options are those of `factor_frame`. A model fitted with ``offset="biases"`` has them.
        In a model of mean, effects and pairs (``constant``) they are the effects of the mode alone;
        the last column, "std_error", then says how sure each is, if the model has variances.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.datasets.synthetic((30, 20, 10), 1, nnz=3000, noise=0.5, seed=0)[0]
        >>> biased = vt.fit(X, 1, penalty="lf", offset="biases", seed=0)
        >>> biased.bias_frame("mode_1").columns.to_list()
        ['mode_1', 'value']
        """
        number = self._named.number(mode)
        variance = None
        if self.constant:
            biases, variance = self._effects(number)
        elif self.offset is not None and self.offset.biases:
            biases = self.offset.biases[number]
        else:
            raise OptionError('the model has no biases; fit(..., offset="biases") gives it some')
        labels = self._named.decode(number, np.arange(len(biases)))
        name = self.modes[number]
        columns = frames.bias_columns(biases, labels, name, variance, nonzero=nonzero)
        return make_frame(columns, backend, self._named.library)

    def _effects(self, number: int) -> tuple[Floats, Floats | None]:
        """Return the effects of a mode, and their variances if these are known."""
        core, factor = self.core, self.factors[number]
        unsure, spread = self.core_variance, self.factor_variances
        known = unsure is not None or spread is not None  # a part without variances is exact
        effects, variance = frames.effects_of_mode(
            core, factor, np.zeros(core.shape) if unsure is None else unsure,
            np.zeros(factor.shape) if spread is None else spread[number], number,
        )  # fmt: skip
        return effects, variance if known else None

    def core_frame(self, *, nonzero: bool = False, backend: Backend | None = None) -> Any:
        """Return the core as a tidy frame: a component of each mode and the value, strongest first.

        The options are those of `factor_frame`. If the model has a ``core_variance``, the last
        column, "std_error", has the square root of each. If components were given names, there is
        a column "name" with those of the components that an element joins.
        """
        columns = frames.core_columns(self.core, self.modes, self.core_variance, nonzero=nonzero)
        if any(self.component_names):
            joined = list(columns.values())[: self.core.ndim]
            told = [
                " × ".join(
                    self._title(mode, j) for mode, j in enumerate(place) if j or not self.constant
                )
                for place in zip(*(column.tolist() for column in joined), strict=True)
            ]
            columns |= {frames.free_name("name", list(columns)): np.array(told, dtype=object)}
        return make_frame(columns, backend, self._named.library)

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
        """Write a page about the model: one file of HTML for people who do not have Python.

        It says what was observed, how good the model is, what matters and what belongs together;
        groups and labels can be searched, any cell explained, and every table downloaded. Nothing
        is fetched from anywhere, nothing is sent, and without JavaScript it can be read and printed
        all the same. The file is written whole or not at all.

        Parameters
        ----------
        path : str or path
            The file to write, as "report.html"; its name ends in .html or .htm.
        title : str, optional
            The title of the page; by default the names of the modes.
        note : str, optional
            A few words of your own below the title, as where the values come from.
        unit : str
            The unit of the values, as "minutes", which is then written beside them.
        budget : int
            How many bytes the file may have. Of long modes the labels with the most entries are
            kept, and the page says how many.
        progress : bool or "auto"
            Whether to show how far the page is, as for `fit`.

        Examples
        --------
        >>> from pathlib import Path
        >>> import vest_tucker as vt
        >>> model = vt.fit(vt.datasets.demo(), seed=0)
        >>> model.report("meals.html", title="Who orders what when")
        >>> "Who orders what when</h1>" in Path("meals.html").read_text("utf-8")
        True
        """
        choices = model_page.Choices(title, note, unit, budget)
        with watched(progress, "report"):
            model_page.report_model(cast("TuckerModel", self), path, choices)

    def to_tensorly(self) -> Any:
        """Return the model as a ``tensorly.tucker_tensor.TuckerTensor``.

        An offset becomes one component more in each mode, or two if there are biases.
        """
        return exports.tensorly_tucker(self.core, self.factors, self.offset)

    def to_pyttb(self) -> Any:
        """Return the model as a ``pyttb.ttensor``, an offset included as for `to_tensorly`."""
        return exports.pyttb_ttensor(self.core, self.factors, self.offset)
