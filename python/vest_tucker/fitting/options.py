"""Every option of `fit` with its range: checked before any work, kept as plain Python values.

An option is written down three times: in the signature of `fit`, in its docstring and here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, get_args

from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import (
    Allocation,
    LamRows,
    OffsetKind,
    check_allocation,
    check_choice,
    check_flag,
    check_lam,
    check_offset,
    check_penalty,
    check_rate,
    check_real,
    check_sparsity,
    check_threads,
    check_whole,
    penalty_kind,
)


def _option(check: Callable[..., object], default: Any) -> Any:
    """Return a field of FitOptions: its default, and the function that checks and converts it."""
    return field(default=default, metadata={"check": check})


def _named(check: Callable[..., Any], **limits: Any) -> Callable[[str, Any], Any]:
    return partial(check, **limits)


def _if_given(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """Return a check that lets None pass."""
    return lambda name, value: None if value is None else check(name, value)


def _alone(check: Callable[[Any], Any]) -> Callable[[str, Any], Any]:
    """Return a check of an option whose messages name it themselves."""
    return lambda name, value: check(value)


def _check_lam_rows(name: str, value: object) -> object:
    if value is not None:
        check_choice(name, value, get_args(LamRows))
    return value


def check_callback(name: str, value: object) -> object:
    """Return a callback, or None; raise if it cannot be called."""
    if value is not None and not callable(value):
        raise OptionError(
            f"{name} must be a function that takes one IterationRecord, but is {value!r}"
        )
    return value


_WHOLE = _named(check_whole, at_least=1)


# What a plain call does, and the published algorithm to the letter: the values of options that are
# not given. A penalty of the paper brings the other defaults of the paper with it.
PRESETS: dict[str, dict[str, Any]] = {
    "best": {"penalty": "bayes", "allocation": "global", "offset": "auto"},
    "paper": {"penalty": "l1", "allocation": "per_matrix", "offset": None},
}
NOT_GIVEN = {"penalty": None, "allocation": None, "offset": "auto"}


def under_one_name(
    arguments: Mapping[str, Any], name: str, former: str, not_given: object = None
) -> dict[str, Any]:
    """Return the arguments of a call with an option under its name, whichever name was used.

    Examples
    --------
    >>> under_one_name({"penalty": None, "loss": "lf"}, "penalty", "loss")
    {'penalty': 'lf'}
    """
    once = dict(arguments)
    was = once.pop(former, None)
    now = once.get(name, not_given)
    if was is not None and not same_as(now, not_given) and not same_as(was, now):
        raise TypeError(
            f"{former}={was!r} and {name}={now!r} are two names of one option; give {name} alone"
        )
    return once if was is None else once | {name: was}


def with_preset(
    arguments: Mapping[str, Any], paper: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the arguments of a call with the preset's values for options that are not given.

    ``paper`` are the values of the preset "paper", if they are not those of `fit`.

    Examples
    --------
    >>> call = {"preset": "best", "penalty": None, "allocation": None, "offset": "auto"}
    >>> with_preset(call)["penalty"], with_preset(call | {"loss": "lf"})["allocation"]
    ('bayes', 'per_matrix')
    """
    arguments = under_one_name(arguments, "penalty", "loss")
    preset, penalty = arguments["preset"], arguments["penalty"]
    check_choice("preset", preset, list(PRESETS))
    if not isinstance(penalty, str | None):
        penalty_kind(penalty)  # raises
    if preset == "paper" and penalty == "bayes":
        raise OptionError('penalty="bayes" is not a penalty of the paper; leave preset="paper" out')
    if penalty is not None and penalty != "bayes":
        preset = "paper"
    elif penalty == "bayes":
        preset = "best"
    values = PRESETS[preset] if paper is None or preset != "paper" else paper
    return {
        name: values[name] if name in values and same_as(value, NOT_GIVEN[name]) else value
        for name, value in arguments.items()
    }


def same_as(value: object, default: object) -> bool:
    """Whether an option is as by default. Arrays and the like, which compare in parts, are not."""
    plain = type(value) in (str, int, float) and isinstance(default, str | int | float)
    return value is default or (plain and value == default)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """The settings of one fit. Their defaults are those of `fit`."""

    # The penalty.
    penalty: str = _option(_alone(check_penalty), "l1")
    lam: float | Literal["auto"] | None = _option(_alone(check_lam), None)
    lam_core: float | None = _option(_if_given(check_real), None)
    lam_rows: LamRows | None = _option(_check_lam_rows, None)
    scale_lam: bool = _option(check_flag, True)
    # What is taken off the values first.
    offset: OffsetKind | None = _option(_alone(check_offset), None)
    # Pruning.
    sparsity: float | Literal["auto"] = _option(_alone(check_sparsity), "auto")
    allocation: Allocation = _option(_alone(check_allocation), "per_matrix")
    init_prune_rate: float = _option(check_rate, 0.01)
    max_prune_rate: float = _option(check_rate, 0.1)
    elbow: float = _option(_named(check_real, above=True), 0.05)
    revive: bool = _option(check_flag, True)
    # Stopping.
    max_iter: int = _option(_WHOLE, 100)
    tol: float | None = _option(_if_given(check_real), 1e-4)
    patience: int = _option(_WHOLE, 5)
    # Running.
    n_starts: int | None = _option(_if_given(_WHOLE), None)
    standardize: bool = _option(check_flag, True)
    threads: int = _option(_alone(check_threads), 0)
    callback: Callable[..., object] | None = _option(check_callback, None)
    check_memory: bool = _option(check_flag, True)

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> FitOptions:
        """Return the options among the arguments of a call."""
        return cls(**{each.name: arguments[each.name] for each in fields(cls)})

    def __post_init__(self) -> None:
        for each in fields(self):
            checked = each.metadata["check"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, checked)
        if self.lam_rows is None:  # a search is worth a penalty that suits rows of any length
            object.__setattr__(self, "lam_rows", "sqrt" if self.lam == "auto" else "equal")
