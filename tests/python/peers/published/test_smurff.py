"""SMURFF recovers a planted truth; its zeros are those of its samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peers import SYSTEMS, Task
from peers.peer import Floats
from peers.tucker import cp_predictor
from planted_tasks import Planted, cp_task, cp_truth, planted

pytest.importorskip("smurff")


def test_a_planted_truth_and_how_it_was_approached() -> None:
    task = cp_task()
    result = task.run("smurff", curve=True, rank=3, burnin=40, samples=40)
    assert task.error(result.predictions) < 0.1
    assert result.elements == 3 * sum(task.task.shape)
    assert result.stored == 40 * result.elements + 1
    assert len(result.curve) > 2
    assert task.error(result.curve[0][1]) > task.error(result.predictions)


def test_its_own_average_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from peers.clock import Clock
    from peers.published import smurff as ours

    monkeypatch.chdir(tmp_path)
    task = cp_task().task
    given = SYSTEMS["smurff"].settings({"rank": 2, "burnin": 10, "samples": 10})
    seen = []

    def look(session: Any, task: Task) -> Floats:
        seen.append(ours_looks(session, task))
        return seen[-1]

    ours_looks = ours.looked_at
    monkeypatch.setattr(ours, "looked_at", look)
    monkeypatch.setattr(Clock, "due", True)
    model = ours.fit(task.with_settings(given), Clock(curve=True))
    assert len(seen) == 20
    assert seen[-1] == pytest.approx(model.predict(task.test_coords), rel=1e-4, abs=1e-4)


def sparse_in_two_components() -> Planted:
    shape = (40, 30, 20)
    return planted(cp_predictor(*cp_truth(shape, 2, zeros=0.5)), shape, 2, share=0.3)


@pytest.mark.parametrize(("mode", "rows"), [(0, 20), (1, 30)])
def test_spike_and_slab_finds_zeros_in_the_mode_that_has_it(mode: int, rows: int) -> None:
    task = sparse_in_two_components()
    result = task.run("smurff-spike-and-slab", rank=4, burnin=60, samples=60, sparse_mode=mode)
    assert task.error(result.predictions) < 0.05
    # Half of the rows in two components, and nearly all of them in the two to spare.
    assert result.sparsity == pytest.approx((0.5 * 2 + 2) * rows / (4 * 90), abs=0.05)


def test_where_and_how_is_chosen_on_entries_held_out() -> None:
    task = sparse_in_two_components()
    result = task.run("smurff-spike-and-slab", rank=4, burnin=40, samples=40)
    assert task.error(result.predictions) < 0.05
    assert result.sparsity > 0.1


def test_in_every_mode_of_values_of_usual_size_nothing_outlives_the_first_sweeps() -> None:
    task = sparse_in_two_components()
    settings: dict[str, Any] = {"sparse_mode": None, "scale": None, "noise": [1.0, 10.0]}
    result = task.run("smurff-spike-and-slab", rank=4, burnin=20, samples=20, **settings)
    assert result.sparsity == 1.0
    assert task.error(result.predictions) == pytest.approx(1.0)


def test_the_unit_of_the_values_does_not_matter() -> None:
    task = sparse_in_two_components()
    large = replace(task, task=replace(task.task, values=1000.0 * task.task.values))
    settings: dict[str, Any] = {"rank": 4, "burnin": 20, "samples": 20, "noise": 2.0}
    one, other = (
        each.run("smurff-spike-and-slab", sparse_mode=0, **settings) for each in (task, large)
    )
    assert other.predictions == pytest.approx(1000.0 * one.predictions, rel=1e-3, abs=1.0)
