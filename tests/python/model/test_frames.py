"""Tidy frames of three libraries: every element once, with its label, the strongest first."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, MODES, labelled, made, small_model, with_biases, with_variances
from vest_tucker.data.frames import BACKENDS, Backend
from vest_tucker.model.frames import free_names

nw = pytest.importorskip("narwhals")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

pa = pytest.importorskip("pyarrow")

TYPES: dict[Backend, type] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.fixture
def model(model: vt.TuckerModel) -> vt.TuckerModel:
    model.factors[2][1:3] *= -1.0
    model.core[0, 0, 1] = 0.0
    return labelled(model)


def columns_of(frame: Any) -> list[str]:
    return list(nw.from_native(frame, eager_only=True).columns)


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    return list(nw.from_native(frame, eager_only=True).rows())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mode", MODES)
def test_a_factor_is_one_row_per_element(
    model: vt.TuckerModel, mode: str, backend: Backend
) -> None:
    number = MODES.index(mode)
    frame = model.factor_frame(mode, backend=backend)
    assert isinstance(frame, TYPES[backend])
    assert columns_of(frame) == [mode, "component", "value"]
    labels = LABELS[number].tolist()
    seen = np.full(model.factors[number].shape, np.nan)
    for label, component, value in rows_of(frame):
        plain = label.date() if backend == "pandas" and mode == "day" else label
        seen[labels.index(plain), component] = value
    np.testing.assert_array_equal(seen, model.factors[number])


@pytest.mark.parametrize("backend", BACKENDS)
def test_components_in_order_and_the_strongest_first(
    model: vt.TuckerModel, backend: Backend
) -> None:
    rows = rows_of(model.factor_frame("day", nonzero=True, backend=backend))
    assert len(rows) == np.count_nonzero(model.factors[2]) == 14
    keys = [(component, -abs(value)) for _, component, value in rows]
    assert keys == sorted(keys)
    assert min(value for *_, value in rows) < 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_core_is_one_row_per_element(model: vt.TuckerModel, backend: Backend) -> None:
    frame = model.core_frame(backend=backend)
    assert columns_of(frame) == [*MODES, "value"]
    rows = rows_of(frame)
    core = np.full(model.ranks, np.nan)
    for *components, value in rows:
        core[tuple(components)] = value
    np.testing.assert_array_equal(core, model.core)
    sizes = [abs(value) for *_, value in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert len(rows_of(model.core_frame(nonzero=True, backend=backend))) == 5


def test_in_a_mode_without_labels_rows_have_numbers(rng: np.random.Generator) -> None:
    frame = small_model(rng).factor_frame(1, backend="polars")
    assert frame.columns == ["mode_1", "component", "value"]
    assert sorted(frame["mode_1"]) == [0, 1, 2]


def test_modes_that_are_called_like_a_column(model: vt.TuckerModel) -> None:
    odd = dataclasses.replace(model, modes=("value", "component", "day"))
    assert odd.factor_frame(0, backend="polars").columns == ["value_", "component", "value"]
    assert odd.factor_frame(1, backend="polars").columns == ["component_", "component", "value"]
    assert odd.core_frame(backend="polars").columns == ["value_", "component", "day", "value"]


@pytest.mark.parametrize("unit", ["Y", "M", "h", "s", "ns"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_times_of_any_unit(unit: str, backend: Backend) -> None:
    months = np.arange(3).astype(f"M8[{unit}]")
    model = vt.TuckerModel(
        np.ones((1, 1)), [np.ones((2, 1)), np.ones((3, 1))], labels=(None, months)
    )
    assert len(rows_of(model.factor_frame(1, backend=backend))) == 3


def test_a_frame_goes_back_into_predict(model: vt.TuckerModel) -> None:
    frame = model.factor_frame("user", backend="polars").with_columns(
        film=pl.lit(20), day=pl.lit(LABELS[2][3].item())
    )
    users = [LABELS[0].tolist().index(user) for user in frame["user"]]
    want = model.predict([[user, 2, 3] for user in users])
    np.testing.assert_array_equal(model.predict(frame), want)


def test_the_first_installed_library_is_used(
    model: vt.TuckerModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden: set[str] = set()
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in hidden else find_spec(name)
    )
    for backend in BACKENDS:
        assert isinstance(model.core_frame(), TYPES[backend])
        assert isinstance(vt.SparseTensor([[0, 0]], [1.0]).to_frame(), TYPES[backend])
        hidden.add(backend)
    with pytest.raises(
        vt.errors.MissingPackageError, match=r"'pandas', 'polars', 'pyarrow'.*pip install"
    ):
        model.core_frame()


@pytest.mark.parametrize("package", ["narwhals", "polars"])
def test_a_missing_package_is_named(
    model: vt.TuckerModel, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(vt.errors.MissingPackageError, match=f"{package}, which is not installed"):
        model.factor_frame("user", backend="polars")


def test_unknown_libraries_and_modes_are_refused(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="backend is 'excel'"):
        model.core_frame(backend="excel")  # type: ignore[arg-type]
    with pytest.raises(
        vt.errors.ModeError, match="no mode 'movie'; there are 'user', 'film', 'day'"
    ):
        model.factor_frame("movie")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mode", ["film", 1])
def test_biases_are_labels_and_values(
    model: vt.TuckerModel, rng: np.random.Generator, mode: Any, backend: Backend
) -> None:
    biased = with_biases(model, rng)
    assert biased.offset is not None
    frame = biased.bias_frame(mode, backend=backend)
    assert isinstance(frame, TYPES[backend])
    assert columns_of(frame) == ["film", "value"]
    films = dict(zip(LABELS[1].tolist(), biased.offset.biases[1].tolist(), strict=True))
    assert rows_of(frame) == sorted(films.items(), key=lambda pair: -abs(pair[1]))
    assert rows_of(biased.bias_frame(mode, nonzero=True, backend=backend)) == rows_of(frame)[:-1]


def test_models_without_biases_say_so(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match=r'no biases; fit\(\.\.\., offset="biases"\)'):
        model.bias_frame("film")
    with pytest.raises(vt.errors.ModeError, match="no mode 'movie'"):
        model.bias_frame("movie")


@pytest.mark.parametrize("nonzero", [False, True])
def test_variances_give_a_column_of_standard_errors(
    model: vt.TuckerModel, rng: np.random.Generator, nonzero: bool
) -> None:
    sure = with_variances(model, rng)
    assert sure.factor_variances is not None
    assert sure.core_variance is not None
    frame = sure.factor_frame("film", nonzero=nonzero, backend="pandas")
    assert columns_of(frame) == ["film", "component", "value", "std_error"]
    films = LABELS[1].tolist()
    for film, component, value, error in rows_of(frame):
        at = films.index(film), component
        assert (value, error) == (sure.factors[1][at], np.sqrt(sure.factor_variances[1][at]))
    frame = sure.core_frame(nonzero=nonzero, backend="pandas")
    assert columns_of(frame) == ["user", "film", "day", "value", "std_error"]
    for *place, value, error in rows_of(frame):
        at = tuple(place)
        assert (value, error) == (sure.core[at], np.sqrt(sure.core_variance[at]))
    assert columns_of(model.factor_frame("film", backend="pandas"))[-1] == "value"
    renamed = dataclasses.replace(sure, modes=("user", "std_error", "day"))
    assert columns_of(renamed.factor_frame(1, backend="pandas"))[0] == "std_error_"
    assert columns_of(renamed.core_frame(backend="pandas"))[1] == "std_error_"


def effects_model(*, variances: bool) -> vt.TuckerModel:
    """Mean 3, effects of both modes with columns of norm 1, and a pair of columns."""
    core = np.array([[3.0, 2.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
    users = np.array([[1.0, 0.6, 0.1], [1.0, -0.8, 0.2]])
    films = np.array([[1.0, 0.0, 0.3], [1.0, 1.0, 0.4], [1.0, 0.0, 0.0]])
    more: dict[str, Any] = {}
    if variances:
        unsure = [np.full(each.shape, 0.01) for each in (users, films)]
        for each in unsure:
            each[:, 0] = 0.0
        more = {"core_variance": np.zeros((3, 3)), "factor_variances": unsure, "noise": 1.0}
    labels = (np.array(["ann", "bob"]), np.array(["up", "jaws", "big"]))
    return vt.TuckerModel(
        core, [users, films], constant=True, modes=("user", "film"), labels=labels, **more
    )


def test_effects_of_one_mode_are_its_biases() -> None:
    model = effects_model(variances=True)
    frame = model.bias_frame("user")
    assert columns_of(frame) == ["user", "value", "std_error"]
    np.testing.assert_allclose(frame["value"], [-3.2, 2.4])
    np.testing.assert_allclose(frame["std_error"], 0.4)  # 4 times that of the element
    assert rows_of(model.bias_frame(1, nonzero=True))[0][:2] == ("jaws", 2.0)
    assert len(model.bias_frame(1, nonzero=True)) == 1
    assert columns_of(effects_model(variances=False).bias_frame("film")) == ["film", "value"]


def test_biases_of_a_fit_add_up_to_its_predictions() -> None:
    rng = np.random.default_rng(0)
    cells = np.argwhere(rng.random((30, 20)) < 0.5)
    mild, good = rng.normal(size=30), rng.normal(size=20)
    values = 5.0 + mild[cells[:, 0]] + good[cells[:, 1]] + 0.2 * rng.normal(size=len(cells))
    model = vt.fit(vt.SparseTensor(cells, values), seed=0)
    assert model.chosen.startswith("mean and effects")
    effects = [dict(zip(f[f.columns[0]], f["value"], strict=True))
               for f in (model.bias_frame(0), model.bias_frame(1))]  # fmt: skip
    added = [model.core[0, 0] + effects[0][i] + effects[1][j] for i, j in cells.tolist()]
    np.testing.assert_allclose(model.predict(cells), added)
    errors = [dict(zip(f[f.columns[0]], f["std_error"], strict=True))
              for f in (model.bias_frame(0), model.bias_frame(1))]  # fmt: skip
    assert model.core_variance is not None
    rest = model.noise + model.core_variance[0, 0]
    squares = [rest + errors[0][i] ** 2 + errors[1][j] ** 2 for i, j in cells.tolist()]
    np.testing.assert_allclose(model.predict(cells, return_std=True)[1] ** 2, squares)


def test_no_column_is_lost_to_a_name_like_that_of_another() -> None:
    model = made([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]])
    model = dataclasses.replace(model, modes=("value", "value_"))
    assert columns_of(model.core_frame()) == ["value__", "value_", "value"]
    explained = model.explain([[0, 0]]).frame()
    assert columns_of(explained) == ["cell", "value__", "value_", "kind", "term", "value"]
    answers = model.recommend({"value": 1}, along="value_").frame()
    assert columns_of(answers) == ["value__", "place", "value_", "value"]
    worst = model.residuals(vt.SparseTensor([[1, 1]], [2.0], (2, 2))).worst()
    assert columns_of(worst) == ["mode_0", "mode_1", "value", "predicted", "error"]
    named = vt.SparseTensor([[1, 1]], [2.0], (2, 2), modes=("value", "value_"))
    worst = model.residuals(named).worst()
    assert columns_of(worst) == ["value__", "value_", "value", "predicted", "error"]


@pytest.mark.parametrize("names", [("a", "a_", "a__"), ("a_", "a", "b"), ("a__", "b", "a")])
def test_free_names_are_distinct(names: tuple[str, ...]) -> None:
    found = free_names(names, ("a", "a_"))
    assert len({*found, "a", "a_"}) == 5
    assert [each.rstrip("_") for each in found] == [each.rstrip("_") for each in names]


def test_answers_are_frames_of_the_library_that_the_entries_came_in() -> None:
    pl = pytest.importorskip("polars")
    X = vt.datasets.demo()
    own = vt.SparseTensor.from_frame(X.to_frame(backend="polars"), X.modes)
    model = vt.fit(own, ranks=2, sparsity=0, seed=0)
    first, second = X.modes[:2]
    cell = {name: own.mode_labels.decode(mode, [0])[0] for mode, name in enumerate(X.modes)}
    for frame in (
        model.recommend({first: cell[first]}, along=second).frame(),
        model.explain(cell).frame(),
        model.residuals(own).worst(3),
        model.residuals(own).by_label(first),
        model.importance().frame(),
        model.describe().frame(),
    ):
        assert isinstance(frame, pl.DataFrame)
