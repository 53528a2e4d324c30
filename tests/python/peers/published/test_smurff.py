"""SMURFF recovers a planted truth; its zeros are those of its samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from peers import SYSTEMS, Task
from peers.peer import Floats
from peers.tucker import cp_predictor
from planted_tasks import cp_task, cp_truth, planted

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


def test_spike_and_slab_finds_zeros() -> None:
    shape = (40, 30, 20)
    truth = cp_predictor(*cp_truth(shape, 2, zeros=0.5))
    task = planted(truth, shape, 2, share=0.3)
    result = task.run("smurff-spike-and-slab", rank=4, burnin=100, samples=50)
    assert task.error(result.predictions) < 0.05
    # Half of the rows of two modes in two components, and all of them in the two to spare.
    assert result.sparsity == pytest.approx((0.5 * 2 + 2) * 50 / (4 * 90), abs=0.03)
