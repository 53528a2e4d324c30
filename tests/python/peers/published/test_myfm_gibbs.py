"""myFM recovers biases and a product of two modes; every sample is counted."""

from __future__ import annotations

import numpy as np
import pytest

from planted_tasks import pairs_task

pytest.importorskip("myfm")


def test_a_planted_truth_and_how_it_was_approached() -> None:
    planted = pairs_task()
    result = planted.run("myfm", curve=True, rank=2, samples=100)
    assert planted.error(result.predictions) < 0.15
    assert result.elements == 1 + 3 * sum(planted.task.shape)
    assert result.stored == 95 * result.elements  # its first five samples are left out
    assert len(result.curve) > 2
    assert planted.error(result.curve[0][1]) > planted.error(result.predictions)


def test_the_average_of_a_curve_is_that_of_the_model() -> None:
    from peers.clock import Clock
    from peers.published.myfm_gibbs import Average, fitted_model, one_hot, quiet

    task = pairs_task().task
    average = Average(task, Clock(curve=True))
    model = fitted_model(task.with_settings({"rank": 2, "samples": 30}), quiet)
    for step, sample in enumerate(model.predictor_.samples):
        average(step + 5, sample)
    assert average.sum / average.count == pytest.approx(
        model.predict(one_hot(task.test_coords, task.shape))
    )


def test_one_hot() -> None:
    from peers.published.myfm_gibbs import one_hot

    dense = one_hot(np.array([[1, 0, 2], [0, 1, 1]]), (2, 2, 3)).toarray()
    assert dense.tolist() == [[0, 1, 1, 0, 0, 0, 1], [1, 0, 0, 1, 0, 1, 0]]
