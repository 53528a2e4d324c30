"""P-Tucker-Approx: rows by hand, elements of the core by brute force, a truth recovered."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from peers.clock import Clock
from peers.peer import Fitted, Floats, Task
from peers.tucker import tucker_predictor
from peers.written import p_tucker
from peers.written.p_tucker import deltas, fit, partial_errors, row_blocks, truncated, update_rows
from planted_tasks import Planted, tucker_task


def start(task: Task, seed: int = 0) -> tuple[Floats, list[Floats]]:
    rng = np.random.default_rng(seed)
    shapes = zip(task.shape, task.ranks, strict=True)
    return rng.random(task.ranks), [rng.random(shape) for shape in shapes]


def test_a_row_is_the_ridge_regression_of_its_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p_tucker, "BLOCK", 200)  # so that there are several blocks
    task = tucker_task().task
    core, factors = start(task)
    order = np.argsort(task.coords[:, 1], kind="stable")
    row = 3
    mine = task.coords[:, 1] == row
    features = deltas(core, factors, task.coords[mine], 1)
    by_hand = np.einsum(
        "abc,ea,ec->eb", core, factors[0][task.coords[mine, 0]], factors[2][task.coords[mine, 2]]
    )
    assert features == pytest.approx(by_hand)
    design = np.vstack([by_hand, np.sqrt(0.3) * np.eye(2)])
    ridge = np.linalg.lstsq(design, np.append(task.values[mine], [0.0, 0.0]), rcond=None)[0]
    update_rows(task, core, factors, 1, order, 0.3)
    assert factors[1][row] == pytest.approx(ridge)


def test_blocks_never_cut_a_row() -> None:
    rows = np.array([0, 0, 0, 1, 2, 2, 5, 5, 5, 5])
    for most in (1, 2, 4, 100):
        parts = [rows[block] for block in row_blocks(rows, most)]
        assert np.concatenate(parts).tolist() == rows.tolist()
        for before, after in pairwise(parts):
            assert before[-1] != after[0]


def test_partial_errors_are_what_the_squared_error_loses() -> None:
    task = tucker_task().task
    core, factors = start(task)

    def squares(core: Floats) -> float:
        left = task.values - tucker_predictor(core, factors)(task.coords)
        return float(left @ left)

    rest = task.values - tucker_predictor(core, factors)(task.coords)
    errors = partial_errors(task, core, factors, rest)
    for cell in np.ndindex(core.shape):
        without = core.copy()
        without[cell] = 0.0
        assert errors[cell] == pytest.approx(squares(core) - squares(without))


def test_truncation_takes_the_worst_of_what_is_left() -> None:
    core = np.array([[1.0, 0.0, 2.0], [3.0, 4.0, 5.0]])
    errors = np.array([[9.0, 99.0, 1.0], [8.0, -1.0, -2.0]])
    assert truncated(core, errors, 0.4).tolist() == [[0.0, 0.0, 2.0], [0.0, 4.0, 5.0]]
    assert np.count_nonzero(truncated(core, errors, 1.0)) == 1


def test_a_planted_truth_with_a_full_core() -> None:
    planted = tucker_task()
    whole = recovered(planted, truncation=0.0, max_iter=100, tol=1e-7)
    assert planted.error(whole.predict(planted.task.test_coords)) < 0.05
    assert whole.zeros == 0


def test_truncation_makes_zeros_and_costs_accuracy() -> None:
    planted = tucker_task(rank=3)
    errors, zeros = [], []
    for truncation in (0.0, 0.05, 0.3):
        model = recovered(planted, truncation=truncation)
        errors.append(planted.error(model.predict(planted.task.test_coords)))
        zeros.append(model.zeros)
    assert zeros == sorted(set(zeros))
    assert errors[2] > errors[0]


def test_agrees_with_a_masked_fit_of_tensorly() -> None:
    """The core stays random here and is fitted there: what full ranks can express is the same."""
    decomposition = pytest.importorskip("tensorly.decomposition")
    planted = tucker_task(noise=0.1)
    task = planted.task
    tensor, mask = np.zeros(task.shape), np.zeros(task.shape)
    tensor[tuple(task.coords.T)] = task.values
    mask[tuple(task.coords.T)] = 1.0
    core, factors = decomposition.tucker(
        tensor, task.ranks, mask=mask, n_iter_max=300, init="random", random_state=1, tol=1e-9
    )
    theirs = tucker_predictor(core, factors)(task.test_coords)
    ours = recovered(planted, truncation=0.0, lam=1e-6, max_iter=300, tol=1e-9)
    assert planted.error(theirs) < 0.1
    assert ours.predict(task.test_coords) == pytest.approx(theirs, abs=0.02 * planted.truth.std())


def test_the_curve_falls() -> None:
    planted = tucker_task()
    clock = Clock(curve=True)
    settings = {"lam": 0.01, "truncation": 0.0, "max_iter": 20, "tol": 0.0}
    fit(planted.task.with_settings(settings), clock)
    errors = [planted.error(predictions) for _, predictions in clock.points]
    assert len(errors) > 2
    assert errors[-1] < 0.5 * errors[0]


def recovered(planted: Planted, **settings: float) -> Fitted:
    """Fit from the best of three starts, as P-Tucker's users are told to."""
    fits = []
    for seed in range(3):
        task = Task(**{**vars(planted.task), "seed": seed})
        model = Planted(task, planted.truth).fit("p-tucker-approx", fit, **settings)
        left = task.values - model.predict(task.coords)
        fits.append((float(left @ left), seed, model))
    return min(fits)[2]
