"""model.plot: one method per picture, each on axes given or new, none shown."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from drawn import finished, pyplot

PICTURES: dict[str, Callable[[vt.TuckerModel, vt.SparseTensor], Any]] = {
    "importance": lambda model, X: model.measure_importance(X).plot.importance(),
    "relations": lambda model, X: model.plot.relations(),
    "core": lambda model, X: model.plot.core(),
    "factor": lambda model, X: model.plot.factor(0),
    "explain": lambda model, X: model.plot.explain(X.coords[:1]),
    "history": lambda model, X: model.plot.history(),
    "responsibilities": lambda model, X: model.plot.responsibilities(X),
    "residuals": lambda model, X: model.plot.residuals(X),
}


@pytest.fixture
def fitted(sparse: vt.TuckerModel) -> vt.TuckerModel:
    record = vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    return dataclasses.replace(sparse, history=[record])


def test_every_method_is_tried() -> None:
    names = {name for name in vars(vt.ModelPlots) if not name.startswith("_")}
    assert names == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_made_and_not_shown(
    name: str, fitted: vt.TuckerModel, entries: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyplot, "show", lambda: pytest.fail("it was shown"))
    axes = finished(PICTURES[name](fitted, entries))
    assert all(isinstance(each, pyplot.Axes) for each in np.ravel(np.asarray(axes, dtype=object)))
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize("name", PICTURES)
def test_without_matplotlib(
    name: str, fitted: vt.TuckerModel, entries: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"vest-tucker\[plot\]"):
        PICTURES[name](fitted, entries)


def test_numbers_are_checked(fitted: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="n is 0; choose a whole number of at least 1"):
        fitted.plot.factor(0, n=0)
    with pytest.raises(vt.errors.OptionError, match="labels is 'x'"):
        fitted.plot.relations(labels="x")  # type: ignore[arg-type]


def test_repr_lists_the_pictures(fitted: vt.TuckerModel) -> None:
    assert repr(fitted.plot).startswith("ModelPlots(importance, relations, core, ")


def test_large_fonts_and_other_families(fitted: vt.TuckerModel, entries: vt.SparseTensor) -> None:
    with pyplot.rc_context({"font.size": 22, "font.family": ["serif"]}):
        for draw in PICTURES.values():
            axes = finished(draw(fitted, entries))
            told = np.ravel(np.asarray(axes, dtype=object))[0].findobj(pyplot.Text)
            assert {each.get_fontfamily()[0] for each in told if each.get_text()} == {"serif"}
