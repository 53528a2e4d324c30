"""What the caller of a plain call asks for: the arguments of `fit`, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vest_tucker.base import checks, memory
from vest_tucker.base.errors import OptionError, RankError, RanksWarning
from vest_tucker.base.options import (
    ALLOCATIONS,
    check_allocation,
    check_flag,
    check_offset,
    check_real,
    check_sparsity,
    check_threads,
    type_text,
)
from vest_tucker.base.parts import part_sizes
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting import constraints
from vest_tucker.fitting.basis.sparse import bytes_to_turn
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.early_stopping import not_fitted
from vest_tucker.fitting.noise.candidates import (
    Candidate,
    affordable_ranks,
    first_round,
    largest_ranks,
)
from vest_tucker.fitting.noise.held import MANY, SAMPLE, number_of_splits
from vest_tucker.fitting.noise.interactions.effects import FIRST
from vest_tucker.fitting.noise.interactions.triples import COLUMNS as TRIPLES
from vest_tucker.fitting.noise.interactions.triples import may_have_triples
from vest_tucker.fitting.options import check_callback, same_as
from vest_tucker.fitting.starts.given import checked_arrays, start_from
from vest_tucker.model.model import TuckerModel

# Options of Algorithm 1 that say nothing here.
OF_THE_PAPER = (
    "lam", "lam_core", "lam_rows", "scale_lam", "max_iter", "tol", "init_prune_rate",
    "max_prune_rate", "elbow", "revive", "patience", "n_starts",
)  # fmt: skip
# One fit at a time has a plan and working space; so many others rest, and are known by values,
# variances and masks: Tucker models around each offset and the best of effects, or the best one and
# what it is compared with.
RESTING = 4
ALONE = 1
AT_REST = 17  # bytes of an element
# Arrays of a number for each entry that a structure has of its own: what its offset leaves, in
# Python and in the core.
LEFT = 2
INDEX, NUMBER = 4, 8  # bytes


@dataclass(frozen=True)
class Wanted:
    """What the caller asks for.

    Attributes
    ----------
    ranks : tuple of int or None
        At most these; None to find them.
    offset : {"auto", None, "mean", "biases"}
    sparsity : "auto" or float
    allocation : {"global", "per_matrix"}
    constraints : Constraints
    holdout : float
        The share of entries to hold out; 0 for none.
    validation : SparseTensor or None
        Entries to use instead.
    start : list of ndarray or None
        Core and factors to start from.
    threads : int
    constant : bool
        Whether the start has a constant first column in every factor.
    """

    ranks: tuple[int, ...] | None
    offset: str | None
    sparsity: float | str
    allocation: str
    constraints: Constraints
    holdout: float
    validation: SparseTensor | None
    start: list[Floats] | None
    threads: int
    constant: bool = False

    @property
    def free(self) -> bool:
        """Whether the structure is for the fit to choose."""
        named = self.constraints.names_elements or self.constraints.nonnegative
        return self.offset == "auto" and not named and self.start is None

    def candidates(self, X: SparseTensor) -> list[Candidate]:
        """Return the structures to compare."""
        if self.start is not None:
            ranks = self.start[0].shape
            if self.constant:
                return [Candidate("effects", tuple(rank - FIRST for rank in ranks))]
            offset = None if self.offset == "auto" else self.offset
            return [Candidate("tucker", ranks, offset)]  # type: ignore[arg-type]
        offset = self.offset
        if offset == "auto" and not self.free:
            offset = None
        return list(first_round(X.shape, X.nnz, self.ranks, offset, effects=self.free))


def require_bayes(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Raise if an option is given that has no meaning here."""
    for name in OF_THE_PAPER:
        if not same_as(arguments[name], defaults[name]):
            raise OptionError(
                f'{name} is an option of the penalties "l1" and "lf": a fit with penalty="bayes" '
                f'finds penalties and pruning by itself; leave {name} out, or give preset="paper" '
                f'or penalty="lf"'
            )
    if isinstance(arguments["init"], str):
        raise OptionError(
            f'init={arguments["init"]!r} is a start of the penalties "l1" and "lf"; leave it out, '
            f"or give arrays (core, factors)"
        )


def wanted_of(X: SparseTensor, arguments: Mapping[str, Any]) -> Wanted:
    """Return what the arguments of `fit` ask for; raise if one of them makes no sense."""
    ranks = checks.most_ranks(arguments["ranks"], X.shape, X.mode_labels.number)
    threads = check_threads(arguments["threads"])
    holdout = check_real("holdout", arguments["holdout"])
    if not 0.0 <= holdout < 1.0:
        raise OptionError(
            f"holdout is {holdout!r}; choose the share of entries to hold out, as 0.1, or 0 for "
            f"none"
        )
    for name in ("standardize", "check_memory"):
        check_flag(name, arguments[name])
    check_callback("callback", arguments["callback"])
    offset = arguments["offset"]
    if offset != "auto":
        check_offset(offset)
    start, offset = _start(X, arguments, ranks, offset)
    if ranks is not None and start is None:
        ranks = _affordable(ranks, arguments)
    found = start[0].shape if start is not None else ranks or largest_ranks(X.shape, X.nnz)
    told = {name: arguments[name] for name in ("nonnegative", "support", "keep", "fixed")}
    parsed = constraints.parse(X.mode_labels, X.shape, found, **told)
    if parsed.names_elements and ranks is None and start is None:
        raise OptionError("support=, keep= and fixed= speak of components: give ranks= with them")
    constant = arguments["warm_start"] is not None and arguments["warm_start"].constant
    if constant and (parsed.names_elements or parsed.nonnegative):
        raise OptionError(
            "warm_start has a constant column, and such models take no nonnegative=, support=, "
            "keep= and fixed="
        )
    if start is not None:
        parsed.impose_on(start[0], start[1:])
    validation = arguments["validation"]
    if validation is not None:
        validation = not_fitted(validation, X)
        checks.norm(validation.norm, validation.values)
    return Wanted(
        ranks, offset, check_sparsity(arguments["sparsity"]),
        check_allocation(arguments["allocation"]), parsed, holdout, validation, start, threads,
        constant=constant,
    )  # fmt: skip


