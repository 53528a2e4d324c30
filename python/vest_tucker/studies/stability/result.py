"""What came of the same fit from several seeds: one object, for people, frames and programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vest_tucker.base.extras import Later
from vest_tucker.base.html import PAGE_BYTES, preformatted, whole
from vest_tucker.base.options import ProgressOption, check_whole
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import AnyPath
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.drawing.stability import Found, draw_stability
from vest_tucker.model.model import TuckerModel
from vest_tucker.studies.stability import frames, text
from vest_tucker.studies.stability.recurrence import CoreRecurrence, ModeRecurrence, recurrences

if TYPE_CHECKING:
    from vest_tucker.report import model_page
    from vest_tucker.studies.stability import report
else:  # seldom needed
    model_page = Later("vest_tucker.report.model_page")
    report = Later("vest_tucker.studies.stability.report")


@public
@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """What came of the same fit from several seeds; `stability` makes it, printing it tells all.

    The *reference* is the fit of lowest error: it is the one to keep, and it was not chosen for its
    agreement with the others, so what is said of it is not flattered. Its components are looked
    for in all *other* fits.

    Attributes
    ----------
    models : list of TuckerModel
        All fits.
    seeds : list of int
        The seed of each: ``fit(X, ranks, seed=seeds[k])`` with the same options is ``models[k]``.
    best : int
        Which of them is the reference.
    threshold : float
        How similar a component must be to have come back.
    modes : list of ModeRecurrence
        What comes back of each mode, as arrays.
    core : CoreRecurrence
        What comes back of the core, as arrays.
    """

    models: list[TuckerModel]
    seeds: list[int]
    best: int
    threshold: float
    modes: list[ModeRecurrence]
    core: CoreRecurrence

    @property
    def reference(self) -> TuckerModel:
        """The fit of lowest error, whose components are looked for in the others."""
        return self.models[self.best]

    def components_frame(self, *, backend: Backend | None = None) -> Any:
        """Return a tidy frame with a row per component of the reference, pruned ones left out.

        Its columns are *mode*, *component*, *returns* (in how many other fits it comes back),
        *share* (of the other fits), *similarity* (mean over them, whether it comes back or not) and
        *chance* (the mean similarity in that mode if the rows of the others are shuffled).

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            What the frame is to be; by default the first of these that is installed.
        """
        return make_frame(frames.component_columns(self), backend)

    def labels_frame(
        self, mode: str | int, *, nonzero: bool = False, backend: Backend | None = None
    ) -> Any:
        """Return a tidy frame of one mode: how each label fares in each component.

        Its columns are the label, called like the mode, *component*, *loading* (the reference's, in
        a column of norm 1), and over the fits in which the component comes back: *share_nonzero*,
        *mean* and *spread* (standard deviation) of the loading, with the signs of the reference.
        They are NaN where the component comes back too seldom.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        nonzero : bool
            Leave out the labels whose loading in the reference is zero.
        backend : {"pandas", "polars", "pyarrow"}, optional
            What the frame is to be; by default the first of these that is installed.
        """
        columns = frames.label_columns(self, mode, nonzero=nonzero)
        return make_frame(columns, backend)

    def core_frame(self, *, backend: Backend | None = None) -> Any:
        """Return a tidy frame with a row per interaction, a core element that is not zero.

        Its columns are the component of each mode, *value* (the reference's, all factors having
        columns of norm 1), *returns* and *share* (the other fits where all of its components come
        back and the element has the same sign), *mean* and *spread* over those.
        """
        return make_frame(frames.interaction_columns(self), backend)

    def plot(self, *, n: int = 40, ax: Any = None) -> Any:
        """Draw how similar the partners of each component are, beside what chance would give.

        The frame behind it is `components_frame`; pruned components are left out.

        Parameters
        ----------
        n : int
            How many components, at most.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.

        Returns
        -------
        Axes
        """
        found = [
            Found(
                self.reference.title(mode, j), each.similarity[:, j],
                int(each.returned[:, j].sum()), each.chance,
            )
            for mode, each in enumerate(self.modes) for j in np.flatnonzero(each.exists).tolist()
        ]  # fmt: skip
        return draw_stability(found, self.threshold, n=check_whole("n", n, at_least=1), ax=ax)

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
        """Write a page about what comes back: one file of HTML, for any browser.

        It says which groups, labels and relations of the reference come back in the other fits, and
        then all that `TuckerModel.report` says of the reference; the options are the same.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.datasets.demo()
        >>> found = vt.stability(X, 4, 2, preset="paper", lam=0.01, max_iter=20, seed=0)
        >>> found.report("stability.html", title="Who orders what when")
        """
        choices = model_page.Choices(title, note, unit, budget)
        with watched(progress, "report"):
            model_page.report_model(self.reference, path, choices, [report.stability_section(self)])

    def __repr__(self) -> str:
        return f"Stability(fits={len(self.models)}, reference={self.reference!r})"

    def __str__(self) -> str:
        return shown_lines(text.lines(self))

    def _repr_html_(self) -> str:
        return whole([preformatted(text.lines(self))])


def compare(models: list[TuckerModel], seeds: list[int], threshold: float) -> Stability:
    """Look for the components of the best model in all others."""
    # A model of zeros may have the lowest error if the others are worse than that.
    best = min(range(len(models)), key=lambda k: (models[k].is_zero, models[k].error))
    others = models[:best] + models[best + 1 :]
    return Stability(models, seeds, best, threshold, *recurrences(models[best], others, threshold))
