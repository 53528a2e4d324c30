"""GenTen's GCP recovers a planted truth from the observed entries alone."""

from __future__ import annotations

import importlib.util

import pytest

from planted_tasks import cp_task

if importlib.util.find_spec("pygenten") is None:  # importing it here would abort at the exit
    pytest.skip("pygenten is not installed", allow_module_level=True)


def test_a_planted_truth_and_how_it_was_approached() -> None:
    planted = cp_task()
    result = planted.run(
        "genten-gcp", curve=True, rank=2, centre=False, rate=0.05, max_iter=40, batch=500
    )
    assert planted.error(result.predictions) < 0.2
    assert result.elements == 2 + 2 * sum(planted.task.shape)
    assert len(result.curve) > 2
    assert planted.error(result.curve[0][1]) > planted.error(result.predictions)


def test_what_is_missing_is_not_zero() -> None:
    planted = cp_task(rank=1, share=0.2)
    result = planted.run("genten-gcp", rank=1, centre=False, rate=0.05, max_iter=40, batch=500)
    assert planted.error(result.predictions) < 0.2


def test_its_rank_is_chosen_on_entries_held_out() -> None:
    planted = cp_task()
    result = planted.run("genten-gcp", rate=0.05, batch=500)
    assert result.elements in {rank * (1 + sum(planted.task.shape)) for rank in (2, 4)}
