"""Blocks take few bytes, and give back the numbers that they were made of, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.dask import narrow
from vest_tucker.dask.narrow import Block

VALUES = {
    "float16": [0.5, -0.0, 65504.0, 2.0**-24],
    "float32": [0.5, 65505.0, 2.0**-149, -(2.0**100)],
    "float64": [0.5, 0.1, 1e300, 5e-324],
}


@pytest.mark.parametrize("dtype", sorted(VALUES))
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_keep_their_bits(dtype: str, weighted: bool) -> None:
    values = np.array(VALUES[dtype])
    coords = np.array([[0, 0, 0], [255, 256, 65536], [3, 4, 2**31 - 1], [9, 9, 9]], dtype=np.int32)
    block = Block.of(coords, values, np.abs(values) if weighted else None)
    assert [each.dtype for each in block.columns] == [np.uint8, np.uint16, np.int32]
    assert block.stored.dtype == dtype
    parts = [block.at(slice(0, 3)), block.at(slice(3, 3)), block.at(np.array([3]))]
    for found in ((block.coords, block.values, block.weights), narrow.wide_arrays(parts)):
        assert [None if each is None else each.dtype for each in found] == [
            np.int32, np.float64, np.float64 if weighted else None,
        ]  # fmt: skip
        assert np.array_equal(found[0], coords)
        assert found[1] is not None
        assert found[1].tobytes() == values.tobytes()
        if weighted:
            assert found[2] is not None
            assert found[2].tobytes() == np.abs(values).tobytes()
    assert block.nbytes == 4 * (1 + 2 + 4 + (1 + weighted) * int(dtype[-2:]) // 8)


def test_blocks_of_different_widths_are_joined_without_loss() -> None:
    parts = [
        Block.of(np.array([[1, 1]], dtype=np.int32), np.array([0.5])),
        Block.of(np.array([[300, 70_000]], dtype=np.int32), np.array([0.1])),
        Block.of(np.array([[2, 300]], dtype=np.int32), np.array([65505.0])),
    ]
    joined = narrow.joined(parts)
    assert joined.coords.tolist() == [[1, 1], [300, 70_000], [2, 300]]
    assert joined.values.tolist() == [0.5, 0.1, 65505.0]
    assert joined.with_values(np.zeros(3)).stored.dtype == np.float16
