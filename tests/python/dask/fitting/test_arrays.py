"""Arrays over the entries: what they compute, block by block, has the bits of one machine."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from vest_tucker.data import per_row
from vest_tucker.model.offset import Offset

arrays = pytest.importorskip("vest_tucker.dask.fitting.arrays")
from vest_tucker.dask.told import INLINE  # noqa: E402 - it needs distributed


@pytest.fixture
def sides(client: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[vt.SparseTensor, Any, Any, Any]:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 1000)
    here, there = both(client, weighted=True)
    return here, *arrays.arrays_of(client, there.blocks, there.lengths, 3, 60.0)


def test_sums_have_the_same_bits(sides: tuple[Any, Any, Any, Any]) -> None:
    here, coords, values, weights = sides
    assert len(values.blocks) > 3
    assert values.shape == here.values.shape
    assert coords.shape == here.coords.shape
    assert per_row.total(values) == per_row.total(here.values)
    assert per_row.mean_of(values, weights) == per_row.mean_of(here.values, here.weights)
    assert per_row.sum_of_squares(values - 0.3, weights) == per_row.sum_of_squares(
        here.values - 0.3, here.weights
    )
    assert (values.min(), values.max(), values.any()) == (
        here.values.min(),
        here.values.max(),
        True,
    )
    for dim in (
        here.shape[0],
        5 * per_row.CHUNK,
    ):  # the rows of a long mode are summed in fewer parts
        np.testing.assert_array_equal(
            per_row.sum_per_row(coords[:, 0], values, dim),
            per_row.sum_per_row(here.coords[:, 0], here.values, dim),
        )


def test_arithmetic_in_place_and_by_row(sides: tuple[Any, Any, Any, Any]) -> None:
    here, coords, values, weights = sides
    amounts = np.random.default_rng(0).normal(size=here.shape[1])
    local, there = here.values - here.mean, values - here.mean
    for some, rows in ((local, here.coords[:, 1]), (there, coords[:, 1])):
        per_row.subtract_per_row(some, amounts, rows)
    assert per_row.total(there) == per_row.total(local)
    before = there.max()
    np.subtract(values, there, out=there)
    assert there.max() != before
    np.subtract(here.values, local, out=local)
    assert per_row.total(np.abs(weights * there) / 3.0) == per_row.total(
        np.abs(here.weights * local) / 3.0
    )


def test_offsets_of_entries(sides: tuple[Any, Any, Any, Any]) -> None:
    here, coords, *_ = sides
    rng = np.random.default_rng(1)
    offset = Offset("biases", 0.2, tuple(rng.normal(size=dim) for dim in here.shape))
    assert per_row.total(offset.values_at(coords)) == per_row.total(offset.values_at(here.coords))


def test_large_arguments_are_sent_once(
    client: Any, copies_stay: None, sides: tuple[Any, Any, Any, Any]
) -> None:
    _, _, values, _ = sides
    small, large = np.zeros(3), np.zeros(INLINE)
    assert values.told(small) is small
    found = values.told(large)
    assert len(client.who_has([found])[found.key]) == 2
    assert values.told(Offset("biases", 0.0, (large, small))).key


def test_what_was_made_with_large_arguments_can_be_made_again(
    client: Any, sides: tuple[Any, Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, coords, values, _ = sides
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    amounts = np.random.default_rng(0).normal(size=here.shape[0])
    offset = Offset("biases", 0.2, (amounts, *(np.zeros(dim) for dim in here.shape[1:])))
    less = values - 0.0
    less.subtract_per_row(amounts, coords[:, 0])
    pairs: list[Any] = [
        (offset.values_at(coords), offset.values_at(here.coords)),
        (less, here.values - amounts[here.coords[:, 0]]),
    ]
    for there, want in pairs:
        keys = [each.key for each in there.blocks]
        there.blocks.put_down()
        until = time.monotonic() + 60.0
        while any(client.who_has().get(key) for key in keys):
            assert time.monotonic() < until
            time.sleep(0.02)
        assert per_row.total(there) == per_row.total(want)


def test_nothing_collects_entries_by_accident(sides: tuple[Any, Any, Any, Any]) -> None:
    _, coords, values, _ = sides
    for collect in (
        lambda: np.asarray(values),
        lambda: np.sort(values),
        lambda: np.add.reduce(values),
        lambda: coords[3:5],
    ):
        with pytest.raises(vt.errors.ClusterError):
            collect()
