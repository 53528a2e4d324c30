"""The curve of a path, and the stop that was chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from drawn import finished, pyplot
from vest_tucker.drawing.path import draw_path


@dataclass
class Stop:
    share: float
    n_parameters: int
    error: float
    validation_error: float = math.nan
    validation_spread: float = math.nan


STOPS = [
    Stop(0.0, 900, 0.2, 0.3, 0.01),
    Stop(0.5, 450, 0.21, 0.29, 0.01),
    Stop(0.9, 90, 0.7, 0.7, 0.01),
]


def test_errors_zeros_and_what_was_chosen(style: str) -> None:
    ax = finished(draw_path(STOPS, 1, 0.8))
    fitted, held, baseline = ax.get_lines()[:3]
    assert fitted.get_xdata().tolist() == [0.0, 50.0, 90.0]
    assert fitted.get_ydata().tolist() == [0.2, 0.21, 0.7]
    assert held.get_ydata().tolist() == [0.3, 0.29, 0.7]
    assert set(baseline.get_ydata()) == {0.8}
    styles = {each.get_linestyle() for each in (fitted, held, baseline)}
    assert len(styles) == 3
    chosen = ax.get_lines()[-1]
    assert (chosen.get_xdata().tolist(), chosen.get_ydata().tolist()) == ([50.0], [0.21])
    title = ax.get_legend().get_title().get_text()
    assert title == "chosen: 50 % pruned, 450 parameters, error 0.21"


def test_the_band_is_one_standard_error_of_the_square() -> None:
    ax = draw_path(STOPS, 1, 0.8)
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose(heights.max(), math.sqrt(0.7**2 + 0.01))
    np.testing.assert_allclose(heights.min(), math.sqrt(0.29**2 - 0.01))


def test_nothing_held_back_and_no_baseline() -> None:
    stops = [Stop(each.share, each.n_parameters, each.error) for each in STOPS]
    ax = pyplot.figure().subplots()
    assert finished(draw_path(stops, 0, math.nan, ax=ax)) is ax
    names = [each.get_text() for each in ax.get_legend().get_texts()]
    assert names == ["entries fitted", "chosen"]
