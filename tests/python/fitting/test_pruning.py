"""How much is pruned per iteration and in all, when it ends, and that fit follows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.base.options import ALLOCATIONS
from vest_tucker.base.parts import part_sizes
from vest_tucker.fitting.pruning import (
    Pruning,
    auto_limits,
    batch_sizes,
    is_elbow,
    manual_limits,
    prune_rate,
    shot_up,
    too_far,
)
from vest_tucker.fitting.starts.random import random_start

SHAPE, RANKS = (9, 8, 7), (3, 2, 2)
SIZES = [12, 27, 16, 14]


def solver_of(X: vt.SparseTensor, allocation: str, seed: int = 0) -> _core.Solver:
    core, factors = random_start(X.shape, RANKS, seed)
    return _core.Solver(
        X._handle, core, factors, kind=_core.PenaltyKind.LF, lam=1.0, threads=1,
        allocation=ALLOCATIONS[allocation],
    )  # fmt: skip


@pytest.fixture
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic(SHAPE, RANKS, nnz=200, seed=3)[0]


def test_one_limit_for_all_or_one_per_part() -> None:
    assert Pruning.plan(SHAPE, RANKS, 0.5, "per_matrix").limits == (6, 14, 8, 7)
    assert Pruning.plan(SHAPE, RANKS, 0.5, "global").limits == (35,)
    assert Pruning.plan(SHAPE, RANKS, "auto", "per_matrix").limits == (9, 18, 8, 7)
    assert Pruning.plan(SHAPE, RANKS, "auto", "global").limits == (42,)


def test_fixed_parts_are_not_pruned_and_do_not_count() -> None:
    fixed = frozenset({1})
    assert Pruning.plan(SHAPE, RANKS, 0.5, "per_matrix", fixed).limits == (6, 0, 8, 7)
    assert Pruning.plan(SHAPE, RANKS, 0.5, "global", fixed).limits == (21,)
    assert Pruning.plan(SHAPE, RANKS, "auto", "global", fixed).limits == (24,)


@pytest.mark.parametrize("allocation", ["per_matrix", "global"])
def test_batches_lead_just_to_the_limits(tensor: vt.SparseTensor, allocation: Any) -> None:
    plan = Pruning.plan(SHAPE, RANKS, 0.6, allocation)
    solver = solver_of(tensor, allocation)
    while plan.goes_on(solver):
        before = sum(solver.n_pruned)
        solver.prune(plan.batch(0.1, solver))
        assert sum(solver.n_pruned) > before
    done = solver.n_pruned
    want = [math.ceil(0.6 * size) for size in SIZES]
    assert done == want if allocation == "per_matrix" else sum(done) == math.ceil(0.6 * sum(SIZES))


@pytest.mark.parametrize("allocation", ["per_matrix", "global"])
def test_elements_to_keep_end_it_early(tensor: vt.SparseTensor, allocation: Any) -> None:
    solver = solver_of(tensor, allocation)
    for part, size in enumerate(SIZES):
        kept = np.ones(size, dtype=bool)
        kept[0] = part != 1
        solver.set_kept(part, kept)
    plan = Pruning.plan(SHAPE, RANKS, 0.6, allocation)
    assert sum(plan.batch(1.0, solver)) == 1
    solver.prune(plan.batch(1.0, solver))
    assert not plan.goes_on(solver)


@pytest.mark.parametrize("seed", range(5))
def test_one_ranking_as_the_reference_has_it(tensor: vt.SparseTensor, seed: int) -> None:
    core, factors = random_start(SHAPE, RANKS, seed)
    p = reference.Problem(tensor.coords, tensor.values, core, factors)
    solver = solver_of(tensor, "global", seed)
    for count in (5, 11, 0, 1):
        reference.prune_global(p, count)
        solver.prune([count])
        for part, pruned in enumerate(p.pruned):
            np.testing.assert_array_equal(solver.pruned(part), pruned)


def test_short_modes_keep_their_rows() -> None:
    X, _ = vt.datasets.synthetic((60, 50, 5), (3, 3, 2), nnz=2000, noise=0.1, seed=1)
    errors, zeros = {}, {}
    for allocation in ("per_matrix", "global"):
        model = vt.fit(
            X, (3, 3, 2), loss="lf", sparsity=0.6, lam=0.01, allocation=allocation, seed=0
        )
        errors[allocation] = model.error
        zeros[allocation] = np.mean(model.factors[2] == 0.0)
        assert model.history[-1].pruned == pytest.approx(0.6, abs=0.01)
    assert zeros["global"] < zeros["per_matrix"]
    assert errors["global"] < errors["per_matrix"]


def test_automatic_pruning_knows_both() -> None:
    X, _ = vt.datasets.synthetic((60, 50, 5), (3, 3, 2), nnz=2000, noise=0.1, seed=1)
    model = vt.fit(X, (3, 3, 2), lam=0.01, allocation="global", seed=0, preset="paper")
    assert 0.0 < model.sparsity < 1.0
    assert model.history[-1].prune_rate == 0.0


def test_pruning_everything_is_warned_of() -> None:
    plan = Pruning.plan(SHAPE, RANKS, 0.999, "global")
    assert plan.leaves_nothing
    with pytest.warns(RuntimeWarning, match="all 69 elements of the model"):
        plan.warn_of_nothing(0.999, [])
    plan.warn_of_nothing(0.999, [1])  # what is kept is left
    plan = Pruning.plan((30, 20), (2, 2), 0.9, "per_matrix")
    with pytest.warns(RuntimeWarning, match="all 4 elements of the core"):
        plan.warn_of_nothing(0.9, [1, 2])
    plan.warn_of_nothing(0.9, [0])
    plan = Pruning.plan((30, 20), (1, 1), 0.9, "per_matrix")
    assert plan.leaves_nothing  # a core of one element
    with pytest.warns(RuntimeWarning, match="all 1 elements of the core"):
        plan.warn_of_nothing(0.9, [])


def test_an_unknown_allocation_names_itself(tensor: vt.SparseTensor) -> None:
    with pytest.raises(vt.errors.OptionError, match="allocation is 'even'"):
        vt.fit(tensor, RANKS, allocation="even", preset="paper")  # type: ignore[arg-type]


def test_the_estimate_counts_one_ranking() -> None:
    plain = vt.estimate_memory((10_000, 10_000), 1000, 5, threads=1)
    pooled = vt.estimate_memory((10_000, 10_000), 1000, 5, threads=1, allocation="global")
    assert pooled - plain == 8 * (50_000 + 25)


@pytest.mark.parametrize("allocation", ["per_matrix", "global"])
def test_down_to_a_share_something_stays(allocation: Any) -> None:
    plan = Pruning.down_to(SHAPE, RANKS, 0.05, allocation)
    sizes = [sum(SIZES)] if allocation == "global" else SIZES
    kept = [size - limit for size, limit in zip(plan.sizes, plan.limits, strict=True)]
    assert kept == [max(1, math.ceil(0.05 * size)) for size in sizes]
    assert not plan.leaves_nothing
    assert Pruning.down_to(SHAPE, RANKS, 1.0, allocation).limits == (0,) * len(sizes)
    fixed = Pruning.down_to(SHAPE, RANKS, 0.5, "per_matrix", frozenset({1}))
    assert (fixed.sizes[1], fixed.limits[1]) == (0, 0)


def test_a_batch_may_be_a_share_of_what_is_kept(tensor: vt.SparseTensor) -> None:
    plan = Pruning.down_to(tensor.shape, RANKS, 0.03, "global")
    solver = solver_of(tensor, "global")
    left = total = sum(solver.sizes)
    for _ in range(10):
        batch = plan.batch(0.1, solver, of_kept=0.2)
        assert batch == [max(1, min(math.floor(0.1 * total), int(0.2 * left)))]
        solver.error(judge=True)
        solver.prune(batch)
        left -= batch[0]
    assert plan.batch(0.1, solver, of_kept=0.001) == [1]


def test_the_rate_grows_with_t_up_to_the_maximum() -> None:
    rates = [prune_rate(t, 0.01, 0.1) for t in range(1, 14)]
    assert rates[0] == 0.01
    assert rates[6] == 0.01 * 7
    assert rates[9:] == [0.1] * 4


def test_a_batch_is_a_share_of_the_whole_part_rounded_down() -> None:
    assert batch_sizes(0.07, [1000, 199], [500, 0], [900, 100]) == [70, 13]


def test_a_part_short_of_its_limit_loses_at_least_one() -> None:
    assert batch_sizes(0.01, [8, 99], [0, 3], [4, 50]) == [1, 1]


def test_no_batch_goes_past_the_limit() -> None:
    assert batch_sizes(0.1, [1000, 1000, 8], [450, 500, 4], [500, 500, 4]) == [50, 0, 0]


@pytest.mark.parametrize(("size", "share", "limit"), [(8, 0.3, 3), (100, 0.55, 56), (10, 0.0, 0)])
def test_manual_limits_round_up_in_plain_double_arithmetic(
    size: int, share: float, limit: int
) -> None:
    assert manual_limits([size], share) == [limit] == [math.ceil(share * size)]


def test_auto_leaves_a_factor_its_rows_and_the_core_its_longest_side() -> None:
    shape, ranks = (12, 10, 6), (4, 3, 1)
    left = [
        size - limit
        for size, limit in zip(part_sizes(shape, ranks), auto_limits(shape, ranks), strict=True)
    ]
    assert left == [4, 12, 10, 6]


def test_a_sharp_rise_is_an_elbow() -> None:
    assert is_elbow([0.30, 0.29, 0.32], rate=0.03)


def test_levelling_off_is_none_although_it_bends() -> None:
    errors = [0.90, 0.40, 0.39]
    assert errors[2] + errors[0] - 2 * errors[1] > 0.05  # the printed rule alone would stop here
    assert not is_elbow(errors, rate=0.03)


def test_a_steady_rise_is_none_although_it_rises() -> None:
    assert not is_elbow([0.30, 0.31, 0.32], rate=0.03)


@pytest.mark.parametrize("errors", [[0.3], [0.3, 0.9]])
def test_two_errors_have_no_bend(errors: list[float]) -> None:
    assert not is_elbow(errors, rate=0.01)


def test_the_bend_is_held_against_rate_and_threshold() -> None:
    errors = [0.50, 0.50, 0.504]  # a second difference of 0.004
    assert is_elbow(errors, rate=0.05, threshold=0.05)
    assert not is_elbow(errors, rate=0.1, threshold=0.05)
    assert not is_elbow(errors, rate=0.05, threshold=0.1)


def test_only_the_last_three_errors_count() -> None:
    assert not is_elbow([0.30, 0.29, 0.32, 0.33], rate=0.03)


@pytest.mark.parametrize(("last", "too_high"), [(0.25, False), (0.2599, False), (0.2601, True)])
def test_shot_up_compares_with_the_lowest_so_far(last: float, too_high: bool) -> None:
    assert shot_up([0.9, 0.2, 0.24, last]) is too_high


def test_exactly_the_factor_is_too_high() -> None:
    assert shot_up([1.0, 1.3])
    assert shot_up([1.0, 2.0], factor=2.0)
    assert not shot_up([1.0, 1.3], factor=2.0)


def test_an_error_of_zero_has_not_shot_up_from_itself() -> None:
    assert not shot_up([0.0])
    assert not shot_up([0.0, 0.0])


def test_either_an_elbow_or_a_rise_is_too_far() -> None:
    assert too_far([0.30, 0.29, 0.28, 0.32], rate=0.03, threshold=0.05)  # bends, but is not high
    assert too_far([0.20, 0.23, 0.26], rate=0.03, threshold=0.05)  # is high, but does not bend
    assert not too_far([0.30, 0.29], rate=0.03, threshold=0.05)


@pytest.mark.parametrize(("part", "name"), [(0, "the core"), (1, "factor 0"), (3, "factor 2")])
def test_what_is_pruned_away_is_called_by_its_name(part: int, name: str) -> None:
    limits = tuple(size if k == part else 0 for k, size in enumerate(SIZES))
    plan = Pruning("per_matrix", tuple(SIZES), limits, frozenset())
    with pytest.warns(vt.errors.SparsityWarning, match=f"elements of {name}, so"):
        plan.warn_of_nothing(0.9, [])


@pytest.mark.parametrize("allocation", ["per_matrix", "global"])
def test_fixed_parts_are_counted_nowhere(allocation: Any) -> None:
    plan = Pruning.plan(SHAPE, RANKS, 0.5, allocation, frozenset({0, 2}))
    counted = plan._per_group(SIZES)
    assert counted == ([27 + 14] if allocation == "global" else [0, 27, 0, 14])
    assert list(plan.sizes) == counted
