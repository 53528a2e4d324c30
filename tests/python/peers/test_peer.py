"""Tasks and results survive their files; settings are checked; sizes are counted."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from peers import SYSTEMS, Fitted, Result, Task
from planted_tasks import cp_task


def test_a_task_survives_its_file(tmp_path: Path) -> None:
    task = replace(cp_task().task, settings={"rank": 2, "noise": [1, 10]}, threads=3, curve=True)
    task.save(tmp_path / "task.npz")
    again = Task.load(tmp_path / "task.npz")
    for field in fields(Task):
        assert np.array_equal(getattr(again, field.name), getattr(task, field.name))
        assert type(getattr(again, field.name)) is type(getattr(task, field.name))


def test_a_result_survives_its_file(tmp_path: Path) -> None:
    predictions = np.array([1.0, 2.0])
    curve = [(0.1, predictions - 1.0), (0.5, predictions)]
    result = Result(predictions, np.arange(3.0), 0.5, 10, 4, 5, 1, curve)
    result.save(tmp_path / "result.npz")
    again = Result.load(tmp_path / "result.npz")
    assert again.predictions.tolist() == [1.0, 2.0]
    assert again.fitted.tolist() == [0.0, 1.0, 2.0]
    assert [(when, then.tolist()) for when, then in again.curve] == [
        (0.1, [0.0, 1.0]),
        (0.5, [1.0, 2.0]),
    ]
    assert (again.seconds, again.peak_bytes, again.stored, again.elements) == (0.5, 10, 4, 5)
    assert (again.zeros, again.sparsity, again.error) == (1, 0.2, None)


def test_a_failure_survives_its_file(tmp_path: Path) -> None:
    task = cp_task().task
    Result.failed(task, "no reason").save(tmp_path / "result.npz")
    again = Result.load(tmp_path / "result.npz")
    assert again.error == "no reason"
    assert np.isnan(again.predictions).all()
    assert len(again.predictions) == len(task.test_coords)
    assert len(again.fitted) == len(task.values)
    assert again.curve == []


def test_sizes_count_every_sample_and_no_zero() -> None:
    one = Fitted.of_arrays(
        lambda coords: np.zeros(len(coords)), [[1.0, 0.0], [[2.0], [0.0]]], extra=3
    )
    assert (one.elements, one.zeros, one.stored) == (4, 2, 5)
    assert replace(one, samples=10).stored == 23


def test_settings_that_a_system_does_not_have() -> None:
    with pytest.raises(ValueError, match=r"Tucker-ALS .HOOI. has no setting 'rang'; it has centre"):
        SYSTEMS["tucker-als"].settings({"rang": 3})
    assert SYSTEMS["tucker-als"].settings({"tol": 0.1})["tol"] == 0.1


def test_one_rank_is_for_every_mode() -> None:
    task = Task.of([[0, 1, 2]], [1], (1, 2, 3), 2, [[0, 0, 0]])
    assert task.ranks == (2, 2, 2)
    assert (task.order, task.cells) == (3, 6)
