"""pyttb's GCP recovers a planted truth, and does not see what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from planted_tasks import cp_task

pyttb = pytest.importorskip("pyttb")


def test_a_planted_truth() -> None:
    planted = cp_task()
    result = planted.run("pyttb-gcp", rank=2, centre=False, rate=0.05, max_iter=40)
    assert planted.error(result.predictions) < 0.2
    assert result.elements == 2 + 2 * sum(planted.task.shape)


def test_only_entries_are_drawn() -> None:
    from peers.published.pyttb_gcp import observed_only

    task = cp_task().task
    tensor = pyttb.sptensor(task.coords, task.values[:, np.newaxis], task.shape)
    sampler = observed_only(tensor, 50)
    entries = set(map(tuple, task.coords.tolist()))
    for cells, values, _ in (sampler.gradient_sample(tensor), sampler.function_sample(tensor)):
        assert {tuple(cell) for cell in cells.tolist()} <= entries
        assert values.all()
