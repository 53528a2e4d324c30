"""A plain call of `vt.fit`, from its arguments to the model: `penalty="bayes"`."""

from __future__ import annotations

import dataclasses
import math
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from vest_tucker._core import __version__
from vest_tucker.base import checks
from vest_tucker.base.errors import EmptyModelWarning, ScaleError
from vest_tucker.base.interrupts import deferred_interrupt
from vest_tucker.base.options import (
    generator,
)
from vest_tucker.base.parts import CORE
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import entries_per_row, totals_per_row
from vest_tucker.data.tensor import SparseTensor, require_tensor, require_unchanged
from vest_tucker.fitting.algorithm import Outcome
from vest_tucker.fitting.callback import Listener
from vest_tucker.fitting.checkpoint.file import drawn
from vest_tucker.fitting.checkpoint.record import beside
from vest_tucker.fitting.checkpoint.settings import OF_THE_RUN, data_of
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.bases import clear_dead_columns
from vest_tucker.fitting.noise.best import Search
from vest_tucker.fitting.noise.finish import Found
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import Parts, Posterior
from vest_tucker.fitting.noise.wanted import (
    OF_THE_PAPER,
    Wanted,
    require_bayes,
    require_memory,
    wanted_of,
)
from vest_tucker.fitting.progress import tell_step
from vest_tucker.fitting.state import FitState
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.measure import constant_error
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.standardize import unit_columns_of_both
from vest_tucker.model.text import level

PENALTY = "bayes"
MOST = 1e60  # norm of the values, at most: priors and variances have powers of it
# Options that are kept elsewhere, are former names of others, or do not change the model.
NOT_TOLD = ({*OF_THE_RUN} - {"threads"}) | {"loss", "seed", "ranks"}
NOT_STORED = ("validation", "init", "warm_start", "support", "keep", "fixed", "callback")


class Stopped(Exception):  # noqa: N818 - not an error
    """The callback wants the fit to end."""


