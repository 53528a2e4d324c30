"""The pictures of a model, as its attribute ``plot`` offers them."""

from __future__ import annotations

from typing import Any, get_args

from vest_tucker.base.options import check_choice, check_whole
from vest_tucker.base.public import public
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.drawing.core import CoreStyle, draw_joins
from vest_tucker.drawing.explanation import draw_explanation
from vest_tucker.drawing.factor import draw_factor
from vest_tucker.drawing.history import draw_history
from vest_tucker.drawing.importance import Parts, draw_importance
from vest_tucker.drawing.relations import draw_relations
from vest_tucker.drawing.residuals import draw_residuals
from vest_tucker.drawing.responsibilities import draw_responsibilities
from vest_tucker.drawing.slices import SLICES, draw_slices
from vest_tucker.drawing.tools.canvas import Axes, Figure, ManyAxes
from vest_tucker.drawing.tools.order import BUDGET
from vest_tucker.model.cells import CellsLike
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import HowUnseen


@public
class ModelPlots:
    """The pictures of a model, made with Matplotlib: ``model.plot.relations()`` and others.

    Every method draws on the axes given as ``ax``, or makes a figure of a fitting size; it returns
    the axes and never shows anything. Component numbers are those of the model, names that `name`
    gave are used, and every column is positive on balance, as by `TuckerModel.oriented`. What does
    not fit is left out, and the picture says so, as in "40 of 6,040 shown". No picture needs its
    colours: what is negative is hollow or hatched, lines differ in style and markers.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("who", "dish"))
    >>> ax = model.plot.factor("dish")
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['dish 0']
    """

    def __init__(self, model: TuckerModel) -> None:
        self._model = model

    def __repr__(self) -> str:
        names = ", ".join(name for name in vars(type(self)) if not name.startswith("_"))
        return f"ModelPlots({names})"

    def importance(self, *, of: Parts = "components", n: int = 30, ax: Axes | None = None) -> Axes:
        """Draw how much each component, or each relation, carries.

        A bar is the growth of the squared error without it, relative to what always predicting the
        mean leaves. The frame behind it is `TuckerModel.importance_frame`.

        Parameters
        ----------
        of : {"components", "relations"}
        n : int
            How many bars, at most.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        return draw_importance(self._model, of=of, n=_number(n), ax=ax)

    def relations(
        self, *, n: int = 6, labels: int = 5, figure: Figure | None = None, ax: Any = None
    ) -> ManyAxes:
        """Draw the strongest relations: a row each, a column per mode, labels with bars.

        A bar is what the label adds where all others are typical of their groups, in the unit of
        the values. The two poles of a component, labels of positive and of negative weight, stand
        apart: values are higher where labels of the same side meet, and lower where labels of
        opposite sides do. Labels with few entries step back. Modes with an order, as hours and
        dates, are drawn as profiles over all labels. The frames behind it are those of
        `TuckerModel.describe` and `TuckerModel.factor_frame`.

        Parameters
        ----------
        n : int
            How many relations, at most.
        labels : int
            How many labels of each pole, at most.
        figure : matplotlib Figure or SubFigure, optional
            Where to put the axes; by default a new figure.
        ax : array of matplotlib.axes.Axes, optional
            Axes to draw on, as many as relations times modes.

        Returns
        -------
        ndarray of Axes, shape (relations, modes)
        """
        return draw_relations(
            self._model, n=_number(n), labels=_number(labels, "labels"), figure=figure, ax=ax
        )

    def core(
        self,
        *,
        style: CoreStyle = "joins",
        n: int | None = None,
        modes: tuple[str | int, str | int] | None = None,
        figure: Figure | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw which components the core joins, and how strongly.

        The frame behind it is `TuckerModel.core_frame`, of `TuckerModel.oriented`.

        Parameters
        ----------
        style : {"joins", "slices"}
            "joins" is a row per relation, with dots at the components that it joins and a bar for
            its size. "slices" are the elements themselves, over the components of two modes.
        n : int, optional
            How many relations, or slices, at most; by default 40 or 12.
        modes : pair of (str or int), optional
            The modes down and across, for slices; by default the two of the largest ranks.
        figure : matplotlib Figure or SubFigure, optional
            Where to put slices; by default a new figure.
        ax : matplotlib.axes.Axes, or an array of them for slices, optional

        Returns
        -------
        Axes, or ndarray of Axes for slices
        """
        check_choice("style", style, get_args(CoreStyle))
        if style == "joins":
            return draw_joins(self._model, n=_number(BUDGET if n is None else n), ax=ax)
        number = _number(SLICES if n is None else n)
        return draw_slices(self._model, modes=modes, n=number, figure=figure, ax=ax)

    def factor(
        self,
        mode: str | int,
        *,
        n: int = BUDGET,
        ordered: bool | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw which labels of a mode belong to which components.

        A square is a weight, its area relative to the largest of the component; hollow ones are
        negative. Labels are ordered by the component that they are strongest in. Those with an
        order, as hours and dates, keep it, and the components are profiles from top to bottom. The
        frame behind it is `TuckerModel.factor_frame`, of `TuckerModel.oriented`.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        n : int
            How many labels, at most; of an order all are drawn, and at most so many named.
        ordered : bool, optional
            Whether the labels have an order; by default numbers and dates do, if there are not too
            many numbers.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        return draw_factor(self._model, mode, n=_number(n), ordered=ordered, ax=ax)

    def explain(
        self, cell: CellsLike, *, n: int = 15, unseen: HowUnseen = "mean", ax: Axes | None = None
    ) -> Axes:
        """Draw what one prediction is made of: mean, biases, a bar per term, and their sum.

        The frame behind it is that of `TuckerModel.explain`.

        Parameters
        ----------
        cell : array_like, dict or frame
            One cell, as for `TuckerModel.predict`.
        n : int
            How many terms, at most; the smallest others are added up in one bar more, so that the
            sum is complete.
        unseen : {"mean", "zero", "error"}
            As for `TuckerModel.predict`.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        found = self._model.explain(cell, unseen=unseen)
        return draw_explanation(self._model, found, n=_number(n), ax=ax)

    def history(self, *, ax: Axes | None = None) -> Axes:
        """Draw error and zeros over the iterations of the fit, and where and why it ended.

        The frame behind it is `TuckerModel.history_frame`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        return draw_history(self._model, ax=ax)

    def responsibilities(self, X: SparseTensor, *, ax: Axes | None = None) -> Axes:
        """Draw how unevenly the elements of core and factors carry, from most to least.

        The responsibility of an element is the growth of the squared error without it, here over
        the squared norm of the values. The frame behind it is `TuckerModel.responsibility_frame`.

        Parameters
        ----------
        X : SparseTensor
            The entries to measure it on, such as those fitted.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        names = ["core", *self._model.modes]
        parts = self._model.responsibilities(X)
        return draw_responsibilities(names, parts, X.norm**2, ax=ax)

    def residuals(
        self,
        X: SparseTensor,
        *,
        by: str | int | None = None,
        n: int = 30,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw what the model misses of some entries: over its predictions, or by label of a mode.

        The frames behind it are those of `TuckerModel.residuals`.

        Parameters
        ----------
        X : SparseTensor
            The entries, matched by label; those held out of the fit tell most.
        by : str or int, optional
            A mode: its labels in their order, or those with most of the squared error. By default
            residuals are drawn over the predictions.
        n : int
            How many labels, at most.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        return draw_residuals(self._model.residuals(X), by=by, n=_number(n), ax=ax)


def _number(value: int, name: str = "n") -> int:
    return check_whole(name, value, at_least=1)
