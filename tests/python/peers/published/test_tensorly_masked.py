"""TensorLy's masked Tucker recovers a planted truth from some of its cells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planted_tasks import Planted, tucker_task

pytest.importorskip("tensorly")


def test_a_planted_truth() -> None:
    planted = tucker_task()
    result = planted.run("tensorly-masked")
    assert planted.error(result.predictions) < 0.2
    assert result.elements == 8 + 2 * sum(planted.task.shape)
    assert result.stored == result.elements  # a mean of about 0 is better left where it is


def test_the_mean_is_taken_off_where_that_helps() -> None:
    planted = tucker_task()
    far = Planted(replace(planted.task, values=planted.task.values + 30.0), planted.truth + 30.0)
    result = far.run("tensorly-masked")
    assert far.error(result.predictions) < 0.2
    assert result.stored == result.elements + 1
