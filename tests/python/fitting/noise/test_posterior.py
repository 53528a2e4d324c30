"""A sweep against its slow twin, constraints, and what a target has of its entries."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_close
from reference_posterior import Twin
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.posterior import EXACT, Parts, Posterior, Target, first_variances
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.noise.tucker import random_parts, started


def tensor(shape: tuple[int, ...], nnz: int, *, weighted: bool = False) -> vt.SparseTensor:
    rng = np.random.default_rng(4)
    cells = rng.choice(int(np.prod(shape)), nnz, replace=False)
    coords = np.stack(np.unravel_index(cells, shape), axis=1)
    weights = rng.uniform(0.5, 4.0, nnz) if weighted else None
    return vt.SparseTensor(coords, rng.normal(1.0, 1.0, nnz), shape, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("shape", "ranks", "inside"),
    [((9, 7), (3, 2), [[1], [0]]), ((4, 7, 9), (3, 2, 2), [[2], [2], [1]])],
)
def test_a_sweep_is_that_of_the_twin(
    shape: tuple[int, ...], ranks: tuple[int, ...], inside: list[list[int]], weighted: bool
) -> None:
    """In a factor's update the variances that count are those of the mode contracted last."""
    X = tensor(shape, 50, weighted=weighted)
    rng = np.random.default_rng(0)
    sizes = [ranks, *zip(shape, ranks, strict=True)]
    values = [rng.uniform(-0.5, 1.0, size) for size in sizes]
    variances = [rng.uniform(0.01, 0.1, size) for size in sizes]
    precision = [rng.uniform(1.0, 2.0, n) for n in (1, *ranks)]
    weights = np.ones(X.nnz) if X.weights is None else X.weights
    twin = Twin(
        X.coords, X.values, weights, [v.copy() for v in values], [v.copy() for v in variances],
        precision, 0.3, inside,
    )  # fmt: skip
    posterior = Posterior(Target(X, X.values, 2), Parts(values, variances), Priors(precision, 0.3))
    for _ in range(2):
        twin.sweep()
        error = posterior.sweep(learn=False)
        for part in range(len(sizes)):
            assert_close(posterior.parts.values[part], twin.values[part])
            assert_close(posterior.parts.variances[part], twin.variances[part])
        left = X.values - twin.predicted()
        assert error == pytest.approx(np.sqrt(np.sum(weights * left**2)) / X.norm, rel=1e-10)


def test_constraints_hold_after_sweeps() -> None:
    X = tensor((9, 7, 4), 120)
    zero = np.zeros((9, 2), bool)
    zero[3] = zero[5, 1] = True
    kept = np.zeros((7, 2), bool)
    kept[:, 0] = True
    given = np.arange(8.0).reshape(4, 2)
    constraints = Constraints(frozenset({0}), {1: zero}, {2: kept}, {3: given})
    target = Target(X, X.values, 1, constraints)
    posterior = random_parts(target, (2, 2, 2), np.random.default_rng(0), 0.1)
    for t in range(8):
        posterior.sweep(learn=t > 2)
    posterior.prune(posterior.parts.n_live)  # as many as can be
    posterior.sweep(learn=False)
    core, first, _, third = posterior.parts.values
    assert not first[zero].any()
    assert posterior.parts.variances[2][:, 0].all()
    np.testing.assert_array_equal(third, given)
    assert not posterior.parts.variances[3].any()
    assert core.min() >= 0.0
    assert posterior.masks[1].all()
    assert not posterior.masks[2][:, 0].any()


def test_nonnegative_everywhere() -> None:
    X = tensor((9, 7, 4), 120)
    target = Target(X, X.values, 1, Constraints(frozenset(range(4))))
    posterior = random_parts(target, (2, 2, 2), np.random.default_rng(0), 0.1)
    for _ in range(8):
        posterior.sweep(learn=True)
    assert min(part.min() for part in posterior.parts.values) >= 0.0


def test_counts_of_parts() -> None:
    mask = np.zeros((3, 2), bool)
    mask[0] = True
    values = [np.ones((2, 2)), np.ones((3, 2)), np.ones((4, 2))]
    parts = Parts(values, first_variances(values, 2.0), {1: mask}, {2: np.eye(4, 2) > 0.0})
    assert parts.n_elements == 4 + 6 + 8 - 2 - 2
    assert parts.variances[1][0, 0] == pytest.approx(4e-4)
    assert parts.n_live == 14  # the core has no variance yet
    copy = parts.copy()
    copy.core[0, 0] = 5.0
    assert parts.core[0, 0] == 1.0


@pytest.mark.parametrize("allocation", ["global", "per_matrix"])
def test_prune_takes_as_many_as_asked(allocation: str) -> None:
    X = tensor((9, 7, 4), 120)
    target = Target(X, X.values, 1, allocation=allocation)
    posterior = random_parts(target, (2, 2, 2), np.random.default_rng(0), 0.1)
    posterior.sweep(learn=False)
    posterior.prune(12)
    pruned = [int(mask.sum()) for mask in posterior.masks]
    assert sum(pruned) == 12
    if allocation == "per_matrix":
        assert pruned == [2, 4, 4, 2]


def test_what_a_target_measures_by() -> None:
    X = tensor((9, 7), 40, weighted=True)
    target = Target(X, X.values)
    assert X.weights is not None
    assert target.square == pytest.approx(np.average(X.values**2, weights=X.weights))
    assert target.noise == pytest.approx(np.sum(X.weights * X.values**2) / 40)
    assert target.size ** (2 * 3) == pytest.approx(target.square)
    nothing = Target(X, np.zeros(40))
    assert nothing.norm == EXACT * X.norm
    assert np.isfinite(started(nothing, [np.ones((1, 1)), np.ones((9, 1)), np.ones((7, 1))], 0.1)
                       .sweep(learn=True))  # fmt: skip


def test_a_fit_that_has_rested_goes_on_to_the_same_bits() -> None:
    X = tensor((9, 7, 4), 120)
    zero = np.zeros((9, 2), bool)
    zero[3] = True
    rested, other = (
        random_parts(Target(X, X.values, 1, Constraints(zero={1: zero})), (2, 2, 2), rng, 0.1)
        for rng in (np.random.default_rng(0), np.random.default_rng(0))
    )
    for each in (rested, other):
        each.sweep(learn=True, judge=True)
        each.prune(9)
    rested.rest()
    assert [mask.tolist() for mask in rested.masks] == [mask.tolist() for mask in other.masks]
    rested.rest()  # nothing is lost by that
    for each in (rested, other):
        each.sweep(learn=True)
    assert rested.error == other.error
    for one, two in zip(rested.parts.values, other.parts.values, strict=True):
        assert one.tobytes() == two.tobytes()
