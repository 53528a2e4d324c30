"""The function vt.path: checks what every path needs, and has it made with the penalty given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.errors import OptionError
from vest_tucker.base.interrupts import Interrupts, loading
from vest_tucker.base.options import (
    Allocation,
    OffsetKind,
    OnInterrupt,
    ProgressOption,
    check_choice,
    check_on_interrupt,
    check_rate,
)
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.types import AnyPath
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.file import recording
from vest_tucker.fitting.constraints import Where
from vest_tucker.fitting.fit import require_no_holdout, require_numbers
from vest_tucker.fitting.options import under_one_name, with_preset

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import Path

# What a path with a penalty of the paper prunes by, unless told otherwise.
OF_THE_PAPER = {"penalty": "lf", "allocation": "global", "offset": None}
LEAST_STEP = 1e-4  # of all elements: ten thousand stops


@public
def path(
    X: SparseTensor,
    ranks: int | Iterable[int] | Mapping[str | int, int] | Literal["auto"] = "auto",
    *,
    preset: Literal["best", "paper"] = "best",
    penalty: Literal["bayes", "l1", "lf"] | None = None,
    knee: Literal["auto", "holdout", "worth", "curve", "validation"] = "auto",
    holdout: float = 0.1,
    validation: SparseTensor | None = None,
    step: float = 0.02,
    refit: int | None = None,
    least: float = 0.03,
    basis: Literal["auto", "rotated", "plain"] = "auto",
    n_starts: int | None = None,
    allocation: Allocation | None = None,
    offset: OffsetKind | Literal["auto"] | None = "auto",
    lam: float | None = None,
    init: Literal["data"] | tuple[ArrayLike, Iterable[ArrayLike]] = "data",
    nonnegative: bool | str | int | Iterable[str | int] = False,
    support: Mapping[str | int, Where] | None = None,
    keep: Mapping[str | int, Where] | None = None,
    fixed: Mapping[str | int, ArrayLike] | None = None,
    seed: int | np.random.Generator | None = None,
    threads: int = 0,
    progress: ProgressOption = "auto",
    on_interrupt: OnInterrupt = "return",
    check_memory: bool = True,
    checkpoint: AnyPath | None = None,
    checkpoint_every: float = 60.0,
    checkpoint_errors: Literal["warn", "raise"] = "warn",
    loss: Literal["bayes", "l1", "lf"] | None = None,
    elbow: Literal["auto", "holdout", "worth", "curve", "validation"] | None = None,
) -> Path:
    """Prune from the dense model on, refitting at each stop, and find how sparse to go.

    One run gives a model of every sparsity. ``vt.path(X)`` alone chooses structure and ranks as
    `fit` does, prunes that model with priors and noise as they were when it was dense, and measures
    each stop on entries that were not fitted. With a penalty of the paper the ranks are given, and
    the model at the knee of the curve of errors is chosen.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    ranks : "auto", int, sequence of int or dict
        As for `fit`.
    preset : {"best", "paper"}
        As for `fit`. With "paper" a path has ``penalty="lf"``, ``allocation="global"`` and no
        offset, unless these are given: zeros of one share in each part would bend the curve early.
    penalty : {"bayes", "l1", "lf"}, optional
        As for `fit`.
    knee : {"auto", "holdout", "worth", "curve", "validation"}
        How the best model, the one at the knee, is chosen. "holdout" takes the sparsest model whose
        error on the entries held out is at most 0.05 % above the lowest, the margin of a plain
        `fit`. "worth" is for ``penalty="bayes"``: it takes the first model with next to no element
        whose prior says as much as the entries. "curve" takes the lowest nnz log(RE^2) + k
        log(nnz), the Bayesian information criterion, with k the number of parameters; "validation"
        takes the sparsest model within one standard error of the best on the entries held out.
        "auto" is "holdout" with ``penalty="bayes"``, or "worth" if no entries are held out, and
        otherwise "curve".
    holdout : float
        As for `fit`, with ``penalty="bayes"``: errors are measured on entries held out, the models
        are those of the same path on all entries.
    validation : SparseTensor, optional
        Entries that are not fitted, in place of ``holdout``. The error on them is measured at each
        stop.
    step : float
        The share of all elements that a stop prunes; but at most 2.5 times this share of those
        that are left, so that the steps become smaller at the sparse end.
    refit : int, optional
        How many iterations to fit at each stop: by default 2, with a penalty of the paper 5.
    least : float
        The share of elements at which the path ends. It ends sooner if the model explains nothing.
    basis : {"auto", "rotated", "plain"}
        Pruning depends on the basis of the components. "rotated" first changes each mode to a
        sparse basis, "plain" does not; "auto" is "rotated" with ``penalty="bayes"``, and otherwise
        prunes both, and returns the one with the lower criterion, "rotated" if they are about
        equal. A mode is not changed if ``nonnegative``, ``support``, ``keep`` or ``fixed`` name it,
        and no mode is if they name the core, or if the core is one of effects and pairs.
    n_starts : int, optional
        With a penalty of the paper: how many random starts to burn in, by default 4; the best one
        is pruned.
    allocation, offset
        As for `fit`.
    lam : float, optional
        With a penalty of the paper: the weight of the penalty as for `fit`; by default it follows
        from the noise, which is estimated by the squared error of the dense model.
    init : "data" or (core, factors)
        The start: what the data lead to, or arrays, which are fitted until the error settles.
    nonnegative, support, keep, fixed
        As for `fit`.
    seed, threads, progress
        As for `fit`.
    on_interrupt : {"return", "raise"}
        What Ctrl-C does once a stop is complete: return the path so far, with a warning; or raise
        KeyboardInterrupt, whose attribute ``partial`` is that path. A second Ctrl-C always raises.
    check_memory, checkpoint, checkpoint_every, checkpoint_errors
        As for `fit`.
    loss : {"bayes", "l1", "lf"}, optional
        The former name of ``penalty``.
    elbow : {"auto", "holdout", "worth", "curve", "validation"}, optional
        The former name of ``knee``; in `fit` it is something else, the paper's elbow.

    Returns
    -------
    Path
        After Ctrl-C it is the path so far, as ``on_interrupt`` says. Before the first stop is
        complete, Ctrl-C raises KeyboardInterrupt as usual.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((40, 30, 20), 2, nnz=6000, sparsity=0.6, seed=0)
    >>> path = vt.path(X, seed=0)
    >>> abs(path.best.sparsity - truth.sparsity) < 0.1
    True
    >>> path.at(sparsity=0.3)
    TuckerModel(shape=(40, 30, 20), ranks=(2, 2, 2), sparsity=0.3...)
    >>> knee = vt.path(X, 2, preset="paper", seed=0).best
    >>> abs(knee.sparsity - truth.sparsity) < 0.1
    True
    """
    call = with_preset(under_one_name(locals(), "knee", "elbow", "auto"), OF_THE_PAPER)
    check_call(call)
    with (
        recording("path", X, call) as arguments,
        Interrupts(check_on_interrupt(on_interrupt)) as interrupts,
        watched(progress, "path"),
    ):
        if arguments["penalty"] == "bayes":
            from vest_tucker.studies.path.noisy import noisy_path as make
        else:
            from vest_tucker.studies.path.paper import paper_path as make
        found, ended = make(X, arguments)
        said = (
            f"interrupted after {len(found)} stops; the path ends there: run it again for sparser "
            f"models, or with a larger step= to be done sooner"
        )
        return interrupts.answer(found, said if ended or interrupts.came else "")


def check_call(arguments: dict[str, Any]) -> None:
    """Raise unless the options that every path has are good."""
    with loading():  # seldom needed, so not before
        from vest_tucker.studies.path.result import Basis, Knee

    knee, bayes = arguments["knee"], arguments["penalty"] == "bayes"
    check_choice("knee", knee, ("auto", *get_args(Knee)))
    check_choice("basis", arguments["basis"], get_args(Basis))
    for name in ("step", "least"):
        arguments[name] = check_rate(name, arguments[name])
    if arguments["step"] < LEAST_STEP:
        raise OptionError(
            f"step is {arguments['step']}; of so many stops each one would take a refit: choose "
            f"{LEAST_STEP} or more"
        )
    if not bayes:
        require_numbers(arguments["ranks"], arguments["penalty"])
        require_no_holdout(arguments["holdout"], arguments["penalty"])
    if knee == "worth" and not bayes:
        raise OptionError('knee="worth" is for penalty="bayes", whose elements have variances')
    held = arguments["validation"] is not None or (bayes and arguments["holdout"] != 0)
    if knee in ("holdout", "validation") and not held:
        raise OptionError(f"knee={knee!r} needs entries held back: validation=...")
