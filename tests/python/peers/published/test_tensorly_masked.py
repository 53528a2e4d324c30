"""TensorLy's masked Tucker recovers a planted truth from some of its cells."""

from __future__ import annotations

import pytest

from planted_tasks import tucker_task

pytest.importorskip("tensorly")


def test_a_planted_truth() -> None:
    planted = tucker_task()
    result = planted.run("tensorly-masked")
    assert planted.error(result.predictions) < 0.2
    assert result.elements == 8 + 2 * sum(planted.task.shape)
    assert result.stored == result.elements + 1  # and the mean


def test_centring_can_be_left_out() -> None:
    planted = tucker_task()
    assert planted.error(planted.run("tensorly-masked", centre=False).predictions) < 0.2
