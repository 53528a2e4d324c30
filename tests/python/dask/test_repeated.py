"""Cells that meet by their keys."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyarrow")
from vest_tucker.dask import repeated
from vest_tucker.dask.narrow import Block

HUGE = (2**31 - 1, 2**31 - 1, 2**31 - 1)


@pytest.mark.parametrize("shape", [(30, 20, 10), HUGE])
def test_equal_cells_have_equal_keys_and_meet(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    coords = rng.integers(0, 10, (500, 3)).astype(np.int32)
    keys = repeated.cell_keys(list(coords.T), shape)
    distinct = np.unique(coords, axis=0)
    assert len(np.unique(keys)) == len(distinct)
    halves = [Block.of(part, np.ones(250)) for part in (coords[:250], coords[250:])]
    met = []
    for some in (range(3), range(3, 4)):  # at one time, and at another
        split = [repeated.split_keys(half, shape, 4, some) for half in halves]
        met += [repeated.repeated_keys(*of_bucket) for of_bucket in zip(*split, strict=True)]
    _, counts = np.unique(coords, axis=0, return_counts=True)
    assert sum(map(len, met)) == (counts > 1).sum()
    assert min(map(len, met)) > 0, "all keys met in one bucket"


def test_the_order_is_that_of_first_appearance() -> None:
    coords = np.array([[3, 1], [0, 0], [3, 1], [2, 2]], dtype=np.int32)
    block = Block.of(coords, np.array([1.0, 2.0, 5.0, 4.0]))
    keys = repeated.repeated_keys(repeated.cell_keys(list(coords.T), (4, 3)))
    met = repeated.split_met(block, 0, (4, 3), keys)
    new = repeated.replaced(block, "mean", met, [repeated.merged("mean", *met)])
    assert new.coords.tolist() == [[3, 1], [0, 0], [2, 2]]
    assert new.values.tolist() == [3.0, 2.0, 4.0]
    assert repeated.first_repeat(*met) == ([3, 1], 1.0, 5.0)
    assert repeated.first_repeat(met[0].at(np.array([0]))) is None
