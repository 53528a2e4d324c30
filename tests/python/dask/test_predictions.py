"""Predictions of frames in partitions are those of the whole frame."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt

dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")


def test_each_row_has_the_prediction_of_the_whole_frame(client: Any) -> None:
    X = vt.datasets.demo()
    model = vt.fit(X, ranks=2, seed=0, sparsity=0)
    cells = X.to_frame(backend="pandas")
    parts = dd.from_pandas(cells, npartitions=3)
    found = vtd.predict(model, parts, client=client, return_std=True, interval=0.9)
    added = ["predicted", "std", "lower", "upper"]
    assert list(found.columns) == [*cells.columns, *added]
    here = found.compute()
    there = model.predict(cells, return_std=True, interval=0.9)
    assert (here.index == cells.index).all()
    for name, numbers in zip(added, there, strict=True):
        assert (here[name].to_numpy() == numbers).all()


def test_other_frames_are_refused(client: Any) -> None:
    X = vt.datasets.demo()
    model = vt.fit(X, ranks=2, seed=0, sparsity=0)
    with pytest.raises(vt.errors.DtypeError, match="needs a frame of Dask"):
        vtd.predict(model, [1, 2], client=client)
    parts = dd.from_pandas(X.to_frame(backend="pandas"), npartitions=2)
    with pytest.raises(vt.errors.ColumnError, match=r"no column 'dish' \(did you mean 'dsh'\?\)"):
        vtd.predict(model, parts.rename(columns={"dish": "dsh"}), client=client)
    with pytest.raises(vt.errors.ColumnError, match="a column 'predicted' already"):
        vtd.predict(model, parts.rename(columns={"value": "predicted"}), client=client)
    left_out = vtd.predict(model, parts.drop(columns="dish"), client=client, average="dish")
    assert left_out.compute()["predicted"].notna().all()
