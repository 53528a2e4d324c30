"""The function vt.stability: makes the same fit from several seeds and compares the models."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.interrupts import Interrupts, deferred_interrupt, loading
from vest_tucker.base.options import (
    OnInterrupt,
    ProgressOption,
    check_on_interrupt,
    check_real,
    check_whole,
    generator,
)
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import Step, step, watched
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.fitting.checkpoint.file import recording
from vest_tucker.fitting.fit import (
    defaults_of_fit,
    fit,
    fit_problem,
    problem_of,
    require_no_holdout,
)
from vest_tucker.fitting.options import with_preset
from vest_tucker.model.model import TuckerModel
from vest_tucker.studies.beside import made_elsewhere
from vest_tucker.studies.heard import Heard
from vest_tucker.studies.kept import kept_model

if TYPE_CHECKING:
    from vest_tucker.studies.stability.result import Stability

FitFrom: TypeAlias = Callable[[int], TuckerModel]
NOT_PASSED_ON = {
    "init": "the fits must differ in their random starts",
    "warm_start": "all fits would have the same start and the same result",
    "callback": "if you need one, call fit with each of the seeds",
}


@public
def stability(
    X: SparseTensor,
    ranks: int | Iterable[int] | Mapping[str | int, int] | Literal["auto"] = "auto",
    n_seeds: int = 10,
    *,
    threshold: float = 0.8,
    seed: int | np.random.Generator | None = None,
    progress: ProgressOption = "auto",
    on_interrupt: OnInterrupt = "return",
    **options: Any,
) -> Stability:
    """Fit the same tensor from several seeds and tell which components come back.

    The result of a fit depends on its start. A component that is found from most starts is a
    property of the data; a component that is found once may be a property of the start. Components
    of two fits are matched one to one, mode by mode, whatever their order and signs, so that the
    sum of their similarities (magnitudes of cosines) is highest. The fits may have found different
    ranks, or even structures: a component without a counterpart has not come back. Constant columns
    say nothing and are not among the components.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    ranks : "auto", int, sequence of int or dict
        As for `fit`.
    n_seeds : int
        How many fits to make, at least 2.
    threshold : float
        A component comes back in another fit if the similarity with its match there is at least
        this, above 0 and at most 1.
    seed : int, numpy.random.Generator or None
        The seed that the seeds of the fits are drawn with. With a larger ``n_seeds`` the first fits
        are the same.
    progress : bool or "auto"
        As for `fit`.
    on_interrupt : {"return", "raise"}
        What Ctrl-C does once a fit is complete: return the result of the complete fits, with a
        warning; or raise KeyboardInterrupt, whose attribute ``partial`` is that result. A second
        Ctrl-C always raises.
    **options
        Any other option of `fit`, except ``init``, ``warm_start`` and ``callback``. One
        ``checkpoint`` is for all fits. With ``penalty="bayes"``, the plain call's, a seed also
        draws the entries that are held out.

    Returns
    -------
    Stability
        After Ctrl-C it is the result of the complete fits, as ``on_interrupt`` says. Before the
        first fit is complete, Ctrl-C raises KeyboardInterrupt as usual.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    >>> result = vt.stability(X, n_seeds=3, seed=0)
    >>> result.modes[0].returned.tolist()  # two other fits, two components
    [[True, True], [True, True]]
    >>> vt.fit(X, seed=result.seeds[1]).error == result.models[1].error
    True
    """
    with loading():  # seldom needed, so not with the package
        from vest_tucker.studies.stability.matching import assignment_solver
        from vest_tucker.studies.stability.result import compare

    require_options(options)
    require_tensor(X, "stability")
    arguments = with_preset({**defaults_of_fit(), **options, "ranks": ranks})
    n_seeds = check_whole("n_seeds", n_seeds, at_least=2)
    threshold = check_threshold(threshold)
    assignment_solver()  # raises before the fits if SciPy is missing

    call = {**arguments, "n_seeds": n_seeds, "threshold": threshold, "seed": seed}
    with (
        recording("stability", X, call) as recorded,
        Interrupts(check_on_interrupt(on_interrupt)) as interrupts,
        watched(progress, "stability", n_seeds, "fit") as fits,
    ):
        seeds: list[int] = generator(recorded["seed"]).integers(2**63 - 1, size=n_seeds).tolist()
        models, heard = run(X, seeds, {**arguments, "checkpoint": None}, fits)
        with deferred_interrupt() as meanwhile:
            result = compare(models, seeds[: len(models)], threshold)
        heard.tell(len(models))
        said = (
            f"interrupted after {len(models)} of {n_seeds} fits; the result is that of these, and "
            f"the same seed gives all of them"
        )
        stopped = interrupts.came or meanwhile or len(models) < n_seeds
        return interrupts.answer(result, said if stopped else "")


def run(
    X: SparseTensor, seeds: list[int], arguments: Mapping[str, Any], fits: Step
) -> tuple[list[TuckerModel], Heard]:
    """Fit from each seed until interrupted; return complete fits and their warnings."""
    models: list[TuckerModel] = []
    heard = Heard()
    make = noisy_fits if arguments["penalty"] == "bayes" else paper_fits
    alone = partial(fit_alone, make=make, arguments=arguments)
    fit_from = made_elsewhere(X, alone, seeds) or make(X, arguments)
    for seed in seeds:
        try:
            with heard.listening():
                model = kept_model(partial(fit_from, seed), X)
        except KeyboardInterrupt:
            break
        if model.stopped == "interrupted":
            break  # an incomplete fit must not be compared
        models.append(model)
        fits.advance()
        heard.keep()
    if not models:
        raise KeyboardInterrupt
    return models, heard


def fit_alone(
    X: SparseTensor,
    seed: int,
    *,
    make: Callable[[SparseTensor, Mapping[str, Any]], FitFrom],
    arguments: Mapping[str, Any],
) -> TuckerModel:
    """Make one of the fits, where nothing is shared with the others."""
    return make(X, arguments)(seed)


def paper_fits(X: SparseTensor, arguments: Mapping[str, Any]) -> FitFrom:
    """Return what fits with a penalty of the paper from a seed."""
    require_no_holdout(arguments["holdout"], arguments["penalty"])
    problem = problem_of(X, arguments["ranks"], arguments)  # all fits share its plan

    def fit_from(seed: int) -> TuckerModel:
        with step("fit"):
            return fit_problem(
                problem, generator(seed),
                validation=arguments["validation"], began=time.perf_counter(),
            )  # fmt: skip

    return fit_from


def noisy_fits(X: SparseTensor, arguments: Mapping[str, Any]) -> FitFrom:
    """Return what makes a plain fit from a seed."""

    def fit_from(seed: int) -> TuckerModel:
        options = {**arguments, "on_interrupt": "return"}  # whoever calls this answers
        return fit(X, **{**options, "seed": seed})

    return fit_from


def require_options(options: Mapping[str, Any]) -> None:
    """Raise unless all options can be passed on to `fit`."""
    known = defaults_of_fit()
    for name in options:
        if name in NOT_PASSED_ON:
            raise OptionError(f"{name} is not an option of stability: {NOT_PASSED_ON[name]}")
        if name not in known:
            import difflib  # takes long to load, and is seldom needed

            passed_on = [each for each in known if each not in NOT_PASSED_ON]
            close = difflib.get_close_matches(name, [*passed_on, "n_seeds", "threshold"], n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(passed_on)}"
            raise TypeError(f"{name} is not an option of fit or stability; {hint}")


def check_threshold(threshold: float) -> float:
    """Return a similarity above 0 and at most 1."""
    number = check_real("threshold", threshold, above=True)
    if number > 1.0:
        raise OptionError(f"threshold is {threshold!r}; similarities are at most 1, so choose less")
    return number
