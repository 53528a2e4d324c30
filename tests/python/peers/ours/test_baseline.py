"""The mean, and the mean and biases, as rows of the comparison."""

from __future__ import annotations

import numpy as np
import pytest

from planted_tasks import pairs_task


def test_mean() -> None:
    planted = pairs_task()
    result = planted.run("mean")
    assert result.predictions == pytest.approx(planted.task.values.mean())
    assert (result.stored, result.elements) == (1, 1)


def test_biases_explain_what_is_additive_and_no_more() -> None:
    planted = pairs_task()
    result = planted.run("biases")
    assert 0.5 < planted.error(result.predictions) < 0.9
    assert result.stored == 1 + sum(planted.task.shape)
    assert np.isfinite(result.fitted).all()
