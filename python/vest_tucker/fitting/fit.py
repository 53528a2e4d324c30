"""The call `vt.fit`: check the options, make the problem, run Algorithm 1 from each start."""

from __future__ import annotations

import dataclasses
import inspect
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.errors import EmptyModelWarning, OptionError, RankError
from vest_tucker.base.interrupts import Interrupts, deferred_interrupt
from vest_tucker.base.options import (
    Allocation,
    LamRows,
    OffsetKind,
    OnInterrupt,
    ProgressOption,
    check_on_interrupt,
    generator,
    penalty_kind,
)
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import step, underway, watched
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import AnyPath
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.algorithm import Outcome, fit_from
from vest_tucker.fitting.callback import Listener
from vest_tucker.fitting.checkpoint.file import recording
from vest_tucker.fitting.constraints import Where
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.engine import plain_solver
from vest_tucker.fitting.lam_search import Choice, decide
from vest_tucker.fitting.options import FitOptions, same_as, with_preset
from vest_tucker.fitting.penalty import lam_of, lam_scale
from vest_tucker.fitting.problem import FitFacts, Problem, check_and_make_problem
from vest_tucker.fitting.progress import tell_step, zeros
from vest_tucker.fitting.starts import check_init, starts
from vest_tucker.fitting.starts.start import Start
from vest_tucker.model.criterion import description_length
from vest_tucker.model.meaning.importance import measure
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.standardize import unit_columns
from vest_tucker.model.text import of_all_entries, why_zero

AGAIN = "warm_start=model goes on from there"


