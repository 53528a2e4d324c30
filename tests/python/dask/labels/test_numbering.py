"""Many labels are numbered in ranges; rows are counted on the workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")
numbering = pytest.importorskip("vest_tucker.dask.labels.numbering")


@pytest.mark.parametrize("kind", [str, int, float])
def test_ranges_give_the_same_numbers(
    client: Any, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbering, "RANGE", 400)
    rng = np.random.default_rng(3)
    ids = rng.permutation(2000)[:900]
    frame = pd.DataFrame({"id": [kind(each) for each in ids], "b": ids % 7, "value": ids * 1.0})
    X = vtd.from_frame(dd.from_pandas(frame, npartitions=6, sort=False), ["id", "b"], client=client)
    assert len(X._numberings[0].parts) > 5
    whole = vt.SparseTensor.from_frame(frame, ["id", "b"])
    assert X.to_local().coords.tobytes() == whole.coords.tobytes()
    assert X.mode_labels == whole.mode_labels


def test_rows_are_counted(client: Any) -> None:
    rng = np.random.default_rng(1)
    cells = np.unique(rng.integers(0, 25, (300, 2)), axis=0)
    frame = pd.DataFrame({"a": cells[:, 0], "b": cells[:, 1], "value": 1.0})
    X = vtd.from_frame(dd.from_pandas(frame, npartitions=3), ["a", "b"], client=client)
    whole = vt.SparseTensor.from_frame(frame, ["a", "b"])
    for mode, counts in enumerate(X.row_counts):
        assert counts.tolist() == np.bincount(whole.coords[:, mode]).tolist()


def test_ordered_categories_that_differ_are_refused(client: Any) -> None:
    def part(number: int) -> pd.DataFrame:
        order = ["low", "high"][:: 1 - 2 * number]
        return pd.DataFrame(
            {"a": pd.Categorical(["low"], order, ordered=True), "b": [number], "value": [1.0]}
        )

    parts = dd.from_map(part, range(2), meta=part(0)[:0], enforce_metadata=False)
    with pytest.raises(vt.errors.LabelError, match="differ between partitions"):
        vtd.from_frame(parts, ["a", "b"], client=client)
