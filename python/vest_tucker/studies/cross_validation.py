"""How good a fit is on entries that it has not seen, over several folds: `vt.cross_validate`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import OptionError
from vest_tucker.base.html import table
from vest_tucker.base.interrupts import Interrupts, deferred_interrupt
from vest_tucker.base.options import (
    OnInterrupt,
    ProgressOption,
    check_choice,
    check_on_interrupt,
    check_whole,
    generator,
)
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.text_table import text_table
from vest_tucker.base.types import Floats
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.fitting.checkpoint.file import recording
from vest_tucker.fitting.fit import defaults_of_fit, fit
from vest_tucker.fitting.offset import baseline
from vest_tucker.model.measure import Errors
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.text import times
from vest_tucker.studies.beside import made_elsewhere
from vest_tucker.studies.heard import Heard
from vest_tucker.studies.kept import kept_model

Metric: TypeAlias = Literal["relative_error", "rmse", "mae"]
WORDS = {
    "relative_error": "relative error",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
}
HEAD = ("fold", "entries", "model", "mean", "biases", "zeros", "parameters", "seconds")


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold: the errors on its entries, of models fitted to all others.

    Attributes
    ----------
    n_entries : int
        How many entries it has.
    model, mean, biases : Errors
        Relative, root mean squared and mean absolute error of the fit, of always predicting the
        mean, and of mean and biases.
    """

    n_entries: int
    model: Errors
    mean: Errors
    biases: Errors


