"""Models beside each other, and beside mean and biases."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import with_biases


@pytest.fixture(scope="module")
def data() -> tuple[vt.SparseTensor, vt.SparseTensor]:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=1200, noise=0.2, seed=0)
    return vt.train_test_split(X.with_weights(1.0 + X.coords[:, 0] % 3), test=0.2, seed=0)


def test_every_row_is_that_of_its_model(data: tuple[vt.SparseTensor, vt.SparseTensor]) -> None:
    train, test = data
    models = {
        "plain": vt.fit(train, 2, seed=0, threads=1),
        "paper": vt.fit(train, 2, preset="paper", sparsity=0.3, lam=0.01, seed=0, threads=1),
    }
    table = vt.compare(models, test, train=train, threads=1)
    baselines: dict[str, vt.TuckerModel] = {
        "mean": vt.baseline(train, "mean"),
        "biases": vt.baseline(train, "biases"),
    }
    assert [row.name for row in table] == ["plain", "paper", "mean", "biases"]
    assert len(table) == 4
    assert table.n_entries == test.nnz
    for name, model in (models | baselines).items():
        row = table[name]
        assert row.relative_error == pytest.approx(vt.relative_error(model, test))
        assert row.rmse == pytest.approx(vt.rmse(model, test))
        assert row.mae == pytest.approx(vt.mae(model, test))
        assert row.n_parameters == model.n_parameters
    assert table["paper"].zeros == models["paper"].sparsity
    assert table["paper"].seconds == models["paper"].seconds
    assert math.isnan(table["mean"].zeros)
    assert table.best == min(table, key=lambda row: row.rmse).name == "plain"
    with pytest.raises(KeyError, match="no 'other'; there are plain, paper, mean, biases"):
        _ = table["other"]


def test_without_the_entries_fitted_offsets_tell(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    test = vt.SparseTensor([[0, 0, 0], [1, 2, 3]], [1.0, 2.0], model.shape)
    assert [row.name for row in vt.compare({"bare": model}, test)] == ["bare"]
    biased = with_biases(model, rng)
    assert biased.offset is not None
    table = vt.compare({"bare": model, "biased": biased}, test)
    assert [row.name for row in table] == ["bare", "biased", "mean", "biases"]
    assert table["mean"].mae == pytest.approx(np.abs(test.values - 3.5).mean())
    left = test.values - biased.offset.values_at(test.coords)
    assert table["biases"].mae == pytest.approx(np.abs(left).mean())
    around = dataclasses.replace(model, offset=vt.Offset("mean", 3.0))
    assert [row.name for row in vt.compare({"around": around}, test)] == ["around", "mean"]


def test_a_model_given_takes_the_place_of_a_baseline(
    data: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, test = data
    table = vt.compare({"biases": vt.baseline(train, "mean")}, test, train=train)
    assert [row.name for row in table] == ["biases", "mean"]
    assert table["biases"].rmse == table["mean"].rmse


def test_how_it_is_shown(data: tuple[vt.SparseTensor, vt.SparseTensor]) -> None:
    train, test = data
    table = vt.compare({"<plain>": vt.fit(train, 2, seed=0, threads=1)}, test, train=train)
    lines = str(table).splitlines()
    assert lines[0] == "3 models on 240 entries"
    assert lines[1].split() == ["model", "zeros", "parameters", "RE", "RMSE", "MAE", "seconds"]
    assert lines[2].endswith("<- best")
    assert lines[3].split()[:2] == ["mean", "1"]
    assert repr(table) == "Comparison(<plain>, mean, biases; 240 entries, best '<plain>')"
    html = table._repr_html_()
    assert html.count("<tr>") == 4
    assert "&lt;plain&gt;" in html
    assert "<plain>" not in html


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(data: tuple[vt.SparseTensor, vt.SparseTensor], backend: Any) -> None:
    pytest.importorskip(backend)
    train, test = data
    frame = vt.compare({"mean": vt.baseline(train, "mean")}, test, train=train).frame(
        backend=backend
    )
    names = frame["name"]
    assert (names.to_pylist() if backend == "pyarrow" else list(names)) == ["mean", "biases"]


def test_an_error_that_is_not_known_is_not_the_lowest(
    data: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, test = data
    table = vt.compare({"mean": vt.baseline(train, "mean")}, test, train=train)
    unknown = dataclasses.replace(table["mean"], name="unknown", rmse=math.nan)
    for rows in ((unknown, *table.rows), (*table.rows, unknown)):
        assert dataclasses.replace(table, rows=rows).best == table.best


def test_what_cannot_be_compared(data: tuple[vt.SparseTensor, vt.SparseTensor]) -> None:
    train, test = data
    model = vt.baseline(train)
    none: Any
    for none in ({}, [model]):
        with pytest.raises(vt.errors.OptionError, match="dict of models"):
            vt.compare(none, test)
    with pytest.raises(vt.errors.DtypeError, match=r"models\['a'\] must be a TuckerModel, not int"):
        vt.compare({"a": 3}, test)  # type: ignore[dict-item]
    with pytest.raises(vt.errors.DtypeError, match="compare needs a SparseTensor"):
        vt.compare({"a": model}, [[1.0]])  # type: ignore[arg-type]
    with pytest.raises(vt.errors.ThreadsError):
        vt.compare({"a": model}, test, threads=-1)


def test_entries_that_were_fitted_are_told(data: tuple[vt.SparseTensor, vt.SparseTensor]) -> None:
    train, _ = data
    model = vt.fit(train, 2, seed=0, threads=1)
    told = "'mine' was fitted to the very entries that models are compared on.*train_test_split"
    with pytest.warns(vt.errors.OverlapWarning, match=told):
        vt.compare({"mine": model, "paper": vt.baseline(train)}, train)
    partly = train.subset(np.arange(train.nnz) < 70)
    with pytest.warns(vt.errors.OverlapWarning, match="70 of the 70 entries .* cells of train"):
        vt.compare({"mine": model}, partly, train=train)