@public
def fit(
    X: SparseTensor,
    ranks: int | Iterable[int] | Mapping[str | int, int] | Literal["auto"] = "auto",
    *,
    preset: Literal["best", "paper"] = "best",
    penalty: Literal["bayes", "l1", "lf"] | None = None,
    sparsity: float | Literal["auto"] = "auto",
    allocation: Allocation | None = None,
    offset: OffsetKind | Literal["auto"] | None = "auto",
    holdout: float = 0.1,
    lam: float | Literal["auto"] | None = None,
    lam_core: float | None = None,
    lam_rows: LamRows | None = None,
    scale_lam: bool = True,
    max_iter: int = 100,
    tol: float | None = 1e-4,
    init_prune_rate: float = 0.01,
    max_prune_rate: float = 0.1,
    elbow: float = 0.05,
    revive: bool = True,
    validation: SparseTensor | None = None,
    patience: int = 5,
    init: str | tuple[ArrayLike, Iterable[ArrayLike]] | None = None,
    n_starts: int | None = None,
    warm_start: TuckerModel | None = None,
    nonnegative: bool | str | int | Iterable[str | int] = False,
    support: Mapping[str | int, Where] | None = None,
    keep: Mapping[str | int, Where] | None = None,
    fixed: Mapping[str | int, ArrayLike] | None = None,
    standardize: bool = True,
    seed: int | np.random.Generator | None = None,
    threads: int = 0,
    progress: ProgressOption = "auto",
    callback: Callable[..., object] | None = None,
    on_interrupt: OnInterrupt = "return",
    check_memory: bool = True,
    checkpoint: AnyPath | None = None,
    checkpoint_every: float = 60.0,
    checkpoint_errors: Literal["warn", "raise"] = "warn",
    loss: Literal["bayes", "l1", "lf"] | None = None,
) -> TuckerModel:
    """Factor a partially observed tensor into a sparse core and sparse factors.

    ``vt.fit(X)`` alone finds structure, ranks, penalties and sparsity by itself, and tells how good
    the model is on entries that it has not seen.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    ranks : "auto", int, sequence of int or dict
        J_1, ..., J_N, the dimensions of the core. With ``penalty="bayes"`` these are upper bounds,
        and components that the data do not support are dropped: "auto" starts as large as modes and
        entries allow, one number is for every mode, a dict names some modes as {"user": 8}. In
        models of effects and pairs, the constant and the column of effects come on top. The
        penalties "l1" and "lf" need ranks, and keep them.
    preset : {"best", "paper"}
        The values of options that are not given. "best" is ``penalty="bayes"``,
        ``allocation="global"``, ``offset="auto"``. "paper" is the published algorithm to the
        letter: ``penalty="l1"``, ``allocation="per_matrix"``, no offset, ``lam=5``, the elbow, a
        random start. With a penalty of the paper, all other defaults are the paper's, too.
    penalty : {"bayes", "l1", "lf"}, optional
        "bayes" gives each element a variance beside its value and a prior: penalties, ranks and the
        level of noise follow from the entries. "l1" and "lf" are the paper's penalties on the sum
        of magnitudes or of squares.
    sparsity : "auto" or float
        The share of zeros to prune to; with "bayes", of the elements of rows with entries that are
        not zero or one by design. There "auto" prunes what the entries do not support, as
        far as entries held out are predicted as well as before; with the penalties of the paper it
        prunes until the error shoots up. 0 prunes nothing.
    allocation : {"global", "per_matrix"}, optional
        Where the zeros fall: wherever the least responsible elements are, all in one ranking, or
        the same share in the core and in each factor, as in the paper. "global" spares the rows
        of short modes and keeps far more accuracy; "per_matrix" spreads the zeros evenly.
    offset : {"auto", None, "mean", "biases"}
        What to take off the values first; predictions add it back. "mean" is one number, "biases"
        are the mean and an effect per row of each mode. A row pruned empty then predicts this
        baseline and not 0, and the penalty draws to it. Errors stay relative to the values. "auto"
        is for ``penalty="bayes"``: it compares Tucker models with each of these, and models that
        have mean, effects and interactions of pairs of modes inside the core.
    holdout : float
        With ``penalty="bayes"``: the share of entries that structures are compared on and the
        summary reports; the model is then refitted to all entries. Few entries are split several
        times. 0 holds out none: structures are compared by the error to expect, and nothing is
        measured.
    lam : float or "auto", optional
        The weight of the penalty. It works on the scale of the values squared: values far below
        1 need a smaller one, or with "l1" every element may end up zero. By default 5, as in the
        paper; with an offset, 4 times the mean square of what that leaves, if that is less; with
        ``init="data"`` one that goes with the noise that the burn-ins found. "auto" searches, on a
        tenth of the entries held out, for the weight (and the ``init``, if none is given) that
        predicts them best at the sparsity asked for; the summary tells what it chose.
    lam_core : float, optional
        The same for the core alone; by default it pays as the factors do.
    lam_rows : {"equal", "sqrt", "entries"}, optional
        Whether all rows of a factor pay the same, or each in proportion to its number of entries,
        as in weighted alternating least squares, or to the root of it: one penalty for a row of 20
        entries and one of 2,000 overfits the former or starves the latter. By default "equal", or
        "sqrt" with ``lam="auto"``.
    scale_lam : bool
        Multiply ``lam`` by the number of entries over the number of elements of the model, so
        that one value suits tensors of any size.
    max_iter : int
        At most this many iterations.
    tol : float or None
        Stop when, after pruning, the error falls by no more than this; None runs ``max_iter``.
    init_prune_rate, max_prune_rate : float
        Iteration t prunes the share min(init_prune_rate * t, max_prune_rate) of each part.
    elbow : float
        How sharp a bend of the error ends automatic pruning.
    revive : bool
        Whether the last batch, one too many, may grow again when automatic pruning ends.
    validation : SparseTensor, optional
        Entries to hold back from the fit, in place of ``holdout``; those of cells that ``X`` has as
        well are left out, with a warning. With the penalties of the paper the fit stops when, after
        pruning, their error has not fallen for ``patience`` iterations, and goes back to the state
        that predicted them best.
    patience : int
        How long to wait for that.
    init : {"random", "pairs", "data"} or (core, factors), optional
        The start: random numbers in [0, 1), the paper's and the default, scaled to the values if
        ``nonnegative`` names any part; or "pairs", for ratings and the like, which factors the two
        longest modes as a matrix, leaves the other modes to the offset and prunes only when that
        has settled; or "data", which burns in from several random starts and settles the best of
        them; or the arrays given. From "data" the fit is made twice if it prunes, once in a basis
        turned to be sparse, and the better is kept: by the error on ``validation``, else by that of
        the fit or, if the sparsity is "auto", by the criterion of `path`. Modes that
        ``nonnegative``, ``support``, ``keep`` or ``fixed`` name are not turned, nor any if they
        name the core.
    n_starts : int, optional
        From how many random starts to fit, by default 1; the model of lowest error is kept, on
        ``validation`` if that is given. With ``init="data"`` the number of burn-ins, by default 5.
    warm_start : TuckerModel, optional
        Start where this model stands, rows matched by label. New labels start as the average row
        or, if the model is one of mean, effects and pairs, with no effect; such a model keeps its
        structure.
    nonnegative : bool, or names of parts
        Which parts may have no element below zero: all of them, or these modes and ``"core"``.
    support : dict, optional
        Which elements may differ from zero, by mode (name or number) or ``"core"``: a mask of the
        part's shape, or for a mode a list of pairs (labels, components), whose rows then load on
        these components alone.
    keep : dict, optional
        Which elements are never pruned, said in the same way; many of them may keep the fit from
        the sparsity asked for.
    fixed : dict, optional
        Factors (or the core) that stay as they are given, neither fitted nor pruned nor scaled;
        they do not count for ``sparsity``.
    standardize : bool
        Give the factors columns of norm 1 at the end.
    seed : int, numpy.random.Generator or None
        Where the random start comes from; the same seed gives the same model.
    threads : int
        How many threads to use; 0 means all. The model does not depend on it.
    progress : bool or "auto"
        Whether to show on standard error what is being done and how far it is: by the bars of tqdm
        if it is installed, or else in one line; in files a line a minute. "auto" does that on a
        terminal and in notebooks, from the third second on, and is silent elsewhere.
    callback : callable, optional
        Called with each `IterationRecord`; returning True ends the fit. One that takes two
        arguments is also given a `RunningFit`, whose ``model()`` is the model as it stands.
    on_interrupt : {"return", "raise"}
        What Ctrl-C does once there is a model: return it as it then stands, with
        ``stopped="interrupted"`` and a warning; or raise KeyboardInterrupt, whose attribute
        ``partial`` is that model, so that a loop of fits ends. A second Ctrl-C always raises.
    check_memory : bool
        Refuse, before anything is allocated, a fit that needs more memory than there is.
    checkpoint : path, optional
        A file that says how far the fit is, so that little is lost when the process ends: the same
        call made again goes on from there, to the same bits, and `resume` makes it.
        SIGTERM writes it once more before it ends the process. It stays when the fit is complete;
        delete it when the model is saved.
    checkpoint_every : float
        Seconds between two writes; 0 writes after every iteration.
    checkpoint_errors : {"warn", "raise"}
        Whether a file that can no longer be written ends the fit, or the fit goes on with a
        warning. A folder that is not there at the beginning, or not for writing, is an error.
    loss : {"bayes", "l1", "lf"}, optional
        The former name of ``penalty``, the paper's word for it.

    Returns
    -------
    TuckerModel
        Ctrl-C does not lose the work, as ``on_interrupt`` says. Only before the first iteration
        is complete, and while ``init="data"`` burns in or ``lam="auto"`` searches, is it an
        ordinary KeyboardInterrupt, whose ``partial`` is None.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    >>> model = vt.fit(X, seed=0)
    >>> model.ranks, model.validation_error < 0.5 * model.validation_mean
    ((2, 2, 2), True)
    >>> model.predict([[0, 0, 0], [29, 19, 9]]).shape
    (2,)
    >>> vt.fit(X, ranks=2, preset="paper", sparsity=0.3, lam=0.01, seed=0).sparsity >= 0.3
    True
    """
    call = with_preset(locals())
    with (
        recording("fit", X, call) as arguments,
        Interrupts(check_on_interrupt(on_interrupt)) as interrupts,
        watched(progress, "fit") as fitting,
    ):
        began = time.perf_counter()
        if arguments["penalty"] == "bayes":
            from vest_tucker.fitting.noise.call import fit_best

            model = fit_best(X, arguments, defaults_of_fit())
        else:
            require_no_holdout(holdout, arguments["penalty"])
            problem = problem_of(X, arguments["ranks"], arguments)
            rng = generator(arguments["seed"])
            model = fit_problem(problem, rng, init, warm_start, validation, began=began)
        fitting.say(zeros(model.sparsity, model.validation_error))
        if interrupts.came:  # also if all that it has kept the fit from is to measure something
            model = dataclasses.replace(model, stopped="interrupted")
        return interrupts.answer(model, interruption(model))


