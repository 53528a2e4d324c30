"""Blocks become chunks, and hold the same entries in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")


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
