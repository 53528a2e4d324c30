"""How similar the partners of components in other fits are."""

from __future__ import annotations

import numpy as np

import vest_tucker as vt
from drawn import finished, labels, overlaps, pyplot, texts
from vest_tucker.drawing.stability import Found, draw_stability

FOUND = [Found(f"dish {j}", np.array([0.95, 0.6, 0.9 - j / 10]), 3 - j, 0.3) for j in range(3)]


def test_a_row_per_component(style: str) -> None:
    ax = finished(draw_stability(FOUND, 0.85, n=40))
    assert labels(ax.yaxis) == ["dish 0", "dish 1", "dish 2"]
    assert {"3 of 3", "2 of 3", "1 of 3"} <= set(texts(ax))
    threshold, dots, mean, chance = ax.get_lines()[:4]
    assert set(threshold.get_xdata()) == {0.85}
    assert dots.get_xdata().tolist() == FOUND[0].similarity.tolist()
    np.testing.assert_allclose(mean.get_xdata(), FOUND[0].similarity.mean())
    assert chance.get_xdata().tolist() == [0.3]
    assert len({each.get_marker() for each in (dots, mean, chance)}) == 3


def test_some_of_many_components() -> None:
    many = [Found("$x$" * 40, np.array([0.5]), 0, 0.1)] * 60
    ax = finished(draw_stability(many, 0.85, n=10))
    assert len(ax.get_yticks()) == 10
    assert ax.get_ylabel() == "10 of 60 components shown"
    low = pyplot.figure(figsize=(5, 2.5), layout="constrained").subplots()
    assert draw_stability(many, 0.85, n=40, ax=low) is low
    assert not overlaps(low)


def test_a_single_fit_has_no_others() -> None:
    ax = finished(draw_stability([Found("dish 0", np.zeros(0), 0, float("nan"))], 0.85, n=40))
    assert "0 of 0" in texts(ax)


def test_of_a_study(prunable: vt.SparseTensor) -> None:
    study = vt.stability(prunable, ranks=2, n_seeds=3, preset="paper", lam=0.5, seed=0, max_iter=3)
    ax = finished(study.plot())
    frame = study.components_frame(backend="pandas")
    titles = zip(frame["mode"], frame["component"], strict=True)
    assert labels(ax.yaxis) == [f"{mode} {j}" for mode, j in titles]
    assert [t for t in texts(ax) if " of 2" in t] == [f"{r} of 2" for r in frame["returns"]]
