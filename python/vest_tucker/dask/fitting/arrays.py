"""Arrays with a number for each entry of a tensor on a cluster, block by block where entries lie.

They know as much of NumPy's ways as a fit asks for: arithmetic, and sums chunk by chunk, which have
the bits that they have on one machine. What is not known raises, and names itself: nothing collects
entries in one place by accident.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from vest_tucker.base.errors import ClusterError
from vest_tucker.base.types import Coords, Counts, Floats, Indices
from vest_tucker.dask.blocks import Blocks
from vest_tucker.dask.client import gathered, wait_for
from vest_tucker.dask.fitting.handing import hand_on
from vest_tucker.dask.narrow import Block
from vest_tucker.dask.told import given, is_small
from vest_tucker.data import per_row

AT_ONCE = 1 << 24  # numbers that may come back together
Take: TypeAlias = Callable[[Any], Any]


class Spread:
    """What arrays over the entries have in common: blocks of the size of chunks.

    ``take`` says what of a block is meant: tasks take that out of it, and nothing is kept twice.
    """

    ndim = 1

    def __init__(
        self,
        client: Any,
        blocks: Sequence[Any],
        lengths: Sequence[int],
        patience: float,
        take: Take | None = None,
    ) -> None:
        self.blocks = blocks if isinstance(blocks, Blocks) else Blocks(client, blocks)
        self.client, self.lengths = client, list(lengths)
        self.patience, self.take = patience, take

    def __len__(self) -> int:
        return sum(self.lengths)

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self)

    def __array__(self, *args: Any, **options: Any) -> NoReturn:
        raise ClusterError(
            "this option of fit needs all entries in one place, which a tensor on a cluster has "
            "not; leave it out, or fit X.to_local()"
        )

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> NoReturn:
        raise ClusterError(
            f"this option of fit needs numpy.{function.__name__} of all entries, which a tensor on "
            f"a cluster has not in one place; leave it out, or fit X.to_local()"
        )

    def each_chunk(
        self, function: Callable[..., Any], *arrays: Any, at_least: int = 0
    ) -> Iterator[Any]:
        """Yield a function of each chunk of some arrays over the entries, in order."""
        together = max(1, -(-at_least // per_row.CHUNK))
        own, takes = self.told(function), [each.take for each in arrays]
        name = getattr(function, "__name__", "") or function.func.__name__  # type: ignore[attr-defined]
        # Answers may have as many numbers as a mode has rows: not all of them come at once.
        window = together * max(1, AT_ONCE // max(at_least, 1))
        for begin in range(0, len(self.blocks), window):
            futures = []
            for first in range(begin, min(begin + window, len(self.blocks)), together):
                parts = [list(each.blocks[first : first + together]) for each in arrays]
                futures.append(self.client.submit(apply_joined, own, takes, *parts))
            yield from gathered(self.client, futures, f"{name} of entries", self.patience)

    def told(self, what: Any) -> Any:
        """Return what stands for an argument of the tasks of all blocks.

        A large one is with every worker before they begin, or all blocks would go where it is.
        """
        nbytes = sum(each.nbytes for each in _arrays_in(what))
        if is_small(nbytes):
            return what
        found = given(self.client, what)
        wait_for(self.client, [found], "sending an array", self.patience)
        hand_on(self.client, [found], nbytes)
        return found


class SpreadArray(Spread, NDArrayOperatorsMixin):
    """A number for each entry."""

    @property
    def shape(self) -> tuple[int]:
        """How many there are."""
        return (len(self),)

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        if method != "__call__" or options:
            raise ClusterError(f"numpy.{ufunc.__name__}.{method} is not known of entries elsewhere")
        blocks = []
        takes = [each.take if isinstance(each, SpreadArray) else None for each in inputs]
        for number in range(len(self.blocks)):
            own = [
                each.blocks[number] if isinstance(each, SpreadArray) else each for each in inputs
            ]
            blocks.append(self.client.submit(apply, ufunc, takes, *own))
        if out is not None:
            (target,) = out
            target.blocks, target.take, target._ends = Blocks(self.client, blocks), None, None
            return target
        return self._like(blocks)

    def _like(self, blocks: Sequence[Any]) -> SpreadArray:
        return SpreadArray(self.client, blocks, self.lengths, self.patience)

    _ends: tuple[float, float] | None = None

    def min(self) -> float:
        """Return the least."""
        return self.ends()[0]

    def max(self) -> float:
        """Return the greatest."""
        return self.ends()[1]

    def ends(self) -> tuple[float, float]:
        """Return the least and the greatest; they are looked for once, while blocks are there."""
        if self._ends is None:
            least, most = zip(*self.each_chunk(ends_of, self), strict=True)
            self._ends = min(least), max(most)
        return self._ends

    def any(self) -> bool:
        """Tell whether any differs from zero."""
        return any(self.each_chunk(np.any, self))

    def subtract_per_row(self, amounts: Floats, column: SpreadArray) -> None:
        """Subtract the amount of its row from each number."""
        told = self.told(amounts)
        takes = [self.take, None, column.take]
        blocks = [
            self.client.submit(apply, subtracted, takes, block, told, rows)
            for block, rows in zip(self.blocks, column.blocks, strict=True)
        ]
        self.blocks, self.take, self._ends = Blocks(self.client, blocks), None, None


class SpreadCoords(Spread):
    """The coordinates of each entry."""

    ndim = 2
    entries_per_row: Callable[[], list[Counts]] | None = None  # if they are known already

    def __init__(self, order: int, *of_spread: Any) -> None:
        super().__init__(*of_spread)
        self.order = order

    @property
    def shape(self) -> tuple[int, int]:
        """How many entries and modes there are."""
        return len(self), self.order

    def __getitem__(self, at: Any) -> SpreadArray:
        if not (isinstance(at, tuple) and len(at) == 2 and at[0] == slice(None)):
            self.__array__()
        take = functools.partial(column_of, mode=at[1])
        return SpreadArray(self.client, self.blocks, self.lengths, self.patience, take)

    def mapped(self, function: Callable[..., Any], *args: Any) -> SpreadArray:
        """Return ``function(coords, *args)`` of the coordinates of each block."""
        told = [self.told(each) for each in args]
        takes = [self.take, *(None for _ in told)]
        blocks = [self.client.submit(apply, function, takes, block, *told) for block in self.blocks]
        return SpreadArray(self.client, blocks, self.lengths, self.patience)


def arrays_of(
    client: Any, blocks: Sequence[Any], lengths: Sequence[int], order: int, patience: float
) -> tuple[SpreadCoords, SpreadArray, SpreadArray | None]:
    """Return coordinates, values and weights of the blocks of a tensor."""
    (weighted,) = gathered(
        client, [client.submit(has_weights, blocks[0])], "looking at a block", patience
    )
    shared = blocks if isinstance(blocks, Blocks) else Blocks(client, blocks)
    told = (client, shared, lengths, patience)
    return (
        SpreadCoords(order, *told, coords_of),
        SpreadArray(*told, values_of),
        SpreadArray(*told, weights_of) if weighted else None,
    )


def _arrays_in(what: Any) -> list[np.ndarray[Any, Any]]:
    """Return the arrays of an argument, as far as arguments of fits have any."""
    if isinstance(what, np.ndarray):
        return [what]
    if isinstance(what, functools.partial):
        return [array for each in what.args for array in _arrays_in(each)]
    if isinstance(what, list | tuple):
        return [array for each in what for array in _arrays_in(each)]
    return [array for each in getattr(what, "biases", ()) for array in _arrays_in(each)]


def apply(function: Callable[..., Any], takes: Sequence[Take | None], *args: Any) -> Any:
    """Call a function with what is meant of some blocks."""
    return function(*(_taken(each, take) for each, take in zip(args, takes, strict=True)))


def apply_joined(
    function: Callable[..., Any], takes: Sequence[Take | None], *arrays: Sequence[Any]
) -> Any:
    """Call a function with arrays of which the blocks are given."""
    own = ([_taken(each, take) for each in blocks]
           for blocks, take in zip(arrays, takes, strict=True))  # fmt: skip
    return function(*(each[0] if len(each) == 1 else np.concatenate(each) for each in own))


def _taken(what: Any, take: Take | None) -> Any:
    return what if take is None else take(what)


def ends_of(values: Floats) -> tuple[float, float]:
    """Return the least and the greatest of a chunk."""
    return float(values.min()), float(values.max())


def subtracted(values: Floats, amounts: Floats, rows: Indices) -> Floats:
    """Return values minus the amounts of their rows."""
    return values - amounts[rows]


def column_of(block: Block, mode: int) -> Indices:
    """Return the rows of a mode."""
    return block.columns[mode].astype(np.int32, copy=False)


def coords_of(block: Block) -> Coords:
    """Return the coordinates of a block."""
    return block.coords


def values_of(block: Block) -> Floats:
    """Return the values of a block."""
    return block.values


def weights_of(block: Block) -> Floats | None:
    """Return the weights of a block."""
    return block.weights


def has_weights(block: Block) -> bool:
    """Tell whether the entries of a block have weights."""
    return block.stored_weights is not None
