"""Several starts: the best one is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting import fit as fitting
from vest_tucker.fitting.algorithm import Outcome, fit_from


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((20, 15, 10), 3, nnz=900, seed=1)[0]


def test_the_best_of_several_starts_is_kept(tensor: vt.SparseTensor) -> None:
    rng = np.random.default_rng(3)
    single = [vt.fit(tensor, 3, lam=0.01, seed=rng, max_iter=15) for _ in range(4)]
    best = vt.fit(tensor, 3, lam=0.01, seed=3, max_iter=15, n_starts=4)
    errors = [model.error for model in single]
    assert len(set(errors)) == 4
    assert best.error == min(errors)
    np.testing.assert_array_equal(best.core, single[int(np.argmin(errors))].core)


def test_validation_decides_where_it_is_given(tensor: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(tensor, test=0.3, seed=0)
    rng = np.random.default_rng(3)
    options = {"lam": 0.01, "sparsity": 0.3, "max_iter": 25, "validation": held}
    single = [vt.fit(train, 3, seed=rng, **options) for _ in range(4)]  # type: ignore[arg-type]
    best = vt.fit(train, 3, seed=3, n_starts=4, **options)  # type: ignore[arg-type]
    held_out = [vt.relative_error(model, held) for model in single]
    assert vt.relative_error(best, held) == min(held_out)


def test_validation_decides_among_starts_that_were_not_done_pruning(
    tensor: vt.SparseTensor,
) -> None:
    train, held = vt.train_test_split(tensor, test=0.3, seed=0)
    rng = np.random.default_rng(5)
    options = {"lam": 0.01, "sparsity": 0.6, "max_iter": 3, "validation": held}
    single = [vt.fit(train, 3, seed=rng, **options) for _ in range(4)]  # type: ignore[arg-type]
    best = vt.fit(train, 3, seed=5, n_starts=4, **options)  # type: ignore[arg-type]
    held_out = [vt.relative_error(model, held) for model in single]
    assert np.argmin(held_out) != 0  # or the first would do
    assert vt.relative_error(best, held) == min(held_out)


def test_pairs_leave_the_other_modes_alone(tensor: vt.SparseTensor) -> None:
    model = vt.fit(
        tensor, 3, init="pairs", offset="biases", loss="lf", sparsity=0.4, allocation="global",
        seed=0,
    )  # fmt: skip
    shortest = model.factors[2]
    assert np.ptp(shortest[:, 0]) == 0.0 != shortest[0, 0]
    assert not shortest[:, 1:].any()
    assert [r.prune_rate > 0.0 for r in model.history[:16]] == [False] * 15 + [True]
    assert model.error < model.offset.error  # type: ignore[union-attr]


def test_pairs_and_prior_knowledge_of_elements_do_not_go_together(
    tensor: vt.SparseTensor,
) -> None:
    with pytest.raises(vt.OptionError, match='init="pairs" sets the core'):
        vt.fit(tensor, 3, init="pairs", keep={2: np.ones((10, 3), dtype=bool)})
    model = vt.fit(tensor, 2, lam="auto", loss="lf", support={2: [(0, 1)]}, sparsity=0.3, seed=0)
    assert 'init="data"' in model.chosen
    assert model.factors[2][0, 0] == 0.0


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
