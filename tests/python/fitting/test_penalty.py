"""Penalties per part and row as the reference has them, and the units to measure them in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from helpers import assert_close, problem_of
from vest_tucker.fitting.engine import make_solver
from vest_tucker.fitting.penalty import lam_scale, noise_level, weights_of
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.starts.random import random_start
from vest_tucker.fitting.state import FitState

SHAPE, RANKS = (9, 8, 7), (3, 2, 2)


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic(SHAPE, RANKS, nnz=200, missing="skewed", seed=3)[0]


def problem_with(
    X: vt.SparseTensor, wanted: dict[str, Any] | None = None, **options: Any
) -> Problem:
    return problem_of(X, RANKS, options, **(wanted or {}))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_an_iteration_pays_as_the_reference_does(
    tensor: vt.SparseTensor, loss: str, threads: int
) -> None:
    centred = vt.SparseTensor(tensor.coords, tensor.values - tensor.mean, SHAPE)
    problem = problem_with(
        centred, {"nonnegative": ["mode_1", "core"]}, penalty=loss, lam=0.3, lam_core=0.7,
        lam_rows="entries", scale_lam=False, threads=threads,
    )  # fmt: skip
    core, factors = random_start(SHAPE, RANKS, 1)
    p = reference.Problem(centred.coords, centred.values, core, factors)
    solver = make_solver(problem, FitState(core, factors), Schedule(), 0.3)
    for _ in range(2):
        for mode in range(3):
            counts = np.bincount(tensor.coords[:, mode], minlength=SHAPE[mode])
            weight = counts / (tensor.nnz / np.count_nonzero(counts))
            reference.update_factor(p, mode, loss, 0.3, weight, nonnegative=mode == 1)
            solver.update_factor(mode)
        reference.update_core(p, loss, 0.7, nonnegative=True)
        solver.update_core()
    for got, want in zip([core, *factors], p.parts, strict=True):
        assert_close(got, want)
    assert p.factors[1].min() == 0.0 <= p.core.min()  # the sign was felt


def test_row_weights_average_one_over_rows_with_entries() -> None:
    weights = weights_of(np.array([5, 0, 1, 3]), 0.5)
    assert weights[weights > 0].mean() == pytest.approx(1.0)
    assert weights[1] == 0.0


def test_lam_is_scaled_by_entries_per_element(tensor: vt.SparseTensor) -> None:
    assert lam_scale(problem_with(tensor)) == 200 / (12 + 27 + 16 + 14)
    assert lam_scale(problem_with(tensor, scale_lam=False)) == 1.0


def test_a_larger_lam_for_the_core_shrinks_the_core(tensor: vt.SparseTensor) -> None:
    norms = []
    for lam_core in (None, 50.0):
        model = vt.fit(
            tensor, RANKS, loss="lf", lam=0.1, lam_core=lam_core, scale_lam=False, sparsity=0.0,
            standardize=False, max_iter=5, seed=0,
        )  # fmt: skip
        norms.append(np.linalg.norm(model.core))
    assert norms[1] < 0.7 * norms[0]


def test_rows_of_many_entries_pay_more(tensor: vt.SparseTensor) -> None:
    norms = []
    for rows in ("equal", "entries"):
        model = vt.fit(
            tensor, RANKS, loss="lf", lam=2.0, lam_rows=rows, sparsity=0.0, standardize=False,
            max_iter=3, seed=0,
        )  # fmt: skip
        counts = np.bincount(tensor.coords[:, 0], minlength=9)
        heavy = np.linalg.norm(model.factors[0][counts.argmax()])
        norms.append(heavy / np.linalg.norm(model.factors[0]))
    assert norms[1] < norms[0]


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_largest_singular_value_of_the_flipped_matrix(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    shape = (25, 18)
    cells = rng.permutation(25 * 18)[:200]
    coords = np.stack(np.divmod(cells, 18), axis=1).astype(np.int32)
    values = rng.normal(size=200)
    weights = (rng.random(25) + 0.5, rng.random(18) + 0.5) if weighted else (None, None)
    signs = np.where(np.random.default_rng(7).random(200) < 0.5, -1.0, 1.0)
    matrix = np.zeros(shape)
    matrix[coords[:, 0], coords[:, 1]] = signs * values
    if weights[0] is not None and weights[1] is not None:
        matrix /= np.sqrt(np.outer(weights[0], weights[1]))
    want = np.linalg.svd(matrix, compute_uv=False)[0]
    got = noise_level(coords, values, shape, weights, np.random.default_rng(7))
    assert got == pytest.approx(want, rel=2e-2)  # 30 iterations, close neighbours


def test_a_component_does_not_count() -> None:
    coords = np.argwhere(np.ones((40, 30))).astype(np.int32)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=1200)
    alone = noise_level(coords, noise, (40, 30), (None, None), np.random.default_rng(1))
    both = noise_level(coords, noise + 1.0, (40, 30), (None, None), np.random.default_rng(1))
    assert both < 2.0 * alone < 34.6  # the component's own is the root of 1200


def test_nothing_has_no_level() -> None:
    coords = np.array([[0, 0], [1, 1]], dtype=np.int32)
    rng = np.random.default_rng(0)
    assert noise_level(coords, np.zeros(2), (2, 2), (None, None), rng) == 0.0
