"""Boosting of trees learns what the coordinates tell, in both encodings."""

from __future__ import annotations

import numpy as np
import pytest

from peers.peer import Floats, Ints
from planted_tasks import planted

pytest.importorskip("sklearn")


def steps(coords: Ints) -> Floats:
    """A truth that trees can learn: a few rows of two modes are unlike the others."""
    left, right = coords[:, 0] % 10 == 0, coords[:, 1] % 5 == 0
    return np.asarray(np.where(left & right, 3.0, np.where(left, 1.0, 0.0)))


@pytest.mark.parametrize("name", ["boosting", "boosting-target"])
@pytest.mark.parametrize("shape", [(30, 20, 4), (300, 20)])
def test_a_planted_truth(name: str, shape: tuple[int, ...]) -> None:
    task = planted(steps, shape, 2, share=0.9)
    result = task.run(name, max_iter=60)
    assert task.error(result.predictions) < 0.5
    assert result.elements > 60
    assert result.zeros == 0


def test_how_it_was_approached() -> None:
    task = planted(steps, (30, 20, 4), 2, share=0.9)
    result = task.run("boosting", curve=True, max_iter=100)
    assert len(result.curve) > 2
    assert task.error(result.curve[0][1]) > task.error(result.predictions)
