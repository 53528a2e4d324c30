"""The judge judged: reference.py against the stored fits and its own literal definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reference
from conftest import SmallProblem


def test_reproduces_every_stored_fit(golden: dict[str, Any]) -> None:
    problem = reference.Problem(
        golden["coords"], golden["values"], golden["init_core"], golden["init_factors"]
    )
    trace = reference.fit(
        problem,
        golden["loss"],
        golden["lam"],
        golden["sparsity"],
        golden["iterations"],
        golden["allocation"],
    )
    np.testing.assert_allclose(trace.error, golden["error"], rtol=1e-12)
    np.testing.assert_array_equal(trace.zeros, golden["zeros"])
    np.testing.assert_array_equal(trace.pruned, golden["pruned"])
    for got, want in zip(problem.parts, [golden["core"], *golden["factors"]], strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-11)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_both_forms_of_the_responsibility_agree(
    order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    problem = small_problem(order, rng, nnz=60, pruned=0.2)
    for part in range(order + 1):
        literal = reference.responsibilities_by_definition(problem, part)
        summed = reference.responsibilities(problem, part)
        scale = np.abs(literal).max()
        np.testing.assert_allclose(summed, literal, rtol=1e-10, atol=1e-11 * scale)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_both_forms_of_the_variance_agree(
    order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    problem = small_problem(order, rng, nnz=20, pruned=0.2)
    variances = [rng.random(part.shape) for part in problem.parts]
    literal = reference.variance_by_differences(problem, variances)
    np.testing.assert_allclose(reference.variance(problem, variances), literal, rtol=1e-8)


@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_best_value_minimises_the_loss(
    loss: str, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    problem = small_problem(3, rng)
    reference.update_core(problem, loss, 0.7)
    at_best = reference.penalised_loss(problem, loss, 0.7)
    last = (-1,) * 3  # the element the sweep visits last sits at its minimum
    kept = problem.core[last]
    for step in (-1e-3, 1e-3):
        problem.core[last] = kept + step
        assert reference.penalised_loss(problem, loss, 0.7) > at_best


def test_a_rise_is_needed_for_an_elbow() -> None:
    assert not reference.past_the_elbow([0.9, 0.5, 0.4], 0.03)  # bends, but falls
    assert reference.past_the_elbow([0.40, 0.39, 0.41], 0.1)
    assert reference.past_the_elbow([0.3, 0.39], 0.1)  # far off the best, whatever the bend


def test_targets_are_met_part_by_part(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    problem = small_problem(5, rng)
    reference.fit(problem, "lf", 0.5, 0.4, 15)
    assert [int(mask.sum()) for mask in problem.pruned] == reference.targets(problem, 0.4)
