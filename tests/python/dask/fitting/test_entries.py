"""A tensor on a cluster as fits see it: the same numbers as on one machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from vest_tucker.fitting.checkpoint.settings import fingerprint

entries = pytest.importorskip("vest_tucker.dask.fitting.entries")


@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_known_of_the_entries(
    client: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 4096)
    here, there = both(client, weighted=weighted)
    X = entries.SpreadTensor.of(there, 2)
    assert (X.shape, X.order, X.nnz, X.modes) == (here.shape, 3, here.nnz, here.modes)
    assert (X.norm, X.mean, X.total_weight) == (here.norm, here.mean, here.total_weight)
    assert X._handle.is_unchanged()
    assert fingerprint(X) == fingerprint(here)
    halved = X._handle.with_values(X.values / 2.0)
    assert halved.norm == here._handle.with_values(here.values / 2.0).norm


def test_some_of_the_entries(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 4096)
    here, there = both(client, weighted=True)
    mask = np.random.default_rng(0).random(here.nnz) < 0.3
    some = entries.SpreadTensor.of(there, 2).subset(mask)
    want, got = here.subset(mask), some.collected()
    assert got.coords.tobytes() == want.coords.tobytes()
    assert got.values.tobytes() == want.values.tobytes()
    assert some.norm == want.norm
    for numbers in ([1, 2], [0]):
        with pytest.raises(vt.errors.ClusterError, match="by a mask"):
            some.subset(numbers)
    with pytest.raises(vt.errors.EmptyTensorError, match="none was chosen"):
        some.subset(np.zeros(some.nnz, dtype=bool))


def test_all_machines_round_alike(client: Any) -> None:
    assert entries.common_isa(client) == vt._core.isas()[0]


def test_squares_are_summed_a_few_at_a_time() -> None:
    values = np.random.default_rng(0).normal(size=10_000)
    X = vt.SparseTensor(np.column_stack([np.arange(10_000), np.zeros(10_000, int)]), values)
    parts = entries.squares_in_blocks(values)
    assert len(parts) == 3
    assert float(np.sqrt(np.add.accumulate(parts)[-1])) == X.norm


@pytest.mark.parametrize(
    ("large", "many", "times"),
    [(500, 32, 4), (2000, 32, 2), (500, 6, 3), (10**6, 32, 1), (500, 1, 1)],
)
def test_in_large_tensors_the_mode_of_the_core_has_more_shards(
    client: Any, monkeypatch: pytest.MonkeyPatch, large: int, many: int, times: int
) -> None:
    _, there = both(client)
    assert there.nnz >= 4000
    monkeypatch.setattr(entries, "LARGE", large)
    monkeypatch.setattr(entries, "MANY", many)
    X = entries.SpreadTensor.of(there, 2)
    places = X._handle.plan((2, 2, 2), threads=1, sparse_core=False).places
    counts = [len(cut.shards) for cut in places.cuts]
    core = places.outline.core_mode
    assert counts.pop(core) == 2 * times
    assert counts == [2, 2]