@public
@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation:
    """The errors of a fit on each fold, as `cross_validate` returns them; ``print`` shows all.

    Attributes
    ----------
    metric : {"relative_error", "rmse", "mae"}
        Which error is shown and averaged.
    folds : tuple of Fold
        All errors on each fold, beside those of the mean and of biases.
    models : list of TuckerModel
        The models, one for each fold, fitted to the entries of all others.
    """

    metric: Metric
    folds: tuple[Fold, ...]
    models: list[TuckerModel] = field(repr=False)

    def __len__(self) -> int:
        return len(self.folds)

    @property
    def errors(self) -> Floats:
        """The error on each fold."""
        return self._of("model")

    @property
    def mean_errors(self) -> Floats:
        """The error of always predicting the mean on each fold."""
        return self._of("mean")

    @property
    def biases_errors(self) -> Floats:
        """The error of mean and biases on each fold."""
        return self._of("biases")

    @property
    def error(self) -> float:
        """The mean error over all folds."""
        return float(self.errors.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of that mean; NaN if there is one fold alone."""
        n = len(self)
        return float(self.errors.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan

    def _of(self, what: str) -> Floats:
        return np.array([getattr(getattr(fold, what), self.metric) for fold in self.folds])

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return a frame with a row per fold: errors, zeros, parameters and seconds.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        columns = {
            "fold": np.arange(len(self)),
            "entries": np.array([fold.n_entries for fold in self.folds]),
            "model": self.errors,
            "mean": self.mean_errors,
            "biases": self.biases_errors,
            "zeros": np.array([model.sparsity for model in self.models]),
            "parameters": np.array([model.n_parameters for model in self.models]),
            "seconds": np.array([model.seconds for model in self.models]),
        }
        return make_frame(columns, backend)

    def _rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the texts of each fold, and of their means."""
        for number, (fold, model) in enumerate(zip(self.folds, self.models, strict=True)):
            errors = [getattr(each, self.metric) for each in (fold.model, fold.mean, fold.biases)]
            yield (
                str(number), f"{fold.n_entries:,}", *(f"{each:#.4g}" for each in errors),
                f"{100 * model.sparsity:.0f} %", f"{model.n_parameters:,}", f"{model.seconds:.3g}",
            )  # fmt: skip
        means = (self.errors, self.mean_errors, self.biases_errors)
        yield ("all", "", *(f"{each.mean():#.4g}" for each in means), "", "", "")

    def _verdict(self) -> str:
        better = int((self.errors < np.minimum(self.mean_errors, self.biases_errors)).sum())
        spread = "" if math.isnan(self.standard_error) else f" ± {self.standard_error:.2g}"
        return (
            f"{WORDS[self.metric]} {self.error:#.4g}{spread}; better than mean and biases in "
            f"{better} of {len(self)} folds"
        )

    def __repr__(self) -> str:
        return f"CrossValidation({len(self)} folds, {self._verdict()})"

    def __str__(self) -> str:
        shape = times(self.models[0].shape)
        lines = text_table([HEAD, *self._rows()])
        return "\n".join([f"{len(self)} folds of a {shape} tensor", *lines, f"  {self._verdict()}"])

    def _repr_html_(self) -> str:
        return table(HEAD, self._rows(), numbers=range(len(HEAD)))


@public
def cross_validate(
    X: SparseTensor,
    k: int = 5,
    *,
    metric: Metric = "relative_error",
    seed: int | np.random.Generator | None = None,
    progress: ProgressOption = "auto",
    on_interrupt: OnInterrupt = "return",
    **options: Any,
) -> CrossValidation:
    """Fit k times, each time without one of k parts of the entries, and measure on that part.

    Every entry is held out once. Beside each fit, the mean and biases of the same entries are
    measured, which a model has to beat.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    k : int
        How many folds, at least 2.
    metric : {"relative_error", "rmse", "mae"}
        Which error is shown and averaged; the folds of the result have all of them.
    seed : int, numpy.random.Generator or None
        The seed that entries are dealt to folds by, and that the seeds of the fits are drawn with.
    progress : bool or "auto"
        As for `fit`.
    on_interrupt : {"return", "raise"}
        What Ctrl-C does once a fold is complete: return the result of the complete folds, with a
        warning; or raise KeyboardInterrupt, whose attribute ``partial`` is that result. A second
        Ctrl-C always raises.
    **options
        Options of `fit`: ``ranks``, ``preset`` and so on.

    Returns
    -------
    CrossValidation
        After Ctrl-C it is the result of the complete folds, as ``on_interrupt`` says. Before the
        first is complete, Ctrl-C raises KeyboardInterrupt as usual.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=1500, noise=0.2, seed=0)
    >>> result = vt.cross_validate(X, k=3, seed=0)
    >>> (result.errors < 0.5 * result.biases_errors).tolist()
    [True, True, True]
    """
    require_tensor(X, "cross_validate")
    unknown = [name for name in options if name not in ("ranks", *defaults_of_fit())]
    if unknown:
        raise OptionError(f"cross_validate takes the options of fit, and {unknown[0]!r} is none")
    check_choice("metric", metric, get_args(Metric))
    k = check_whole("k", k, at_least=2)
    if k > X.nnz:
        raise OptionError(f"k is {k}, but there are only {X.nnz} entries; choose fewer folds")
    call = {**defaults_of_fit(), "ranks": "auto", **options, "k": k, "metric": metric, "seed": seed}
    with (
        recording("cross_validate", X, call) as recorded,
        Interrupts(check_on_interrupt(on_interrupt)) as interrupts,
        watched(progress, "cross_validate", k, "fold") as done,
    ):
        heard = Heard()
        found: list[tuple[Fold, TuckerModel]] = []
        for fold, model in complete_folds(X, k, generator(recorded["seed"]), options, heard):
            found.append((fold, model))
            done.advance(words=f"{WORDS[metric]} {getattr(fold.model, metric):#.4g}")
        if not found:
            raise KeyboardInterrupt
        with deferred_interrupt() as late:
            heard.tell(len(found))
            folds, models = zip(*found, strict=True)
            result = CrossValidation(metric, folds, list(models))
        said = (
            f"interrupted after {len(found)} of {k} folds; the result is that of these, and the "
            f"same seed gives all of them"
        )
        stopped = interrupts.came or late or len(found) < k
        return interrupts.answer(result, said if stopped else "")


def complete_folds(
    X: SparseTensor,
    k: int,
    rng: np.random.Generator,
    options: dict[str, Any],
    heard: Heard,
) -> Iterator[tuple[Fold, TuckerModel]]:
    """Yield each fold with its model, until interrupted."""
    dealer = deepcopy(rng)
    fold_of = dealt(X.nnz, k, rng)
    seeds: list[int] = rng.integers(2**63 - 1, size=k).tolist()
    options = {**options, "checkpoint": None}
    items = list(enumerate(seeds))
    elsewhere = made_elsewhere(X, partial(fold_alone, k=k, rng=dealer, options=options), items)
    with suppress(KeyboardInterrupt):
        for number, own in items:
            with heard.listening():
                if elsewhere is None:
                    train, test = X.subset(fold_of != number), X.subset(fold_of == number)
                    model = kept_model(partial(fit, train, **{**options, "seed": own}), train)
                else:
                    fold, model = elsewhere((number, own))
            if model.stopped == "interrupted":
                break  # an incomplete fit must not be measured
            if elsewhere is None:
                fold = measured(model, train, test)
            heard.keep()
            yield fold, model


def dealt(nnz: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each entry."""
    fold_of = np.empty(nnz, dtype=np.int64)
    fold_of[rng.permutation(nnz)] = np.arange(nnz) % k
    return fold_of


def fold_alone(
    X: SparseTensor,
    item: tuple[int, int],
    *,
    k: int,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> tuple[Fold, TuckerModel]:
    """Fit to all folds but one, and measure, where nothing is shared with the others."""
    number, seed = item
    fold_of = dealt(X.nnz, k, deepcopy(rng))
    train, test = X.subset(fold_of != number), X.subset(fold_of == number)
    model = fit(train, **{**options, "seed": seed})
    return measured(model, train, test), model


def measured(model: TuckerModel, train: SparseTensor, test: SparseTensor) -> Fold:
    """Measure a model on entries that it was not fitted to, beside mean and biases."""
    biases = baseline(train, "biases")
    predictions = (model.predict(test), train.mean, biases.predict(test))
    return Fold(test.nnz, *(Errors.of(each, test) for each in predictions))
