"""The start for ratings: a pair of modes as a matrix."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.starts.pairs import pairs_start


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((20, 15, 10), 3, nnz=900, seed=1)[0]


def test_pairs_are_the_two_longest_modes_and_the_others_are_constant() -> None:
    start = pairs_start((30, 4, 40, 5), (3, 2, 2, 2), np.random.default_rng(0))
    assert start.schedule.modes == (0, 2)
    held = start.schedule.constraints
    for mode in (1, 3):
        np.testing.assert_array_equal(start.factors[mode], [[1.0, 0.0]] * (4, 5)[mode // 2])
        np.testing.assert_array_equal(held.zero[mode + 1], start.factors[mode] == 0.0)
        np.testing.assert_array_equal(held.kept[mode + 1], start.factors[mode] != 0.0)
    joined = {tuple(at) for at in np.argwhere(start.core).tolist()}
    assert joined == {(0, 0, 0, 0), (1, 0, 1, 0), (2, 0, 0, 0)}  # each component has a partner
    np.testing.assert_array_equal(start.schedule.constraints.zero[0], start.core == 0.0)
    np.testing.assert_array_equal(start.schedule.constraints.kept[0], start.core != 0.0)


def test_a_core_with_turns_is_free_where_the_pair_meets() -> None:
    start = pairs_start((30, 4, 40), (3, 2, 2), np.random.default_rng(0), core_turns=4)
    free = np.zeros((3, 2, 2), dtype=bool)
    free[:, 0, :] = True
    np.testing.assert_array_equal(start.schedule.constraints.zero[0], ~free)
    assert 0 not in start.schedule.constraints.kept
    assert [t for t in range(1, 30) if start.schedule.updates_core(t)] == [16, 17, 18, 19]
    assert start.schedule.before_pruning == 19


def test_signs_that_are_known_hold_for_pairs() -> None:
    rng = np.random.default_rng(0)
    start = pairs_start((30, 40), (3, 2), rng, nonnegative=[2])
    assert start.factors[1].min() >= 0.0 > start.factors[0].min()


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
    with pytest.raises(vt.errors.OptionError, match='init="pairs" sets the core'):
        vt.fit(tensor, 3, init="pairs", keep={2: np.ones((10, 3), dtype=bool)}, preset="paper")
    model = vt.fit(tensor, 2, lam="auto", loss="lf", support={2: [(0, 1)]}, sparsity=0.3, seed=0)
    assert 'init="data"' in model.chosen
    assert model.factors[2][0, 0] == 0.0
