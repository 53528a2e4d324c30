"""Bars of what components and relations carry."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import finished, labels, overlaps, pyplot, texts
from small import labelled, with_biases


@pytest.fixture
def measured(sparse: vt.TuckerModel, entries: vt.SparseTensor) -> vt.TuckerModel:
    return sparse.measure_importance(entries)


def test_bars_are_the_shares_of_the_table(measured: vt.TuckerModel) -> None:
    ax = finished(measured.plot.importance())
    rows = [row for row in measured.importance().rows if row.kind == "component"]
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(sorted(widths), sorted(100.0 * row.share for row in rows))
    left = measured.importance().measured.unexplained
    assert f"explains {100 * (1 - left):.0f} % of what the mean leaves" in texts(ax)


def test_components_stand_by_mode_and_keep_their_numbers(measured: vt.TuckerModel) -> None:
    shown = labels(finished(measured.plot.importance()).yaxis)
    modes = [name.rpartition(" ")[0] for name in shown]
    assert modes == sorted(modes, key=modes.index)
    assert "person 2" not in shown  # an empty one carries nothing
    assert {"person 0", "person 1", "person 3"} <= set(shown)


def test_relations_come_strongest_first(measured: vt.TuckerModel) -> None:
    ax = finished(measured.plot.importance(of="relations", n=4))
    widths = [bar.get_width() for bar in ax.patches]
    assert len(widths) == 4
    assert widths == sorted(widths, reverse=True)
    n = sum(row.kind == "relation" for row in measured.importance().rows)
    assert ax.get_ylabel() == f"4 of {n} relations shown"


def test_names_are_used_and_biases_are_bars(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    biased = with_biases(labelled(model), rng).name("film", 0, "classics $x$")
    coords = np.argwhere(np.ones(biased.shape))
    values = biased.predict(coords) + rng.normal(size=len(coords))
    X = vt.SparseTensor(coords, values, modes=biased.modes, labels=biased.labels)
    shown = labels(finished(biased.measure_importance(X).plot.importance()).yaxis)
    assert "classics $x$" in shown
    assert "biases of user" in shown


def test_low_axes_show_fewer(measured: vt.TuckerModel) -> None:
    ax = pyplot.figure(figsize=(5, 1.8), layout="constrained").subplots()
    assert measured.plot.importance(ax=ax) is ax
    assert not overlaps(ax)
    assert ax.get_ylabel().endswith("components shown")


def test_what_was_not_measured_is_an_error(sparse: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="measure_importance"):
        sparse.plot.importance()
