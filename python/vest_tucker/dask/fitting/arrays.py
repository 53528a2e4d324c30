"""Arrays with a number for each entry of a tensor on a cluster, block by block where entries lie.

They know as much of NumPy's ways as a fit asks for: arithmetic, and sums chunk by chunk, which have
the bits that they have on one machine. What is not known raises, and names itself: nothing collects
entries in one place by accident.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from vest_tucker.base.errors import ClusterError
from vest_tucker.base.types import Coords, Floats, Indices
from vest_tucker.dask.blocks import Blocks
from vest_tucker.dask.client import gathered, sent
from vest_tucker.dask.local import Block
from vest_tucker.data import per_row

LARGE = 1 << 15  # bytes from which on an argument is sent once to each worker


class Spread:
    """What arrays over the entries have in common: blocks of the size of chunks."""

    ndim = 1

    def __init__(
        self, client: Any, blocks: Sequence[Any], lengths: Sequence[int], patience: float
    ) -> None:
        self.client, self.blocks, self.lengths = client, Blocks(client, blocks), list(lengths)
        self.patience = patience

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
        own = self.sent(function)
        futures = []
        for begin in range(0, len(self.blocks), together):
            parts = [list(each.blocks[begin : begin + together]) for each in arrays]
            futures.append(self.client.submit(apply_joined, own, *parts))
        name = getattr(function, "__name__", "") or function.func.__name__  # type: ignore[attr-defined]
        yield from gathered(self.client, futures, f"{name} of entries", self.patience)

    def sent(self, what: Any) -> Any:
        """Return what stands for an argument of tasks: itself, if it is small."""
        nbytes = sum(each.nbytes for each in _arrays_in(what))
        return what if nbytes <= LARGE else sent(self.client, what, nbytes, self.patience)


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
        for number in range(len(self.blocks)):
            own = [
                each.blocks[number] if isinstance(each, SpreadArray) else each for each in inputs
            ]
            blocks.append(self.client.submit(ufunc, *own))
        if out is not None:
            (target,) = out
            target.blocks = Blocks(self.client, blocks)
            return target
        return self._like(blocks)

    def _like(self, blocks: Sequence[Any]) -> SpreadArray:
        return SpreadArray(self.client, blocks, self.lengths, self.patience)

    def min(self) -> float:
        """Return the least."""
        return float(min(self.each_chunk(np.min, self)))

    def max(self) -> float:
        """Return the greatest."""
        return float(max(self.each_chunk(np.max, self)))

    def any(self) -> bool:
        """Tell whether any differs from zero."""
        return any(self.each_chunk(np.any, self))

    def subtract_per_row(self, amounts: Floats, column: SpreadArray) -> None:
        """Subtract the amount of its row from each number."""
        told = self.sent(amounts)
        blocks = [
            self.client.submit(subtracted, block, told, rows)
            for block, rows in zip(self.blocks, column.blocks, strict=True)
        ]
        self.blocks = Blocks(self.client, blocks)


class SpreadCoords(Spread):
    """The coordinates of each entry."""

    ndim = 2

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
        columns = [self.client.submit(column_of, block, at[1]) for block in self.blocks]
        return SpreadArray(self.client, columns, self.lengths, self.patience)

    def mapped(self, function: Callable[..., Any], *args: Any) -> SpreadArray:
        """Return ``function(coords, *args)`` of the coordinates of each block."""
        told = [self.sent(each) for each in args]
        blocks = [self.client.submit(function, block, *told) for block in self.blocks]
        return SpreadArray(self.client, blocks, self.lengths, self.patience)


def arrays_of(
    client: Any, blocks: Sequence[Any], lengths: Sequence[int], order: int, patience: float
) -> tuple[SpreadCoords, SpreadArray, SpreadArray | None]:
    """Return coordinates, values and weights of the blocks of a tensor."""
    (weighted,) = gathered(
        client, [client.submit(has_weights, blocks[0])], "looking at a block", patience
    )
    told = (lengths, patience)
    coords = [client.submit(coords_of, each) for each in blocks]
    values = [client.submit(values_of, each) for each in blocks]
    weights = [client.submit(weights_of, each) for each in blocks] if weighted else None
    return (
        SpreadCoords(order, client, coords, *told),
        SpreadArray(client, values, *told),
        None if weights is None else SpreadArray(client, weights, *told),
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


def apply_joined(function: Callable[..., Any], *arrays: Sequence[Any]) -> Any:
    """Call a function with arrays of which the blocks are given."""
    return function(*(each[0] if len(each) == 1 else np.concatenate(each) for each in arrays))


def subtracted(values: Floats, amounts: Floats, rows: Indices) -> Floats:
    """Return values minus the amounts of their rows."""
    return values - amounts[rows]


def column_of(coords: Coords, mode: int) -> Indices:
    """Return the rows of a mode."""
    return np.ascontiguousarray(coords[:, mode])


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
    return block.weights is not None
