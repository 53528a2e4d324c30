"""The methods of TuckerModel that show it: sparsity, labelled frames, other packages' objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.types import Floats
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.labels import ModeLabels
from vest_tucker.model import exports, frames
from vest_tucker.model.offset import Offset


class ModelViews:
    """Methods that read a model; `TuckerModel`, which inherits them, has the fields."""

    core: Floats
    factors: list[Floats]
    modes: tuple[str, ...]
    offset: Offset | None
    core_variance: Floats | None
    factor_variances: list[Floats] | None
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
        ``factor_variances``, the last column, "std_error", has the square root of each.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        nonzero : bool
            Leave out the zeros.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        number = self._named.number(mode)
        factor = self.factors[number]
        labels = self._named.decode(number, np.arange(len(factor)))
        variance = None if self.factor_variances is None else self.factor_variances[number]
        name = self.modes[number]
        columns = frames.factor_columns(factor, labels, name, variance, nonzero=nonzero)
        return make_frame(columns, backend)

    def bias_frame(
        self, mode: str | int, *, nonzero: bool = False, backend: Backend | None = None
    ) -> Any:
        """Return the biases of a mode as a frame: label and value, the largest magnitudes first.

        The options are those of `factor_frame`; a model fitted with ``offset="biases"`` has them.
        """
        number = self._named.number(mode)
        if self.offset is None or not self.offset.biases:
            raise OptionError('the model has no biases; fit(..., offset="biases") gives it some')
        biases = self.offset.biases[number]
        labels = self._named.decode(number, np.arange(len(biases)))
        columns = frames.bias_columns(biases, labels, self.modes[number], nonzero=nonzero)
        return make_frame(columns, backend)

    def core_frame(self, *, nonzero: bool = False, backend: Backend | None = None) -> Any:
        """Return the core as a tidy frame: a component of each mode and the value, strongest first.

        The options are those of `factor_frame`. If the model has a ``core_variance``, the last
        column, "std_error", has the square root of each.
        """
        columns = frames.core_columns(self.core, self.modes, self.core_variance, nonzero=nonzero)
        return make_frame(columns, backend)

    def to_tensorly(self) -> Any:
        """Return the model as a ``tensorly.tucker_tensor.TuckerTensor``.

        An offset becomes one component more in each mode, or two if there are biases.
        """
        return exports.tensorly_tucker(self.core, self.factors, self.offset)

    def to_pyttb(self) -> Any:
        """Return the model as a ``pyttb.ttensor``, an offset included as for `to_tensorly`."""
        return exports.pyttb_ttensor(self.core, self.factors, self.offset)
