"""Options that several calls share: the words they may be, and the ranges of numbers."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import LossError, OptionError, SparsityError, ThreadsError

Allocation: TypeAlias = Literal["per_matrix", "global"]
ALLOCATIONS = {"per_matrix": _core.Allocation.PER_PART, "global": _core.Allocation.GLOBAL}
OffsetKind: TypeAlias = Literal["mean", "biases"]
ProgressOption: TypeAlias = bool | Literal["auto"]
OnInterrupt: TypeAlias = Literal["return", "raise"]
LamRows: TypeAlias = Literal["equal", "sqrt", "entries"]
# The penalty of a row is proportional to its number of entries to this power.
LAM_ROWS = {"equal": 0.0, "sqrt": 0.5, "entries": 1.0}
INT64_MAX = 2**63 - 1
MOST_LISTED = 1000  # things of which there is one for each mode: a longer list is a mistake
SHOWN = 200  # characters of a value that a message has
VOWELS = ("a", "e", "i", "o", "u")
MAX_THREADS = 1024  # more than machines have, fewer than systems refuse to start


class KindOfPenalty(NamedTuple):
    """A kind of penalty: its name in the core, and the power of an element that it charges for."""

    penalty: _core.PenaltyKind
    power: int


PENALTIES = {
    "l1": KindOfPenalty(_core.PenaltyKind.L1, power=1),
    "lf": KindOfPenalty(_core.PenaltyKind.LF, power=2),
}


def penalty_kind(penalty: object) -> KindOfPenalty:
    """Return the kind of penalty that goes by a name."""
    if not isinstance(penalty, str) or penalty not in PENALTIES:
        raise LossError(
            f'penalty is {shown(penalty)}; choose "bayes" (nothing to choose), "l1" (magnitudes) '
            f'or "lf" (squares, the Frobenius norm)'
        )
    return PENALTIES[penalty]


def check_penalty(penalty: str) -> str:
    """Return one of the paper's two penalties."""
    penalty_kind(penalty)
    return penalty


def check_sparsity(sparsity: float | str) -> float | Literal["auto"]:
    """Return "auto", or a share of zeros that is less than all."""
    if isinstance(sparsity, str) and sparsity == "auto":
        return "auto"
    share = _number(sparsity)
    if not 0.0 <= share < 1.0:
        raise SparsityError(
            f'sparsity is {shown(sparsity)}; choose "auto", or the share of zeros to reach: at '
            f"least 0 (no pruning) and less than 1 (which would leave nothing)"
        )
    return share


def check_lam(lam: float | str | None) -> float | Literal["auto"] | None:
    """Return the weight of the penalty, "auto" to search for one, or None for the default."""
    if lam is None:
        return None
    if isinstance(lam, str):
        if lam != "auto":
            raise OptionError(
                f'lam is {shown(lam)}; choose "auto" or a finite number of at least 0'
            )
        return "auto"
    return check_real("lam", lam)


def check_on_interrupt(on_interrupt: OnInterrupt) -> OnInterrupt:
    """Return what Ctrl-C does with what there is then."""
    check_choice("on_interrupt", on_interrupt, get_args(OnInterrupt))
    return on_interrupt


def check_allocation(allocation: Allocation) -> Allocation:
    """Return one of the two ways to distribute the zeros over the parts."""
    check_choice("allocation", allocation, get_args(Allocation))
    return allocation


def check_offset(offset: object) -> str | None:
    """Return the kind of offset that is subtracted from the values; None means no offset."""
    kinds = get_args(OffsetKind)
    if offset is not None and (not isinstance(offset, str) or offset not in kinds):
        raise OptionError(f'offset is {shown(offset)}; choose "auto", None, "mean" or "biases"')
    return offset


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless an option is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(f'"{choice}"' for choice in choices)
        raise OptionError(f"{name} is {shown(value)}; choose one of {listed}")


def check_threads(threads: int) -> int:
    """Return how many threads to use; 0 means all of them."""
    if not is_whole(threads) or not 0 <= threads <= MAX_THREADS:
        raise ThreadsError(
            f"threads is {shown(threads)}; choose a whole number from 1 to {MAX_THREADS}, "
            f"or 0 for all processors"
        )
    return int(threads)


def check_real(name: str, value: float, *, above: bool = False) -> float:
    """Return a finite number of at least 0, or above 0."""
    number = _number(value)
    if not 0.0 <= number < math.inf or (above and number == 0.0):
        least = "above" if above else "of at least"
        raise OptionError(f"{name} is {shown(value)}; choose a finite number {least} 0")
    return number


