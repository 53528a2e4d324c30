"""Where a fit starts and what it updates first: at random as in the paper, or otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from vest_tucker.base.errors import LabelError, ModeError, OptionError, RankError
from vest_tucker.base.options import generator
from vest_tucker.base.types import Floats
from vest_tucker.data.labels import ModeLabels, show
from vest_tucker.fitting.constraints import Known
from vest_tucker.model.cells import positions
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import average_row

Init: TypeAlias = Literal["random", "pairs", "data"]
SETTLE = 15  # iterations of "pairs" before anything else changes
SPREAD = 0.3  # of its elements; from 0.1 to 1 makes no difference


@dataclass(frozen=True)
class Start:
    """A core and factors, which the fit turns into its result, and how it goes on from them.

    Attributes
    ----------
    core, factors
    kind : str
        How it was made.
    modes : tuple of int or None
        Whose factors are updated; None for all.
    settle : int
        For how many iterations they alone are, and nothing is pruned;
    core_turns : int or None
        after which the core is updated this often; None for always, and from the first.
    known : Known
        What the start takes for granted.
    lam : float or None
        The penalty that goes with it, where none is asked for.
    """

    core: Floats
    factors: list[Floats]
    kind: str = "random"
    modes: tuple[int, ...] | None = None
    settle: int = 0
    core_turns: int | None = None
    known: Known = field(default_factory=Known)
    lam: float | None = None

    def copy(self) -> Start:
        """Return the same start in arrays of its own: a fit works in them."""
        return replace(self, core=self.core.copy(), factors=[each.copy() for each in self.factors])

    def updates_core(self, t: int) -> bool:
        """Tell whether iteration ``t`` updates the core."""
        return self.core_turns is None or self.settle < t <= self.settle + self.core_turns

    @property
    def before_pruning(self) -> int:
        """How many iterations go by before anything is pruned."""
        return self.settle + (self.core_turns or 0)


def random_start(
    shape: tuple[int, ...], ranks: tuple[int, ...], seed: int | np.random.Generator | None
) -> tuple[Floats, list[Floats]]:
    """Line 1 of Algorithm 1: uniform on [0, 1), the factors in mode order, then the core."""
    rng = generator(seed)
    factors = [rng.random((dim, rank)) for dim, rank in zip(shape, ranks, strict=True)]
    return rng.random(ranks), factors


def pairs_start(
    shape: tuple[int, ...],
    ranks: tuple[int, ...],
    rng: np.random.Generator,
    *,
    core_turns: int = 0,
    nonnegative: Iterable[int] = (),
) -> Start:
    """Start with the two longest modes as the factors of a matrix, the other modes constant.

    In ratings it is users and movies that meet; when, matters little beyond what an offset
    holds. Five parts that all pay a penalty draw weak components to zero, two of them do not: so
    only these two are fitted first, the core being a diagonal and the other factors one column of
    ones. After that the core may have a few turns, which let components mix.

    Examples
    --------
    >>> start = pairs_start((50, 3, 40), (2, 2, 2), np.random.default_rng(0))
    >>> start.modes, start.core[:, 0, :].tolist(), start.factors[1].tolist()
    ((0, 2), [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    """
    pair = longest_pair(shape)
    factors = [SPREAD * rng.standard_normal(size) for size in zip(shape, ranks, strict=True)]
    zero, kept = {}, {}
    for mode, factor in enumerate(factors):
        if mode in pair:
            if mode + 1 in nonnegative:
                np.abs(factor, out=factor)
            continue
        factor[:] = 0.0
        factor[:, 0] = 1.0
        zero[mode + 1], kept[mode + 1] = factor == 0.0, factor != 0.0
    core = np.zeros(ranks)
    first, second = (ranks[mode] for mode in pair)
    for j in range(max(first, second)):
        core[_at(pair, j % first, j % second, len(shape))] = 1.0
    zero[0], kept[0] = core == 0.0, core != 0.0
    start = Start(core, factors, "pairs", pair, SETTLE, 0, Known(zero=zero, kept=kept))
    return with_core_turns(start, core_turns) if core_turns else start


def with_core_turns(start: Start, core_turns: int) -> Start:
    """Return a copy of a start from pairs whose core is free where the pair meets, for a while."""
    assert start.modes is not None  # as "pairs" has it
    met = np.zeros(start.core.shape, dtype=bool)
    met[tuple(slice(None) if mode in start.modes else 0 for mode in range(met.ndim))] = True
    kept = {part: mask for part, mask in start.known.kept.items() if part != 0}
    known = replace(start.known, zero=start.known.zero | {0: ~met}, kept=kept)
    return replace(start.copy(), core_turns=core_turns, known=known)


def longest_pair(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the two modes of most rows, in order."""
    first, second = sorted(np.argsort(shape, kind="stable")[-2:].tolist())
    return first, second


def _at(pair: tuple[int, int], j: int, k: int, order: int) -> tuple[int, ...]:
    return tuple(j if mode == pair[0] else k if mode == pair[1] else 0 for mode in range(order))


def start_from(
    model: TuckerModel, modes: ModeLabels, shape: tuple[int, ...], ranks: tuple[int, ...]
) -> Start:
    """Start where another model stands: rows are found by label, new ones are the average row."""
    if not isinstance(model, TuckerModel):
        raise OptionError(f"warm_start must be a TuckerModel, but is a {type(model).__name__}")
    if model.ranks != ranks:
        raise RankError(
            f"warm_start has the ranks {model.ranks}, but {ranks} are asked for; both must agree"
        )
    if positions(modes.names, model.mode_labels) != list(range(len(ranks))):
        raise ModeError(
            f"warm_start has the modes {model.modes}, but the tensor {modes.names}; both must have "
            f"them in the same order"
        )
    factors = []
    for mode, (factor, dim) in enumerate(zip(model.factors, shape, strict=True)):
        rows = model.mode_labels.encode(mode, modes.decode(mode, np.arange(dim)))
        known = (rows >= 0) & (rows < len(factor))
        if not known.any():
            raise LabelError(
                f"warm_start has none of the labels of mode {modes.names[mode]!r}, such as "
                f"{show(modes.decode(mode, 0))}, so no start can be made of it"
            )
        taken = factor[np.where(known, rows, 0)]
        counts = None if model.entries is None else model.entries[mode]
        taken[~known] = average_row(factor, counts)
        factors.append(np.ascontiguousarray(taken, dtype=np.float64))
    return Start(np.array(model.core, dtype=np.float64), factors, "warm")