def defaults_of_fit() -> dict[str, Any]:
    """Return the options of `fit` and their defaults."""
    parameters = inspect.signature(fit).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}


def require_no_holdout(holdout: float, penalty: str) -> None:
    """Raise if a share of entries to hold out is given to a penalty of the paper."""
    if not same_as(holdout, defaults_of_fit()["holdout"]):
        raise OptionError(
            f'holdout is an option of penalty="bayes"; with penalty={penalty!r} hold entries out '
            f"by train_test_split, and give them as validation="
        )


def require_numbers(ranks: Any, penalty: str) -> None:
    """Raise unless a penalty of the paper is given ranks."""
    penalty_kind(penalty)  # a slip in its name is the first thing to speak of
    if isinstance(ranks, str):
        raise RankError(
            f"ranks is {ranks!r}, but a fit with penalty={penalty!r} needs numbers, as "
            f'ranks=8 or one for each mode; only penalty="bayes" finds them'
        )


def problem_of(X: SparseTensor, ranks: Any, arguments: Mapping[str, Any]) -> Problem:
    """Check the arguments of a call of `fit`, and return the problem that they describe."""
    require_numbers(ranks, arguments["penalty"])
    options = FitOptions.of(arguments)
    check_init(arguments["init"], arguments["warm_start"], options.n_starts)
    wanted = {name: arguments[name] for name in ("nonnegative", "support", "keep", "fixed")}
    turns = isinstance(arguments["init"], str) or options.lam == "auto"
    return check_and_make_problem(X, ranks, options, turns=turns, **wanted)


