"""What a path gives back: models by number and by sparsity, frames, a plot."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.errors import MissingPackageError, OptionError, SparsityError


@pytest.fixture(scope="module")
def path() -> vt.Path:
    X = vt.datasets.synthetic((16, 12, 9), 2, nnz=800, sparsity=0.4, seed=0)[0]
    train, held = vt.train_test_split(X, test=0.2, seed=0)
    return vt.path(train, 2, preset="paper", validation=held, step=0.1, seed=0, threads=1)


def same(a: vt.TuckerModel, b: vt.TuckerModel) -> bool:
    pairs = zip((a.core, *a.factors), (b.core, *b.factors), strict=True)
    return all((mine == theirs).all() for mine, theirs in pairs)


def test_models_by_number(path: vt.Path) -> None:
    last = len(path) - 1
    assert same(path[-1], path[last])
    assert same(path[np.int64(0)], path[0])
    assert len(list(path)) == len(path)
    assert [len(model.history) for model in path] == list(range(1, len(path) + 1))
    assert same(path.best, path[path.best_index])
    for wrong in (len(path), -len(path) - 1):
        with pytest.raises(IndexError, match=f"no stop {wrong}"):
            _ = path[wrong]
    for wrong_type in (0.5, True, slice(2)):
        with pytest.raises(TypeError, match="whole number"):
            _ = path[wrong_type]  # type: ignore[index]


def test_changing_a_model_does_not_change_the_path(path: vt.Path) -> None:
    model = path[0]
    model.core[...] = 0.0
    assert path[0].core.any()


def test_models_by_sparsity(path: vt.Path) -> None:
    for wanted in (0.0, 0.33, 0.95):
        nearest = min(path.steps, key=lambda step: abs(step.sparsity - wanted))
        assert path.at(sparsity=wanted).sparsity == pytest.approx(nearest.sparsity)
    with pytest.raises(SparsityError):
        path.at(1.5)
    with pytest.raises(OptionError, match="auto"):
        path.at("auto")  # type: ignore[arg-type]


def test_the_knee_by_either_rule(path: vt.Path) -> None:
    squares = np.array([step.validation_error**2 for step in path.steps])
    best = int(squares.argmin())
    bound = squares[best] + path.steps[best].validation_spread
    assert path.choose("validation") == max(np.flatnonzero(squares <= bound))
    assert path.choose("curve") == path.best_index
    with pytest.raises(OptionError, match="knee"):
        path.choose("sharp")  # type: ignore[arg-type]


def test_no_entries_held_back_to_choose_by() -> None:
    X = vt.datasets.synthetic((16, 12, 9), 2, nnz=800, seed=0)[0]
    path = vt.path(X, 2, preset="paper", step=0.3, n_starts=1, seed=0)
    with pytest.raises(OptionError, match="validation="):
        path.choose("validation")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(path: vt.Path, backend: Any) -> None:
    pytest.importorskip(backend)
    frame = path.frame(backend=backend)
    names = [str(name) for name in (frame.column_names if backend == "pyarrow" else frame.columns)]
    assert names[:3] == ["sparsity", "n_nonzero", "n_parameters"]
    column = frame["error"]
    assert (column.to_pylist() if backend == "pyarrow" else column.to_list()) == [
        step.error for step in path.steps
    ]


def test_plot(path: vt.Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = path.plot()
    training, held = axes.get_lines()[:2]
    assert training.get_ydata().tolist() == [step.error for step in path.steps]
    assert held.get_ydata().tolist() == [step.validation_error for step in path.steps]
    assert path.plot(axes) is axes
    pyplot.close("all")


def test_plot_without_matplotlib(path: vt.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError, match=r"vest-tucker\[plot\]"):
        path.plot()


def test_it_can_be_pickled(path: vt.Path) -> None:
    copy = pickle.loads(pickle.dumps(path))
    assert copy.steps == path.steps
    assert same(copy.best, path.best)


def test_repr(path: vt.Path) -> None:
    knee = path.steps[path.best_index].sparsity
    assert repr(path).startswith(f"Path({len(path)} stops, sparsity 0.000 to ")
    assert repr(path).endswith(f"knee at {knee:.3f})")