def check_rate(name: str, value: float) -> float:
    """Return a share of elements to prune in one iteration."""
    rate = _number(value)
    if not 0.0 < rate <= 1.0:
        raise OptionError(
            f"{name} is {shown(value)}; choose a share above 0 and at most 1 (sparsity=0 turns "
            f"pruning off)"
        )
    return rate


def check_whole(name: str, value: int, *, at_least: int) -> int:
    """Return a whole number of at least ``at_least`` that fits 64 bits."""
    if not is_whole(value) or value < at_least:
        raise OptionError(f"{name} is {shown(value)}; choose a whole number of at least {at_least}")
    if value > INT64_MAX:
        raise OptionError(f"{name} is {shown(value)}; choose a whole number below 2**63")
    return int(value)


def type_text(value: object) -> str:
    """Return what something is called, with its article.

    Examples
    --------
    >>> type_text(7), type_text("soup"), type_text([])
    ('an int', 'a str', 'a list')
    """
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in VOWELS or name == 'ndarray' else 'a'} {name}"


def check_flag(name: str, value: bool) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} is {shown(value)}; choose True or False")
    return bool(value)


def check_progress(progress: object) -> ProgressOption:
    """Return whether to show progress: True, False or "auto"."""
    if isinstance(progress, str) and progress == "auto":
        return "auto"
    if not isinstance(progress, bool | np.bool_):
        raise OptionError(f'progress is {shown(progress)}; choose True, False or "auto"')
    return bool(progress)


def check_seed(seed: Any) -> Any:
    """Return a seed: None, a whole number of at least 0, or a generator."""
    # NumPy takes sequences, too, and looks at every number of them: those of range(10**9).
    whole = is_whole(seed) and seed >= 0
    if not (seed is None or whole or isinstance(seed, np.random.Generator)):
        raise OptionError(
            f"seed is {shown(seed)}; choose a whole number of at least 0, None for a fresh start "
            f"every time, or a numpy.random.Generator"
        )
    return operator.index(seed) if whole else seed


def generator(seed: Any) -> np.random.Generator:
    """Return NumPy's generator for a seed: None, a whole number or a generator itself."""
    return np.random.default_rng(check_seed(seed))


def check_path(name: str, path: Any) -> Path:
    """Return the path of a file or folder, given as a text or as a path."""
    try:
        given = os.fspath(path)
        if isinstance(given, str) and "\0" not in given:
            os.fsencode(given)
            return Path(given)
    except (TypeError, UnicodeEncodeError):
        pass
    raise OptionError(f"{name} is {shown(path)}; give a file as a text, or as a pathlib.Path")


def check_text(name: str, text: Any) -> str:
    """Return a text, such as the name of a column."""
    if not isinstance(text, str):
        raise OptionError(f"{name} is {shown(text)}; give a text")
    return text


def several(name: str, given: Any) -> list[Any]:
    """Return several things, given in any iterable but a text."""
    try:
        if not isinstance(given, str | bytes):
            return list(islice(given, MOST_LISTED))
    except TypeError:
        pass
    raise OptionError(f"{name} is {shown(given)}; give a list, one of each mode")


def number(name: str, value: Any) -> float:
    """Return a real number, which may be NaN or infinite."""
    found = _number(value)
    if math.isnan(found) and not isinstance(value, float | np.floating):
        raise OptionError(f"{name} is {shown(value)}; give a real number")
    return found


def texts(name: str, given: Any) -> tuple[str, ...]:
    """Return several texts, given in any iterable, such as the names of columns."""
    try:
        plain = isinstance(given, str | bytes | Mapping)
        found = () if plain else tuple(islice(given, MOST_LISTED))
    except TypeError:
        found = ()
    if not found or not all(isinstance(each, str) for each in found):
        raise OptionError(f"{name} is {shown(given)}; give some texts, as ['user', 'movie']")
    return found


def _number(value: object) -> float:
    """Return a real number as a float; NaN, which fails every range check, for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1e308
        return math.nan


def shown(value: object) -> str:
    """Return a value as a message shows it; whole numbers of very many digits are shortened."""
    if isinstance(value, int) and abs(value) > INT64_MAX:
        return f"a whole number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({type_text(value)})"


def is_whole(value: object) -> bool:
    """Whether something is a whole number, and not True or False."""
    if isinstance(value, bool):
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True