def fit_best(
    X: SparseTensor, arguments: Mapping[str, Any], defaults: Mapping[str, Any]
) -> TuckerModel:
    """Fit with variances; ``arguments`` are those of `fit`, ``defaults`` its own."""
    began = time.perf_counter()
    call = Prepared.of(X, arguments, defaults)
    builder = Builder(X, call.arguments, call.made, began)
    return builder.fit(call.wanted, generator(call.seed))


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A call whose arguments have been checked.

    Attributes
    ----------
    arguments : dict
        Those of `fit`.
    wanted : Wanted
    seed : int
        The one given, or drawn.
    made : dict
        How models of this call are made.
    """

    arguments: Mapping[str, Any]
    wanted: Wanted
    seed: Any
    made: dict[str, Any]

    @classmethod
    def of(
        cls,
        X: SparseTensor,
        arguments: Mapping[str, Any],
        defaults: Mapping[str, Any],
        *,
        who: str = "fit",
        models: float = 3,
    ) -> Prepared:
        """Check the arguments of `fit`, and that there is memory for so many models."""
        arguments = {**arguments, "nonnegative": _listed(arguments["nonnegative"])}
        require_tensor(X, who)
        require_bayes(arguments, defaults)
        wanted = wanted_of(X, arguments)
        require_unchanged(X)
        _require_scale(X)
        if arguments["check_memory"]:
            require_memory(X, wanted, models)
        seed = _seed(arguments["seed"])
        return cls(arguments, wanted, seed, _made(X, arguments, seed, wanted.ranks))


@dataclasses.dataclass
class Builder:
    """Runs a search, and makes a model of what it finds."""

    X: SparseTensor
    arguments: Mapping[str, Any]
    made: dict[str, Any]
    began: float
    search: Search | None = None
    current: Posterior | None = None

    def fit(self, wanted: Wanted, rng: np.random.Generator) -> TuckerModel:
        """Return the model; what an interrupt leaves if one comes after the first sweep."""
        self.search = Search(self.X, wanted, rng, Journal(self._teller()))
        try:
            with beside(rng):
                return self.model_of(self.search.run())
        except (KeyboardInterrupt, Stopped) as stop:
            if self.current is None or not math.isfinite(self.current.error):
                raise KeyboardInterrupt from None
            stopped = "callback" if isinstance(stop, Stopped) else "interrupted"
            return self.unfinished(stopped)
        finally:  # they refer to this, and would keep their working space until that is noticed
            self.search = self.current = None

    def _teller(self) -> Callable[[IterationRecord, Posterior], None]:
        listener = Listener(tell_step, self.arguments["callback"], self._as_it_stands, math.nan)

        def tell(record: IterationRecord, posterior: Posterior) -> None:
            self.current = posterior
            if self.search is not None and self.search.finishing:
                self.search.complete = None
            state = FitState(posterior.parts.core, posterior.parts.factors, history=[record])
            if listener.tell(state):
                raise Stopped

        return tell

    def _as_it_stands(self, outcome: Outcome) -> TuckerModel:
        del outcome  # a copy of parts that `current` has with their variances
        return self.unfinished("")

    def unfinished(self, stopped: str) -> TuckerModel:
        """Return the model of the fit that is under way.

        After an interrupt, while structures are compared, that of the best complete fit, if any.
        """
        assert self.current is not None
        assert self.search is not None
        posterior, history, complete = self.current, self.search.history, self.search.complete
        if stopped == "interrupted" and complete is not None and complete.fits:
            posterior, history = complete.fits[0], complete.journal.history
        target = posterior.target
        return self._model(
            posterior.parts.copy(), posterior.priors.noise,
            offset=target.offset, error=posterior.error * target.norm / target.X.norm,
            history=list(history), stopped=stopped, nnz=target.X.nnz,
        )  # fmt: skip

    def model_of(self, found: Found) -> TuckerModel:
        """Return the model that a search has found."""
        model = self._model(
            found.parts, found.priors.noise, offset=found.offset, error=found.error,
            history=found.history, stopped="converged", validation_error=found.held_out,
            validation_baseline=found.biases_error, validation_mean=found.mean_error,
            validation_entries=found.n_held, chosen=found.chosen,
            shares=tuple(found.shares), measured=found.measured,
        )  # fmt: skip
        self._warn_if_empty(model)
        if model.constant:  # components belong to pairs of modes: their numbers stay
            return model
        small = model.compact()
        if small.ranks != found.ranks_before:
            small = dataclasses.replace(small, ranks_before=found.ranks_before)
        return small

    def _model(self, parts: Parts, noise: float, **facts: Any) -> TuckerModel:
        with deferred_interrupt() as interrupts:  # half scaled, the work would be lost
            if self.arguments["standardize"]:
                assert self.search is not None
                scale(parts, scaled_modes(self.search.wanted.constraints, self.X.order))
            known = facts_of(self.X, self.made) | facts
            model = TuckerModel(
                parts.core, parts.factors, core_variance=parts.variances[0],
                factor_variances=parts.variances[1:], noise=noise, constant=parts.constant,
                seconds=time.perf_counter() - self.began, **known,
            )  # fmt: skip
        return dataclasses.replace(model, stopped="interrupted") if interrupts else model

    def _warn_if_empty(self, model: TuckerModel) -> None:
        assert self.search is not None
        wanted, offset = self.search.wanted, model.offset
        # A plain call may find that there is nothing to find; its summary says so.
        asked = wanted.sparsity != "auto" or not wanted.free
        if model.is_zero and not model.offset_is_exact and asked:
            warn(
                f"the model predicts {level(None if offset is None else offset.kind)} everywhere: "
                f"lower the sparsity, or nonnegative=, support=, keep= and fixed= leave nothing "
                f"that could fit",
                EmptyModelWarning,
            )


def facts_of(X: SparseTensor, made: dict[str, Any]) -> dict[str, Any]:
    """Return what a model tells of the entries that it was fitted to, and how it was made."""
    return {
        "baseline_error": constant_error(X.mean, X), "loss": PENALTY, "nnz": X.nnz,
        "modes": X.modes, "labels": X.labels, "entries": entries_per_row(X.coords, X.shape),
        "row_totals": _row_totals(X), "made": made,
        "value_range": (float(X.values.min()), float(X.values.max())),
    }  # fmt: skip


def scaled_modes(constraints: Constraints, order: int) -> list[int]:
    """Return the modes whose columns get the norm 1: none if the core may not make up for it."""
    fixed = constraints.fixed
    return [] if CORE in fixed else [mode for mode in range(order) if mode + 1 not in fixed]


def scale(parts: Parts, modes: Iterable[int]) -> None:
    """Give the columns of these modes the norm 1, in place; those that have died become zero."""
    clear_dead_columns(parts)
    unit_columns_of_both(
        parts.core, parts.factors, parts.variances[0], parts.variances[1:], modes=modes,
        first=1 if parts.constant else 0,
    )  # fmt: skip


def _row_totals(X: SparseTensor) -> list[Floats] | None:
    return None if X.weights is None else totals_per_row(X.coords, X.shape, X.weights)


def _require_scale(X: SparseTensor) -> None:
    """Raise if the values have no norm, or one whose powers leave the range of doubles."""
    checks.norm(X.norm, X.values)
    if not 1.0 / MOST < X.norm < MOST:
        peak = float(np.abs(X.values).max())
        raise ScaleError(
            f"the values have the norm {X.norm:g} (largest magnitude {peak:g}), whose powers leave "
            f"the range of double precision; divide the values by {peak:g} first"
        )


def _seed(seed: object) -> Any:
    """Return the seed given, or one that is drawn, so that the model can tell it."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**32))
    return drawn(seed)


def _listed(nonnegative: Any) -> Any:
    """Return an option that may be an iterator, which can be read only once, as a list."""
    one = isinstance(nonnegative, bool | np.bool_ | str | int)
    if one or getattr(nonnegative, "ndim", 1) == 0 or not isinstance(nonnegative, Iterable):
        return nonnegative
    return list(islice(nonnegative, 1000))  # a few modes, not range(10**9)


def _made(
    X: SparseTensor, arguments: Mapping[str, Any], seed: Any, ranks: Iterable[int] | None
) -> dict[str, Any]:
    """Return how a model was made, as JSON can hold it."""
    options = {
        name: _plain(value)
        for name, value in arguments.items()
        if name not in (*NOT_STORED, *OF_THE_PAPER, *NOT_TOLD)
    }
    options["ranks"] = "auto" if ranks is None else list(ranks)
    given = [name for name in NOT_STORED if arguments[name] is not None]
    return {
        "options": options,
        "not_stored": given,
        "seed": int(seed) if isinstance(seed, int | np.integer) else None,
        "versions": {
            "vest_tucker": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "data": data_of(X),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return [_plain(each) for each in value]
