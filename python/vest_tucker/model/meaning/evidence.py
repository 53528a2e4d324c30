"""The methods of TuckerModel that show evidence: its history, and what its elements carry.

They return frames and arrays; ``model.plot``, which is here too, draws them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vest_tucker.base.extras import Later
from vest_tucker.base.options import check_threads
from vest_tucker.base.types import Floats
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model.frames import COMPONENT, VALUE, free_name
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.meaning.importance import solver_of
from vest_tucker.model.views import ModelViews

if TYPE_CHECKING:
    from vest_tucker.drawing import model_plots
    from vest_tucker.drawing.model_plots import ModelPlots
    from vest_tucker.model.model import TuckerModel
else:
    model_plots = Later("vest_tucker.drawing.model_plots")  # drawing imports the model

RESPONSIBILITY = "responsibility"


class ModelEvidence(ModelViews):
    """Methods that show evidence; `TuckerModel`, which inherits them, has the fields."""

    history: list[IterationRecord]

    @property
    def plot(self) -> ModelPlots:
        """Pictures of the model, as ``model.plot.relations()``; see `ModelPlots` for all."""
        return model_plots.ModelPlots(cast("TuckerModel", self))

    def history_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the history as a frame: a row per iteration, a column per field of its record.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        names = [each.name for each in dataclasses.fields(IterationRecord)]
        records = self.history
        columns = {name: np.array([getattr(each, name) for each in records]) for name in names}
        return make_frame(columns, backend, self._named.library)

    def responsibilities(self, X: SparseTensor, *, threads: int = 0) -> list[Floats]:
        """Return by how much the squared error grows without each element, all else unchanged.

        This is what pruning goes by (the paper's responsibility, before it is divided by the norm).
        The sum over a column of a factor is the growth without the whole component.

        Parameters
        ----------
        X : SparseTensor
            The entries to measure it on, matched by label; the model must know all their labels.
        threads : int
            How many threads to use; 0 means all.

        Returns
        -------
        list of ndarray
            Arrays of the shapes of the core and of each factor.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
        >>> model = vt.TuckerModel([[1.0]], [[[3.0], [3.0]], [[1.0]]])
        >>> [part.tolist() for part in model.responsibilities(X)]
        [[[24.0]], [[9.0], [15.0]], [[24.0]]]
        """
        whole = cast("TuckerModel", self)
        solver, _ = solver_of(whole, X, "responsibilities", threads=check_threads(threads))
        return [solver.responsibilities(part).copy() for part in range(solver.order + 1)]

    def responsibility_frame(
        self, mode: str | int, X: SparseTensor, *, backend: Backend | None = None
    ) -> Any:
        """Return what each non-zero element of a factor carries: label, component, value.

        The last column, *responsibility*, is as in `responsibilities`; the largest come first.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        X : SparseTensor
            The entries to measure it on, as for `responsibilities`.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        number = self._named.number(mode)
        carried = self.responsibilities(X)[number + 1]
        rows, components = np.nonzero(self.factors[number])
        order = np.argsort(-carried[rows, components], kind="stable")
        rows, components = rows[order], components[order]
        columns = {
            free_name(self.modes[number], (COMPONENT, VALUE, RESPONSIBILITY)): self._named.decode(
                number, rows
            ),
            COMPONENT: components,
            VALUE: self.factors[number][rows, components],
            RESPONSIBILITY: carried[rows, components],
        }
        return make_frame(columns, backend, self._named.library)
