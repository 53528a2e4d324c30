"""Surprise's BaselineOnly is a mean and a bias per row of two modes, about as ours is."""

from __future__ import annotations

import pytest

from planted_tasks import pairs_task

pytest.importorskip("surprise")


def test_as_our_own_baseline() -> None:
    planted = pairs_task(shape=(80, 60, 1))
    result = planted.run("surprise-baseline")
    ours = planted.run("biases")
    assert planted.error(result.predictions) == pytest.approx(
        planted.error(ours.predictions), abs=0.05
    )
    assert result.stored == 1 + 140
