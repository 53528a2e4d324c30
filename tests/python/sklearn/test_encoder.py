"""Labels as rows of factors: of a fit to the values given, or of another model."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from meals import LIBRARIES
from sklearn_cells import NAMES, QUICK, columns, rows

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from vest_tucker.sklearn import VestEncoder, VestRegressor


@pytest.fixture(scope="module")
def model() -> vt.TuckerModel:
    found: vt.TuckerModel = VestRegressor(**QUICK).fit(frame(), columns()[1]).model_
    return found


def frame(library: str = "pandas") -> Any:
    return LIBRARIES[library](columns()[0])


def test_labels_become_the_rows_of_the_factors() -> None:
    encoder = VestEncoder(regressor=VestRegressor(**QUICK))
    encoded = encoder.fit_transform(frame(), columns()[1])
    model = encoder.model_
    for mode, name in enumerate(NAMES):
        rows = model.mode_labels.encode(mode, columns()[0][name])
        assert np.array_equal(encoded[:, 2 * mode : 2 * mode + 2], model.factors[mode][rows])
    assert encoder.get_feature_names_out().tolist() == [
        f"{name}_{component}" for name in NAMES for component in range(2)
    ]


@pytest.mark.parametrize(
    ("mode", "names"),
    [("dish", ["dish_0", "dish_1"]), (-1, ["day_0", "day_1"]), (["day", 0], ["day_0", "day_1",
     "who_0", "who_1"])],
)  # fmt: skip
def test_chosen_modes(mode: Any, names: list[str]) -> None:
    encoder = VestEncoder(mode, regressor=VestRegressor(**QUICK)).fit(frame(), columns()[1])
    assert encoder.get_feature_names_out().tolist() == names
    assert encoder.transform(frame()).shape == (600, len(names))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_outputs(library: str, model: vt.TuckerModel) -> None:
    encoder = VestEncoder("who", model=model).set_output(transform=library)
    given = frame(library)[["who"]]
    shown = encoder.fit_transform(given)
    assert type(shown) is type(given)
    assert list(shown.columns) == ["who_0", "who_1"]
    assert np.array_equal(np.asarray(shown), VestEncoder("who", model=model).fit_transform(given))


def test_a_given_model_needs_only_its_own_columns(model: vt.TuckerModel) -> None:
    encoder = VestEncoder(["day", "who"], model=model)
    by_name = encoder.fit_transform(frame()[["dish", "who", "day"]])
    by_place = clone(encoder).fit_transform([[row[2], row[0]] for row in rows()[0]])
    assert np.array_equal(by_name, by_place)
    with pytest.raises(vt.errors.ModeError, match="no column 'day'; there are 'who'"):
        encoder.fit(frame()[["who"]])
    with pytest.raises(vt.errors.ModeError, match="a column for each of 'day', 'who'"):
        clone(encoder).fit(rows()[0])
    with pytest.raises(vt.errors.DtypeError, match="must be a TuckerModel, not str"):
        VestEncoder(model="model.npz").fit(frame())  # type: ignore[arg-type]


def test_unseen_labels(model: vt.TuckerModel) -> None:
    strange = frame()[["who"]][:2].assign(who=["nobody", "person b"])
    known = model.factors[0][model.mode_labels.encode(0, ["person b"])[0]]
    entries = model.row_counts
    assert entries is not None
    mean = np.average(model.factors[0], axis=0, weights=entries[0])
    for unseen, row in (("mean", mean), ("zero", [0.0, 0.0]), ("nan", [np.nan, np.nan])):
        found = VestEncoder("who", model=model, unseen=unseen).fit(strange).transform(strange)
        assert np.allclose(found, [row, known], equal_nan=True)
    with pytest.raises(vt.errors.LabelError, match="'nobody'"):
        VestEncoder("who", model=model, unseen="error").fit(strange).transform(strange)
    with pytest.raises(vt.errors.OptionError, match="unseen"):
        VestEncoder("who", model=model, unseen="never").fit(strange)


def test_a_label_without_entries_is_unseen(model: vt.TuckerModel) -> None:
    assert model.row_counts is not None
    counts = [each.copy() for each in model.row_counts]
    counts[0][model.mode_labels.encode(0, ["person b"])[0]] = 0
    lacking = dataclasses.replace(model, entries=counts)
    given = frame()[["who"]][:2].assign(who=["person a", "person b"])
    with pytest.raises(vt.errors.LabelError, match="row 1 has 'person b' in mode 'who', of which"):
        VestEncoder("who", model=lacking, unseen="error").fit(given).transform(given)
    zeros = VestEncoder("who", model=lacking, unseen="zero").fit(given).transform(given)
    assert zeros.any(axis=1).tolist() == [True, False]


def test_biases_come_first_and_constants_not_at_all() -> None:
    names: Any = {"modes": ("who", "dish"), "labels": [["ann", "bob"], ["soup", "rice"]]}
    offset = vt.Offset("biases", 3.0, (np.array([0.5, -0.5]), np.array([0.0, 1.0])))
    factors: Any = [[[1.0], [3.0]], [[1.0], [0.5]]]
    biased = vt.TuckerModel(np.array([[2.0]]), factors, offset=offset, **names)
    encoder = VestEncoder("who", model=biased)
    assert encoder.fit_transform([["bob"], ["eve"]]).tolist() == [[-0.5, 3.0], [0.0, 2.0]]
    assert encoder.get_feature_names_out().tolist() == ["who_bias", "who_0"]
    core = np.array([[3.0, 1.0], [1.0, 0.0]])
    factors = [[[1.0, 0.5], [1.0, -0.5]], [[1.0, 0.0], [1.0, 2.0]]]
    effects = vt.TuckerModel(core, factors, constant=True, **names)
    encoder = VestEncoder(model=effects).fit([["bob", "rice"], ["eve", "rice"]])
    assert encoder.transform([["bob", "rice"], ["eve", "rice"]]).tolist() == [[-0.5, 2], [0, 2]]
    assert encoder.get_feature_names_out().tolist() == ["who_1", "dish_1"]


def test_what_comes_after_it_learns_from_it() -> None:
    """Values are products of the rows of the modes: a polynomial of them is about right."""
    encoder = VestEncoder(regressor=VestRegressor(**QUICK))
    pipeline = make_pipeline(encoder, PolynomialFeatures(3), Ridge(1e-4))
    assert cross_val_score(pipeline, frame(), columns()[1], cv=3).min() > 0.9


def test_names_of_features_are_checked(model: vt.TuckerModel) -> None:
    encoder = VestEncoder("who", model=model).fit(frame())
    assert encoder.get_feature_names_out(list(NAMES)).tolist() == ["who_0", "who_1"]
    with pytest.raises(ValueError, match="length equal to 3"):
        encoder.get_feature_names_out(["who"])
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        encoder.get_feature_names_out(["who", "day", "dish"])


def test_a_mode_that_is_misspelt_is_told_before_a_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pytest.importorskip("pandas").DataFrame({"store": ["a", "b"], "product": ["c", "d"]})
    monkeypatch.setattr(VestRegressor, "fit", lambda *given, **more: pytest.fail("it was fitted"))
    with pytest.raises(vt.errors.ModeError, match="did you mean 'product'"):
        VestEncoder("prodduct").fit(frame, [1.0, 2.0])
