"""What a fit tells while it runs: to its progress line, and to the caller's callback."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vest_tucker.base.public import public
from vest_tucker.fitting.algorithm import Outcome
from vest_tucker.fitting.checkpoint.record import recorded_in
from vest_tucker.fitting.state import FitState
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.model import TuckerModel


@public
class RunningFit:
    """A fit between two iterations, as a callback of two arguments sees it.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    >>> def look(record, running):
    ...     if record.iteration == 3:
    ...         print(running.model().n_iter)
    >>> _ = vt.fit(X, ranks=2, preset="paper", lam=0.01, max_iter=5, seed=0, callback=look)
    3
    """

    def __init__(
        self, state: FitState, lam: float, model_of: Callable[[Outcome], TuckerModel]
    ) -> None:
        self._state, self._lam, self._model_of = state, lam, model_of

    def model(self) -> TuckerModel:
        """Return the model as it stands, as if the fit had ended here; the fit does not change.

        Its error is the one measured last: pruning that followed may have raised it since.
        """
        now = self._state.copy()
        record = now.history[-1]
        judged = record.error if np.isnan(record.validation_error) else record.validation_error
        return self._model_of(
            Outcome(now.core, now.factors, record.error, judged, now.history, "", self._lam)
        )


@dataclass(frozen=True)
class Listener:
    """Who hears of each iteration."""

    show: Callable[[IterationRecord], None]
    callback: Callable[..., object] | None
    model_of: Callable[[Outcome], TuckerModel]
    lam: float

    def tell(self, state: FitState) -> bool:
        """Show an iteration and call back; return whether the caller wants to stop.

        Only True itself stops, so that a callback may return whatever it happens to.
        """
        record = state.history[-1]
        self.show(record)
        if self.callback is None:
            return False
        more = [RunningFit(state, self.lam, self.model_of)] if wants_two(self.callback) else []
        with recorded_in(None):  # fits that a callback makes are its own
            answer = self.callback(record, *more)
        return isinstance(answer, bool | np.bool_) and bool(answer)


def wants_two(callback: Callable[..., object]) -> bool:
    """Tell whether a function cannot be called with one argument, but with two.

    Examples
    --------
    >>> wants_two(lambda record, running: None), wants_two(lambda record, verbose=True: None)
    (True, False)
    >>> wants_two([].append)
    False
    """
    try:
        parameters = inspect.signature(callback).parameters.values()
    except (TypeError, ValueError):  # compiled functions may not tell
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [
        each for each in parameters if each.kind in positional and each.default is each.empty
    ]
    return len(required) == 2
