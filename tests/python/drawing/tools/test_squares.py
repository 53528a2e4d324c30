"""Squares whose area is the magnitude; zeros are blank, negative ones hollow."""

from __future__ import annotations

import numpy as np

from drawn import finished, pyplot
from vest_tucker.drawing.tools.squares import LEAST, SIDE, draw_squares


def test_areas_and_places() -> None:
    ax = pyplot.figure().subplots()
    squares = draw_squares(ax, np.array([[1.0, 0.0, -0.25], [0.0, 1e-9, 0.0]]))
    boxes = [path.get_extents() for path in squares.get_paths()]
    assert [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes] == [
        (0.0, 0.0), (2.0, 0.0), (1.0, 1.0)
    ]  # fmt: skip
    np.testing.assert_allclose([box.width for box in boxes], [SIDE, SIDE / 2, LEAST])
    solid, hollow, _ = squares.get_facecolors()
    assert tuple(hollow) == ax.get_facecolor()
    assert tuple(solid) != tuple(hollow)
    finished(ax)


def test_nothing_at_all() -> None:
    assert not draw_squares(pyplot.figure().subplots(), np.zeros((2, 3))).get_paths()
