"""The register of starts, and the choice of the best among several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting import fit as fitting
from vest_tucker.fitting.algorithm import Outcome, fit_from
from vest_tucker.fitting.starts import KINDS


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((20, 15, 10), 3, nnz=900, seed=1)[0]


def test_every_kind_is_found_by_its_name() -> None:
    assert [kind.name for kind in KINDS.values()] == list(KINDS)
    assert KINDS.keys() == {"random", "data", "pairs"}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_tells_all_that_a_search_needs(name: str, tensor: vt.SparseTensor) -> None:
    kind, problem = KINDS[name], problem_of(tensor, 3, {"offset": "biases", "n_starts": 1})
    start = kind.make(problem, np.random.default_rng(0))
    assert start.core.shape == (3, 3, 3)
    assert kind.lam_unit(problem, 0) > 0.0
    assert list(kind.grid) == sorted(kind.grid)
    assert min(kind.sweeps, kind.first_sweeps) > 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"init": "hosvd"}, vt.errors.InitError, "init is 'hosvd'; choose one of"),
        ({"init": 3}, vt.errors.InitError, "pair"),
        ({"n_starts": 0}, vt.errors.OptionError, "n_starts is 0"),
        ({"warm_start": "model"}, vt.errors.OptionError, "must be a TuckerModel, but is a str"),
    ],
)
def test_starts_that_cannot_be_name_themselves(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    X, _ = vt.datasets.synthetic((6, 5), 2, nnz=20, seed=0)
    with pytest.raises(error, match=words):
        vt.fit(X, 2, **options, preset="paper")


def test_two_places_to_start_from_are_one_too_many() -> None:
    X, truth = vt.datasets.synthetic((6, 5), 2, nnz=20, seed=0)
    with pytest.raises(vt.errors.OptionError, match="init and warm_start both"):
        vt.fit(X, 2, init="random", warm_start=truth, preset="paper")
    with pytest.raises(vt.errors.OptionError, match="n_starts is 3"):
        vt.fit(X, 2, n_starts=3, warm_start=truth, preset="paper")
    with pytest.raises(vt.errors.RankError, match=r"ranks \(2, 2\), but \(1, 2\)"):
        vt.fit(X, (1, 2), warm_start=truth, preset="paper")


def test_the_best_of_several_starts_is_kept(tensor: vt.SparseTensor) -> None:
    rng = np.random.default_rng(3)
    single = [vt.fit(tensor, 3, lam=0.01, seed=rng, max_iter=15, preset="paper") for _ in range(4)]
    best = vt.fit(tensor, 3, lam=0.01, seed=3, max_iter=15, n_starts=4, preset="paper")
    errors = [model.error for model in single]
    assert len(set(errors)) == 4
    assert best.error == min(errors)
    np.testing.assert_array_equal(best.core, single[int(np.argmin(errors))].core)


def test_validation_decides_where_it_is_given(tensor: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(tensor, test=0.3, seed=0)
    rng = np.random.default_rng(3)
    options = {"lam": 0.01, "sparsity": 0.3, "max_iter": 25, "validation": held}
    single = [vt.fit(train, 3, seed=rng, **options, preset="paper") for _ in range(4)]  # type: ignore[arg-type]
    best = vt.fit(train, 3, seed=3, n_starts=4, **options, preset="paper")  # type: ignore[arg-type]
    held_out = [vt.relative_error(model, held) for model in single]
    assert vt.relative_error(best, held) == min(held_out)


def test_validation_decides_among_starts_that_were_not_done_pruning(
    tensor: vt.SparseTensor,
) -> None:
    train, held = vt.train_test_split(tensor, test=0.3, seed=0)
    rng = np.random.default_rng(5)
    options = {"lam": 0.01, "sparsity": 0.6, "max_iter": 3, "validation": held}
    single = [vt.fit(train, 3, seed=rng, **options, preset="paper") for _ in range(4)]  # type: ignore[arg-type]
    best = vt.fit(train, 3, seed=5, n_starts=4, **options, preset="paper")  # type: ignore[arg-type]
    held_out = [vt.relative_error(model, held) for model in single]
    assert np.argmin(held_out) != 0  # or the first would do
    assert vt.relative_error(best, held) == min(held_out)


def test_of_two_bases_pruned_alike_the_better_fit_is_kept(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[float] = []
    real = fit_from

    def noted(*args: Any, **options: Any) -> Outcome:
        outcome = real(*args, **options)
        ends.append(outcome.error)
        return outcome

    monkeypatch.setattr(fitting, "fit_from", noted)
    monkeypatch.setattr(fitting, "length_of", lambda outcome, problem: -outcome.error)
    model = vt.fit(tensor, 3, init="data", loss="lf", sparsity=0.5, allocation="global", seed=0)
    assert len(ends) == 2
    assert model.error == min(ends) < max(ends)
