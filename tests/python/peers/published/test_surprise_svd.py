"""Surprise's SVD recovers biases and a product of two modes."""

from __future__ import annotations

import pytest

from planted_tasks import pairs_task

pytest.importorskip("surprise")


def test_a_planted_truth_and_how_it_was_approached() -> None:
    planted = pairs_task(shape=(40, 30, 1))
    result = planted.run("surprise-svd", curve=True, rank=4, epochs=200)
    assert planted.error(result.predictions) < 0.4
    assert result.elements == 5 * 70
    assert len(result.curve) > 3
    assert planted.error(result.curve[0][1]) > planted.error(result.predictions)
