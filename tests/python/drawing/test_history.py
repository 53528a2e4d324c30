"""Error and zeros over the iterations, and where the fit ended."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import vest_tucker as vt
from drawn import finished, pyplot
from vest_tucker.drawing.history import WHY


def record(iteration: int, rate: float = 0.0, held: float = float("nan")) -> vt.IterationRecord:
    return vt.IterationRecord(iteration, 1.0 / iteration, iteration / 10, 0.0, rate, 0.1, held)


def names(ax: Any) -> list[str]:
    return [each.get_text() for each in ax.get_legend().get_texts()]


def test_lines_are_the_history(model: vt.TuckerModel, style: str) -> None:
    history = [record(t, rate=0.1 if t < 4 else 0.0, held=0.5) for t in range(1, 7)]
    fitted = dataclasses.replace(model, history=history, stopped="validation")
    ax = finished(fitted.plot.history())
    error, held = ax.get_lines()[:2]
    assert error.get_ydata().tolist() == [each.error for each in history]
    assert held.get_ydata().tolist() == [0.5] * 6
    (zeros,) = ax.figure.axes[1].get_lines()
    assert zeros.get_ydata().tolist() == pytest.approx([10, 20, 30, 40, 50, 60])
    styles = [each.get_linestyle() for each in (error, held, zeros)]
    assert len(set(styles)) == 3
    assert len({each.get_marker() for each in (error, held, zeros)}) == 3
    assert names(ax)[-2:] == ["pruning ends, iteration 3", f"{WHY['validation']}, iteration 6"]


def test_one_iteration(model: vt.TuckerModel) -> None:
    fitted = dataclasses.replace(model, history=[record(1)], stopped="max_iter")
    ax = finished(fitted.plot.history())
    assert names(ax) == ["error, fitted", "zeros (right)", "stopped by max_iter, iteration 1"]


def test_every_reason_is_told(prunable: vt.SparseTensor) -> None:
    fitted = vt.fit(prunable, ranks=2, preset="paper", lam=0.5, seed=0, max_iter=3)
    ax = pyplot.figure().subplots()
    assert finished(fitted.plot.history(ax=ax)) is ax
    assert f"{WHY[fitted.stopped]}, iteration {fitted.n_iter}" in names(ax)


def test_no_history(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="no history"):
        model.plot.history()