def _affordable(ranks: tuple[int, ...], arguments: Mapping[str, Any]) -> tuple[int, ...]:
    """Return upper bounds of the ranks that do not take too long; say so if they are lower."""
    if any(arguments[name] is not None for name in ("support", "keep", "fixed")):
        return ranks  # these speak of the components asked for
    cut = affordable_ranks(ranks)
    if cut != ranks:
        warn(
            f"ranks={arguments['ranks']!r} allows a core of {math.prod(ranks):,} elements, which "
            f"takes too long: the ranks are at most {cut}; give no more than these, or leave ranks "
            f"out, for fewer are found on most data",
            RanksWarning,
        )
    return cut


def _start(
    X: SparseTensor, arguments: Mapping[str, Any], ranks: tuple[int, ...] | None, offset: Any
) -> tuple[list[Floats] | None, Any]:
    """Return where to start, if that is given, and the offset that belongs to it."""
    init, warm_start = arguments["init"], arguments["warm_start"]
    if init is not None and warm_start is not None:
        raise OptionError("init and warm_start both say where to start; give one of them")
    start: list[Floats] | None = None
    if warm_start is not None:
        start = _from_model(warm_start, X)
        if warm_start.constant and offset not in ("auto", None):
            raise OptionError(
                f"offset is {offset!r}, but the core of warm_start has mean and effects already; "
                f"leave offset out"
            )
        if offset == "auto" and warm_start.offset is not None:  # what its parts were fitted around
            offset = warm_start.offset.kind
    elif init is not None:
        try:
            shape = np.shape(init[0])
        except (TypeError, ValueError, IndexError):
            shape = ()
        core, factors = checked_arrays(init, X.shape, shape)
        start = [core, *factors]
    if start is not None and ranks is not None and ranks != start[0].shape:
        raise RankError(
            f"the start has the ranks {start[0].shape}, but {ranks} are asked for; leave ranks "
            f"out, or let both agree"
        )
    return start, offset


def _from_model(model: TuckerModel, X: SparseTensor) -> list[Floats]:
    """Return the parts of a model as a start."""
    if not isinstance(model, TuckerModel):
        raise OptionError(f"warm_start must be a TuckerModel, but is {type_text(model)}")
    start = start_from(model, X.mode_labels, X.shape, model.ranks)
    return [start.core, *start.factors]


def require_memory(X: SparseTensor, wanted: Wanted, models: float) -> None:
    """Raise if there is no room for the fits that a plain call has at once.

    One of them is under way, on some of the entries or on all, and the others rest; the entries of
    each split are there, their values in the core as well, and what offsets leave of them.
    ``models`` copies of all parts come on top.
    """
    several = 1 if wanted.validation is not None else number_of_splits(X.nnz)
    offsets = 2 if wanted.free else 1
    resting = RESTING if wanted.free else ALONE
    tucker = _tucker_ranks(X, wanted)
    parts = sum(part_sizes(X.shape, tucker))
    found = 0.0
    for candidate in wanted.candidates(X):
        if candidate.kind == "effects":  # before there is a Tucker model, or when all have gone
            ranks = _effects_ranks(X, wanted, candidate)
            at_rest = ALONE * sum(map(math.prod, zip(X.shape, ranks, strict=True)))
        else:
            ranks, at_rest = tucker, resting * parts
        at_work = _at_work(X, wanted, ranks, sparse_core=candidate.kind == "effects")
        found = max(found, at_work + several * AT_REST * at_rest)
    split = several * (X.order * INDEX + 2 * NUMBER + offsets * LEFT * NUMBER) * X.nnz
    memory.require_room(found + split + models * NUMBER * parts, X.shape)


def _tucker_ranks(X: SparseTensor, wanted: Wanted) -> tuple[int, ...]:
    """Return the ranks that a Tucker model is fitted with, on some of many entries or on all."""
    chosen = wanted.start[0].shape if wanted.start is not None else wanted.ranks
    return chosen or largest_ranks(X.shape, SAMPLE if X.nnz > MANY else X.nnz)


def _effects_ranks(X: SparseTensor, wanted: Wanted, candidate: Candidate) -> tuple[int, ...]:
    """Return the ranks of mean, effects and pairs, with triples if they may join them."""
    may_have = candidate.has_pairs and may_have_triples(X.shape)
    triples = TRIPLES if wanted.free and may_have else 0
    return tuple(FIRST + each + triples for each in candidate.ranks)


def _at_work(
    X: SparseTensor, wanted: Wanted, ranks: tuple[int, ...], *, sparse_core: bool
) -> float:
    """Return the bytes of a fit under way."""
    held, passing = memory.held_and_passing(
        X.shape, X.nnz, ranks, wanted.threads, allocation=ALLOCATIONS[wanted.allocation],
        offset=False, noise=True, weighted=X.weights is not None, sparse_core=sparse_core,
    )  # fmt: skip
    # Another basis is looked for when ranks have become few, and so has the working space.
    turning = 0.0 if sparse_core else bytes_to_turn(X.shape, ranks)
    return held + max(passing, turning)
