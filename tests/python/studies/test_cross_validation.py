"""Errors on entries held out, fold by fold."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.studies import cross_validation
from vest_tucker.studies.cross_validation import Fold, measured

QUICK: dict[str, Any] = {
    "ranks": 2, "preset": "paper", "lam": 0.01, "sparsity": 0.2, "max_iter": 10, "threads": 1
}  # fmt: skip


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((20, 15, 10), 2, nnz=1001, noise=0.2, seed=0)[0]


def test_every_entry_is_held_out_once(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[vt.SparseTensor] = []

    def noted(model: vt.TuckerModel, train: vt.SparseTensor, test: vt.SparseTensor) -> Fold:
        seen.append(test)
        assert train.nnz + test.nnz == tensor.nnz
        assert model.nnz == train.nnz
        return measured(model, train, test)

    monkeypatch.setattr(cross_validation, "measured", noted)
    result = vt.cross_validate(tensor, k=4, seed=0, **QUICK)
    assert [fold.n_entries for fold in result.folds] == [251, 250, 250, 250]
    cells = np.concatenate([test.coords for test in seen])
    assert len(np.unique(cells, axis=0)) == tensor.nnz
    for model, test, fold in zip(result.models, seen, result.folds, strict=True):
        assert fold.model.relative_error == pytest.approx(vt.relative_error(model, test))
        assert fold.model.mae == pytest.approx(vt.mae(model, test))


def test_mean_and_biases_are_those_of_the_other_folds(tensor: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(tensor, test=0.2, seed=0)
    model = vt.baseline(train, "mean")
    fold = measured(model, train, test)
    assert fold.mean.rmse == pytest.approx(fold.model.rmse)
    biases = vt.baseline(train, "biases")
    assert fold.biases.relative_error == pytest.approx(vt.relative_error(biases, test))


def test_plain_calls_beat_the_baselines(tensor: vt.SparseTensor) -> None:
    result = vt.cross_validate(tensor, k=2, seed=0, metric="mae", threads=1)
    assert (result.errors < 0.5 * result.biases_errors).all()
    assert result.models[0].loss == "bayes"
    assert result.error == pytest.approx(result.errors.mean())
    spread = abs(result.errors[0] - result.errors[1]) / 2
    assert result.standard_error == pytest.approx(spread)
    assert result.errors.tolist() == [fold.model.mae for fold in result.folds]


def test_the_same_seed_deals_the_same_folds(tensor: vt.SparseTensor) -> None:
    one, two, other = (vt.cross_validate(tensor, 3, seed=s, **QUICK) for s in (1, 1, 2))
    assert one.folds == two.folds
    assert one.folds != other.folds


def test_how_it_is_shown(tensor: vt.SparseTensor) -> None:
    result = vt.cross_validate(tensor, 3, seed=0, **QUICK)
    lines = str(result).splitlines()
    assert lines[0] == "3 folds of a 20 x 15 x 10 tensor"
    assert lines[1].split()[:5] == ["fold", "entries", "model", "mean", "biases"]
    assert lines[2].split()[1] == "334"
    assert lines[5].split()[0] == "all"
    assert lines[6].startswith("  relative error 0.")
    assert lines[6].endswith("of 3 folds")
    assert repr(result).startswith("CrossValidation(3 folds, relative error 0.")
    assert result._repr_html_().count("<tr>") == 5
    assert len(result) == 3


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(tensor: vt.SparseTensor, backend: Any) -> None:
    pytest.importorskip(backend)
    result = vt.cross_validate(tensor, 2, seed=0, **QUICK)
    column = result.frame(backend=backend)["model"]
    values = column.to_pylist() if backend == "pyarrow" else list(column)
    assert values == result.errors.tolist()


@pytest.mark.parametrize("within", [True, False])
def test_an_interrupt_leaves_the_complete_folds(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch, within: bool
) -> None:
    calls = [0]

    def disturbed(*args: Any, **options: Any) -> vt.TuckerModel:
        calls[0] += 1
        if calls[0] != 3:
            return vt.fit(*args, **options)
        if not within:
            raise KeyboardInterrupt
        return vt.fit(*args, **options, callback=lambda _: signal.raise_signal(signal.SIGINT))

    monkeypatch.setattr(cross_validation, "fit", disturbed)
    with pytest.warns(RuntimeWarning, match="interrupted after 2 of 4 folds"):
        result = vt.cross_validate(tensor, 4, seed=0, **QUICK)
    assert len(result.models) == len(result.folds) == 2
    calls[0] = 2
    with pytest.raises(KeyboardInterrupt):
        vt.cross_validate(tensor, 2, seed=0, **QUICK)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"k": 1}, "k is 1"),
        ({"k": 2000}, "only 1001 entries"),
        ({"metric": "r2"}, "metric is 'r2'"),
    ],
)
def test_bad_options(tensor: vt.SparseTensor, options: dict[str, Any], says: str) -> None:
    with pytest.raises(vt.errors.OptionError, match=says):
        vt.cross_validate(tensor, seed=0, **options)


def test_something_else_than_a_tensor() -> None:
    with pytest.raises(vt.errors.DtypeError, match="cross_validate needs a SparseTensor"):
        vt.cross_validate([[1.0]])  # type: ignore[arg-type]


def test_warnings_of_the_fits_are_told_to_the_caller(tensor: vt.SparseTensor) -> None:
    with pytest.warns(vt.errors.EmptyModelWarning, match=r"\(in 1 of 2 fits\)") as caught:
        vt.cross_validate(tensor, 2, seed=0, **QUICK | {"lam": 1e6})
    assert {each.filename for each in caught} == {__file__}
