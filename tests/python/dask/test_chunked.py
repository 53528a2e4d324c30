"""Blocks become chunks, and hold the same entries in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")
chunked = pytest.importorskip("vest_tucker.dask.chunked")
narrow = pytest.importorskip("vest_tucker.dask.narrow")


@pytest.mark.parametrize("size", [10, 64, 128, 1000])
def test_every_block_but_the_last_is_a_chunk(
    client: Any, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", size)
    cells = np.random.default_rng(0).permutation(30 * 20)[:320]
    frame = pd.DataFrame(
        {"a": cells // 20, "b": cells % 20, "value": cells * 1.0, "w": cells + 1.0}
    )
    parts = dd.from_pandas(frame, npartitions=5, sort=False)
    X = vtd.from_frame(parts, ["a", "b"], weight="w", client=client)
    whole, rest = divmod(320, size)
    assert X.lengths == [size] * whole + ([rest] if rest else [])
    here = vt.SparseTensor.from_frame(frame, ["a", "b"], weight="w")
    assert X.to_local().coords.tobytes() == here.coords.tobytes()
    assert X.to_local().values.tobytes() == here.values.tobytes()
    there = X.to_local().weights
    assert there is not None
    assert here.weights is not None
    assert there.tobytes() == here.weights.tobytes()


def test_workers_get_as_many_chunks_each(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 10)
    block = narrow.Block.of(np.zeros((35, 2), dtype=np.int32), np.arange(35.0))
    first = min(client.nthreads())
    blocks = [client.submit(same, block, number, workers=[first]) for number in range(4)]
    client.gather(blocks)
    found, lengths = chunked.chunked(client, blocks, [35] * 4)
    values = np.concatenate([each.values for each in client.gather(found)])
    assert values.tolist() == list(range(35)) * 4
    assert lengths == [10] * 14
    held = [where for each in client.who_has(found).values() for where in each[:1]]
    assert sorted(map(held.count, client.nthreads())) == [7, 7]


def test_who_has_its_share_takes_no_more() -> None:
    share = chunked.Share(["a", "b"], 4)
    assert [share.taken_by("a") for _ in range(4)] == ["a", "a", "b", "b"]
    assert chunked.Share(["a", "b"], 2).taken_by(None) in ("a", "b")
    assert chunked.Share(["a"], 1).taken_by("gone") == "a"
    assert chunked.Share([], 1).taken_by("gone") == "gone"


def same(block: Any, number: int) -> Any:
    return block