def fit_problem(
    problem: Problem,
    rng: np.random.Generator,
    init: str | tuple[ArrayLike, Iterable[ArrayLike]] | None = None,
    warm_start: TuckerModel | None = None,
    validation: SparseTensor | None = None,
    *,
    began: float,
) -> TuckerModel:
    """Fit a problem, which may be fitted again from another generator: its plan is made once."""
    kept = [part for part, mask in problem.constraints.kept.items() if mask.any()]
    problem.pruning.warn_of_nothing(problem.options.sparsity, kept)
    held_out = HeldOut.asked_for(problem, validation)
    choice = decide(problem, init if warm_start is None else warm_start, rng)
    if choice.seed is not None:
        rng = generator(choice.seed)  # the start that was judged, not another
    given = choice.init if init is None or isinstance(init, str) else init
    call = Call(problem, choice, held_out, began)
    outcome = call.best_of(starts(problem, given, warm_start, choice.core_turns, rng), rng)
    model = call.measured(call.model_of(outcome))
    warn_if_poor(problem, model)
    return model


@dataclass(frozen=True)
class Call:
    """One call of `fit`: what the fits from all its starts share."""

    problem: Problem
    choice: Choice
    held_out: HeldOut | None
    began: float

    def best_of(self, places: Iterable[Start], rng: np.random.Generator) -> Outcome:
        """Fit from each start; return where the best one ended. An interrupt ends them all."""
        best: Outcome | None = None
        lowest = math.inf
        try:
            for start in places:
                outcome = self.fit_one(start, rng)
                judged = self.judge(outcome, start)
                if best is None or judged < lowest:
                    best, lowest = outcome, judged
                if outcome.stopped in ("interrupted", "callback"):  # whichever is best
                    return dataclasses.replace(best, stopped=outcome.stopped)
        except KeyboardInterrupt:  # between two starts
            if best is None:
                raise
            return dataclasses.replace(best, stopped="interrupted")
        assert best is not None  # there is one start at least
        return best

    def fit_one(self, start: Start, rng: np.random.Generator) -> Outcome:
        """Fit from one of the starts, and show it."""
        options = self.problem.options
        lam = lam_of(self.problem, start.lam, self.choice.lam)
        listener = Listener(
            tell_step, options.callback, lambda outcome: self.model_of(outcome), lam
        )
        title = f"iterating, {start.title}" if start.title else "iterating"
        with step(title, options.max_iter, "iteration"):
            return fit_from(
                start, self.problem, lam, held_out=self.held_out, tell=listener.tell, rng=rng
            )

    def judge(self, outcome: Outcome, start: Start) -> float:
        """Return what to choose among several fits by, the lower the better."""
        automatic = self.problem.options.sparsity == "auto"
        if self.held_out is None and start.in_another_basis and automatic:
            return length_of(outcome, self.problem)
        return outcome.judged

    def model_of(self, outcome: Outcome) -> TuckerModel:
        """Scale the columns, last line of Algorithm 1, and put the model together."""
        problem = self.problem
        core, factors = outcome.core, outcome.factors
        facts: FitFacts = {
            **problem.facts, "lam": outcome.lam, "lam_used": lam_scale(problem) * outcome.lam,
            "seconds": time.perf_counter() - self.began,
        }  # fmt: skip
        unseen = math.nan
        if self.held_out is not None:
            unseen, facts["validation_baseline"] = outcome.judged, self.held_out.baseline_error()
        with deferred_interrupt() as interrupts:  # half scaled, the work would be lost
            if problem.options.standardize:
                unit_columns(core, factors, modes=problem.scaled_modes, in_place=True)
            model = TuckerModel(
                core, factors, error=outcome.error, validation_error=unseen,
                history=outcome.history, stopped=outcome.stopped, chosen=str(self.choice), **facts,
            )  # fmt: skip
        return dataclasses.replace(model, stopped="interrupted") if interrupts else model

    def measured(self, model: TuckerModel) -> TuckerModel:
        """Return a model with what its parts carry; after an interrupt nobody waits for that."""
        problem = self.problem
        if model.stopped == "interrupted":
            return model
        try:
            underway().say("measuring what parts carry")
            solver = plain_solver(problem, model.core, model.factors)
            X, baseline = problem.X, problem.baseline_error
            found = measure(solver, X.norm, X, X.coords, problem.offset, baseline)
        except KeyboardInterrupt:  # the model is complete without it
            return dataclasses.replace(model, stopped="interrupted")
        return dataclasses.replace(model, measured=found)


