"""What is measured is what the error becomes if the part is really taken away."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import made, with_biases
from vest_tucker.data.per_row import sum_of_squares


def squares(model: vt.TuckerModel, X: vt.SparseTensor) -> float:
    return sum_of_squares(X.values - model.predict(X), X.weights)


def without_component(model: vt.TuckerModel, mode: int, component: int) -> vt.TuckerModel:
    factors = [each.copy() for each in model.factors]
    factors[mode][:, component] = 0.0
    return dataclasses.replace(model, factors=factors)


def without_element(model: vt.TuckerModel, index: Any) -> vt.TuckerModel:
    core = model.core.copy()
    core[tuple(index)] = 0.0
    return dataclasses.replace(model, core=core)


def assert_measured(model: vt.TuckerModel, X: vt.SparseTensor) -> None:
    measured = model.measured
    assert measured is not None
    own = squares(model, X)
    close: dict[str, Any] = {"rel": 1e-6, "abs": 1e-7 * measured.total}
    assert measured.residual == pytest.approx(own, **close)
    assert measured.norm == X.norm
    assert measured.total == pytest.approx(sum_of_squares(X.values - X.mean, X.weights), rel=1e-10)
    for index in np.argwhere(model.core):
        growth = squares(without_element(model, index), X) - own
        assert measured.core[tuple(index)] == pytest.approx(growth, **close)
    assert not measured.core[model.core == 0.0].any()
    for mode, growths in enumerate(measured.components):
        for component in range(1 if model.constant else 0, len(growths)):
            growth = squares(without_component(model, mode, component), X) - own
            assert growths[component] == pytest.approx(growth, **close)


FITS: dict[str, dict[str, Any]] = {
    "plain": {"ranks": 4},
    "around biases": {"offset": "biases", "ranks": 3},
    "unscaled": {"ranks": 3, "standardize": False},
    "paper": {"preset": "paper", "ranks": 3, "sparsity": 0.4, "lam": 0.1},
    "paper around biases": {"preset": "paper", "ranks": 3, "offset": "biases", "lam": 0.1},
    "paper, many starts": {"preset": "paper", "ranks": 2, "n_starts": 3, "init": "data"},
}


@pytest.mark.parametrize("options", FITS.values(), ids=FITS.keys())
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_a_fit_measures_what_its_parts_carry(
    prunable: vt.SparseTensor, rng: np.random.Generator, options: dict[str, Any], weighted: bool
) -> None:
    X = prunable
    if weighted:
        X = X.with_weights(rng.uniform(0.5, 3.0, X.nnz))
    model = vt.fit(X, seed=0, **options)
    assert_measured(model, X)


def test_a_model_of_effects_and_pairs_measures_too(
    rated: vt.TuckerModel, ratings: vt.SparseTensor
) -> None:
    assert_measured(rated, ratings)


@pytest.mark.parametrize("kind", ["mean", "biases"])
def test_without_the_offset(model: vt.TuckerModel, rng: np.random.Generator, kind: str) -> None:
    coords = np.argwhere(np.ones(model.shape))
    X = vt.SparseTensor(coords, rng.normal(3.0, 1.0, len(coords)))
    offset = with_biases(model, rng).offset if kind == "biases" else vt.Offset("mean", 2.5)
    assert offset is not None
    model = dataclasses.replace(model, offset=offset).measure_importance(X)
    assert_measured(model, X)
    measured, own = model.measured, squares(model, X)
    assert measured is not None
    less = dataclasses.replace(model, offset=dataclasses.replace(offset, mean=0.0))
    assert measured.mean == pytest.approx(squares(less, X) - own)
    assert len(measured.offset) == len(offset.biases)
    for mode, growth in enumerate(measured.offset):
        biases = list(offset.biases)
        biases[mode] = np.zeros(model.shape[mode])
        less = dataclasses.replace(model, offset=vt.Offset("biases", offset.mean, tuple(biases)))
        assert growth == pytest.approx(squares(less, X) - own)


def test_entries_are_matched_by_label() -> None:
    labels = {"dish": ["soup", "rice"]}
    model = made([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("who", "dish"), labels=labels)
    X = vt.SparseTensor([[1, 0]], [5.0], modes=("who", "dish"), labels={"dish": ["rice"]})
    measured = model.measure_importance(X).measured
    assert measured is not None
    assert measured.core.tolist() == [[25.0 - 4.0]]
    with pytest.raises(vt.errors.LabelError, match="tea"):
        model.measure_importance(
            vt.SparseTensor([[1, 0]], [5.0], modes=("who", "dish"), labels={"dish": ["tea"]})
        )


def test_it_is_kept_by_files_pickles_and_compact(prunable: vt.SparseTensor, tmp_path: Path) -> None:
    model = vt.fit(prunable, 4, preset="paper", sparsity=0.9, allocation="global", lam=0.1, seed=0)
    model.save(tmp_path / "model.npz")
    for again in (vt.TuckerModel.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
        assert again.measured is not None
        assert model.measured is not None
        assert (
            dataclasses.asdict(again.measured).keys() == dataclasses.asdict(model.measured).keys()
        )
        assert again.measured.core.tobytes() == model.measured.core.tobytes()
    small = model.compact()
    assert small.ranks != model.ranks
    assert_measured(small, prunable)


def test_what_has_learned_new_entries_has_not_been_measured(prunable: vt.SparseTensor) -> None:
    old, new = vt.train_test_split(prunable, test=0.2, seed=0)
    model = vt.fit(old, 2, seed=0)
    assert model.measured is not None
    updated = model.update(new)
    assert updated.measured is None
    with pytest.raises(vt.errors.OptionError, match="measure_importance"):
        updated.importance()
    assert_measured(updated.measure_importance(new), new)


def test_other_ranks_drop_it(prunable: vt.SparseTensor) -> None:
    model = vt.fit(prunable, 2, seed=0)
    other = dataclasses.replace(
        model, core=np.ones((1, 1, 1)), factors=[each[:, :1] for each in model.factors],
        core_variance=None, factor_variances=None,
    )  # fmt: skip
    assert other.measured is None


def test_values_that_are_all_the_same_leave_nothing_to_share() -> None:
    X = vt.SparseTensor(np.argwhere(np.ones((3, 2))), np.full(6, 2.0))
    model = made([[2.0]], [np.ones((3, 1)), np.ones((2, 1))]).measure_importance(X)
    assert model.measured is not None
    assert model.measured.residual == 0.0
    assert model.measured.error_without(24.0) == pytest.approx(1.0)
