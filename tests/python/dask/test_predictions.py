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
    assert list(found.columns) == ["prediction", "std", "lower", "upper"]
    here = found.compute()
    there = model.predict(cells, return_std=True, interval=0.9)
    assert (here.index == cells.index).all()
    for name, numbers in zip(found.columns, there, strict=True):
        assert (here[name].to_numpy() == numbers).all()


def test_other_frames_are_refused(client: Any) -> None:
    X = vt.datasets.demo()
    model = vt.fit(X, ranks=2, seed=0, sparsity=0)
    with pytest.raises(vt.errors.DtypeError, match="needs a frame of Dask"):
        vtd.predict(model, [1, 2], client=client)