def length_of(outcome: Outcome, problem: Problem) -> float:
    """Return the criterion of a model."""
    kept = sum(int(np.count_nonzero(part)) for part in (outcome.core, *outcome.factors))
    return float(description_length([outcome.error], [kept], problem.X.total_weight)[0])


def interruption(model: TuckerModel) -> str:
    """Say how far a fit came that was interrupted; nothing if it was not."""
    if model.stopped != "interrupted":
        return ""
    if model.penalty != "bayes":
        done = f"{model.n_iter} complete iteration{'' if model.n_iter == 1 else 's'}"
        return (
            f"interrupted after {done}; the model is as it stood, and warm_start=model goes on "
            f"from there"
        )
    done = f"interrupted after {model.n_iter} sweep{'' if model.n_iter == 1 else 's'}"
    if model.validation_entries:
        return f"{done}, when the model was complete"
    n = of_all_entries(model)
    stood = f"a trial, fitted to {n} entries" if n else "as it stood"
    return (
        f"{done}; the model is {stood}, with nothing measured on entries held out: fit again, "
        f"and with checkpoint= nothing is done twice"
    )


def warn_if_poor(problem: Problem, model: TuckerModel) -> None:
    """Warn of a complete fit that has nothing to say."""
    if model.stopped == "interrupted":
        return
    if model.is_zero and not (model.offset_is_exact or problem.pruning.leaves_nothing):
        why = why_zero(model.lam, model.lam_used, problem.rms, problem.options.offset)
        if problem.constraints.names_elements or problem.constraints.nonnegative:
            why += "; or nonnegative=, support= and fixed= leave nothing that could fit"
        warn(why, EmptyModelWarning)
