"""Where a fit starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.labels import ModeLabels
from vest_tucker.fitting.starts.start import Start, pairs_start, random_start, start_from


def test_the_start_draws_factors_in_mode_order_then_the_core() -> None:
    core, factors = random_start((4, 3), (2, 1), 7)
    rng = np.random.default_rng(7)
    for factor, shape in zip(factors, [(4, 2), (3, 1)], strict=True):
        np.testing.assert_array_equal(factor, rng.random(shape))
    np.testing.assert_array_equal(core, rng.random((2, 1)))


def test_pairs_are_the_two_longest_modes_and_the_others_are_constant() -> None:
    start = pairs_start((30, 4, 40, 5), (3, 2, 2, 2), np.random.default_rng(0))
    assert start.modes == (0, 2)
    for mode in (1, 3):
        np.testing.assert_array_equal(start.factors[mode], [[1.0, 0.0]] * (4, 5)[mode // 2])
        np.testing.assert_array_equal(start.known.zero[mode + 1], start.factors[mode] == 0.0)
        np.testing.assert_array_equal(start.known.kept[mode + 1], start.factors[mode] != 0.0)
    joined = {tuple(at) for at in np.argwhere(start.core).tolist()}
    assert joined == {(0, 0, 0, 0), (1, 0, 1, 0), (2, 0, 0, 0)}  # each component has a partner
    np.testing.assert_array_equal(start.known.zero[0], start.core == 0.0)
    np.testing.assert_array_equal(start.known.kept[0], start.core != 0.0)


def test_a_core_with_turns_is_free_where_the_pair_meets() -> None:
    start = pairs_start((30, 4, 40), (3, 2, 2), np.random.default_rng(0), core_turns=4)
    free = np.zeros((3, 2, 2), dtype=bool)
    free[:, 0, :] = True
    np.testing.assert_array_equal(start.known.zero[0], ~free)
    assert 0 not in start.known.kept
    assert [t for t in range(1, 30) if start.updates_core(t)] == [16, 17, 18, 19]
    assert start.before_pruning == 19


def test_the_papers_start_updates_everything_and_prunes_at_once() -> None:
    start = Start(*random_start((4, 3), (2, 1), 7))
    assert start.before_pruning == 0
    assert all(start.updates_core(t) for t in range(1, 5))


def test_signs_that_are_known_hold_for_pairs() -> None:
    rng = np.random.default_rng(0)
    start = pairs_start((30, 40), (3, 2), rng, nonnegative=[2])
    assert start.factors[1].min() >= 0.0 > start.factors[0].min()


def test_rows_of_another_model_are_found_by_label() -> None:
    model = vt.TuckerModel(
        np.array([[2.0]]),
        [np.array([[1.0], [3.0]]), np.array([[1.0], [2.0], [6.0]])],
        modes=("user", "dish"),
        labels=(None, np.array(["soup", "rice", "tea"])),
        entries=[np.array([1, 3]), np.array([2, 1, 1])],
    )
    wanted = ModeLabels(2, ["user", "dish"], {"dish": ["tea", "pie", "soup"]})
    start = start_from(model, wanted, (3, 3), (1, 1))
    assert start.factors[1].ravel().tolist() == [6.0, 2.5, 1.0]  # pie is the average row
    assert start.factors[0].ravel().tolist() == [1.0, 3.0, 2.5]
    start.core[:] = 0.0
    assert model.core[0, 0] == 2.0  # it was copied


def test_a_warm_start_begins_where_the_model_stands() -> None:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    model = vt.fit(X, 2, lam=0.01, sparsity=0.0, seed=0, max_iter=30)
    again = vt.fit(X, 2, lam=0.01, sparsity=0.0, warm_start=model, max_iter=2, tol=None)
    assert again.history[0].error <= model.error * 1.02
    cold = vt.fit(X, 2, lam=0.01, sparsity=0.0, seed=1, max_iter=2, tol=None)
    assert cold.history[0].error > 1.5 * model.error


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"init": "hosvd"}, vt.InitError, "init is 'hosvd'; choose one of"),
        ({"init": 3}, vt.InitError, "pair"),
        ({"n_starts": 0}, vt.OptionError, "n_starts is 0"),
        ({"warm_start": "model"}, vt.OptionError, "must be a TuckerModel, but is a str"),
    ],
)
def test_starts_that_cannot_be_name_themselves(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    X, _ = vt.datasets.synthetic((6, 5), 2, nnz=20, seed=0)
    with pytest.raises(error, match=words):
        vt.fit(X, 2, **options)


def test_two_places_to_start_from_are_one_too_many() -> None:
    X, truth = vt.datasets.synthetic((6, 5), 2, nnz=20, seed=0)
    with pytest.raises(vt.OptionError, match="init and warm_start both"):
        vt.fit(X, 2, init="random", warm_start=truth)
    with pytest.raises(vt.OptionError, match="n_starts is 3"):
        vt.fit(X, 2, n_starts=3, warm_start=truth)
    with pytest.raises(vt.RankError, match=r"ranks \(2, 2\), but \(1, 2\)"):
        vt.fit(X, (1, 2), warm_start=truth)


def test_a_warm_start_of_other_modes_or_labels_names_them() -> None:
    coords = np.argwhere(np.ones((3, 3)))
    names, dishes = ["ann", "bob", "eve"], ["soup", "rice", "tea"]
    X = vt.SparseTensor(coords, np.ones(9), modes=["user", "dish"], labels=[names, dishes])
    model = vt.fit(X, 1, lam=0.0, seed=0, max_iter=1)
    turned = vt.SparseTensor(coords, np.ones(9), modes=["dish", "user"], labels=[dishes, names])
    with pytest.raises(vt.ModeError, match=r"'user', 'dish'.*same order"):
        vt.fit(turned, 1, warm_start=model)
    others = vt.SparseTensor(coords, np.ones(9), labels=[[7, 8, 9], dishes])
    with pytest.raises(vt.LabelError, match="none of the labels of mode 'mode_0', such as 7"):
        vt.fit(others, 1, warm_start=model)
