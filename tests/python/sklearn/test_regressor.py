"""The estimator inside of what scikit-learn does with estimators: folds, searches, pipelines."""

from __future__ import annotations

import inspect
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from meals import LIBRARIES
from sklearn_cells import QUICK, columns, rows
from vest_tucker.base.docstrings import documented

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.compose import TransformedTargetRegressor  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402

from vest_tucker.sklearn import VestRegressor  # noqa: E402

EAGER = {name: make for name, make in LIBRARIES.items() if "lazy" not in name}
OWN = {"duplicates": "mean", "unseen": "mean", "clip": None}


@pytest.fixture
def quick() -> Any:
    return VestRegressor(**QUICK)


def test_parameters_are_those_of_fit() -> None:
    """The same names, defaults and types in the same order, and three of its own."""
    theirs = list(inspect.signature(vt.fit).parameters.values())[1:]
    own = list(inspect.signature(VestRegressor).parameters.values())
    assert own[: len(theirs)] == theirs
    assert {each.name: each.default for each in own[len(theirs) :]} == OWN
    assert set(VestRegressor().get_params()) == {each.name for each in own}


def test_every_parameter_is_described() -> None:
    found = {name: each.text for each in documented(VestRegressor) for name in each.names}
    assert list(found) == list(inspect.signature(VestRegressor).parameters)
    theirs = {name: each.text for each in documented(vt.fit) for name in each.names}
    assert found["lam_rows"] == theirs["lam_rows"]


@pytest.mark.parametrize("make", EAGER.values(), ids=EAGER)
def test_frames_of_every_library(make: Callable[..., Any], quick: Any) -> None:
    labels, values = columns()
    frame = make(labels)
    quick.fit(frame, values)
    assert quick.feature_names_in_.tolist() == list(labels)
    assert quick.n_features_in_ == 3
    assert quick.model_.modes == tuple(labels)
    assert quick.n_iter_ == quick.model_.n_iter > 0
    predicted = quick.predict(frame)
    assert np.array_equal(predicted, VestRegressor(**QUICK).fit(*rows()).predict(rows()[0]))
    assert quick.score(frame, values) > 0.9


def test_it_is_the_fit_of_the_same_tensor(quick: Any) -> None:
    given, values = rows()
    tensor = vt.SparseTensor.from_frame(
        LIBRARIES["pandas"]({**columns()[0], "value": values}), modes=["who", "dish", "day"]
    )
    sorted_cells = tensor.subset(np.lexsort(tensor.coords.T[::-1]))
    assert quick.fit(given, values).model_.error == vt.fit(sorted_cells, **QUICK).error


def test_the_plain_call_has_standard_deviations() -> None:
    given, values = rows()
    estimator = VestRegressor(seed=0).fit(given, values)
    predicted, std = estimator.predict(given, return_std=True)
    assert np.array_equal(predicted, estimator.predict(given))
    assert std.shape == predicted.shape
    assert (std > 0).all()
    assert np.mean(abs(values - predicted) < 2 * std) > 0.9


def test_labels_that_a_fold_has_not_seen(quick: Any) -> None:
    """Every person is in one fold, so that none of a test fold was in its fit."""
    labels, values = columns()
    frame = LIBRARIES["pandas"](labels)
    predicted = cross_val_predict(quick, frame, values, groups=frame["who"], cv=GroupKFold(4))
    assert np.isfinite(predicted).all()
    for unseen, meant in (("nan", np.isnan), ("zero", np.isfinite)):
        estimator = quick.set_params(unseen=unseen).fit(frame, values)
        strange = frame.assign(who="nobody")
        assert meant(estimator.predict(strange)).all()
    with pytest.raises(vt.errors.LabelError, match="nobody"):
        quick.set_params(unseen="error").predict(strange)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories(library: str, quick: Any) -> None:
    """An ordered category keeps its order, and a test fold may lack some of its categories."""
    labels, values = columns()
    frame = LIBRARIES[library](labels)
    people = sorted(set(labels["who"]))[::-1]
    if library == "pandas":
        ordered = pytest.importorskip("pandas").Categorical(labels["who"], people, ordered=True)
        frame = frame.assign(who=ordered)
    else:
        polars = pytest.importorskip("polars")
        frame = frame.with_columns(polars.col("who").cast(polars.Enum(people)))
    quick.fit(frame, values)
    assert quick.model_.labels[0].tolist() == people
    assert np.array_equal(quick.predict(frame[:5]), quick.predict(frame)[:5])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_search_with_folds(library: str, quick: Any) -> None:
    labels, values = columns()
    search = GridSearchCV(
        quick, {"ranks": [1, 2, (2, 2, 1)], "clip": [None, "seen"]},
        cv=KFold(3, shuffle=True, random_state=0),
    )  # fmt: skip
    search.fit(LIBRARIES[library](labels), values)
    assert search.best_params_["ranks"] != 1
    assert search.best_score_ > 0.9


def test_workers(quick: Any) -> None:
    """Other processes get the estimator and send fitted ones back."""
    given, values = rows()
    options = {"cv": KFold(2, shuffle=True, random_state=0), "return_estimator": True}
    here = cross_validate(quick, given, values, **options)
    there = cross_validate(quick, given, values, n_jobs=2, **options)
    assert np.array_equal(here["test_score"], there["test_score"])
    for one, two in zip(here["estimator"], there["estimator"], strict=True):
        assert np.array_equal(one.model_.core, two.model_.core)


def test_in_a_pipeline_and_around_another_target(quick: Any) -> None:
    labels, values = columns()
    frame = LIBRARIES["pandas"]({**labels, "noise": values})
    chosen = FunctionTransformer(lambda frame: frame[["who", "dish", "day"]])
    doubled = TransformedTargetRegressor(
        quick, func=lambda y: 2 * y + 1, inverse_func=lambda y: (y - 1) / 2
    )
    pipeline = make_pipeline(chosen, doubled)
    assert pipeline.fit(frame, values).score(frame, values) > 0.9


def test_sample_weights_are_routed(quick: Any) -> None:
    given, values = rows()
    weights = np.where(values > 0, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(quick).set_fit_request(sample_weight=True)
        routed = make_pipeline(FunctionTransformer(), asked).fit(
            given, values, sample_weight=weights
        )
        assert np.array_equal(
            routed.predict(given), quick.fit(given, values, sample_weight=weights).predict(given)
        )
    assert not np.array_equal(routed.predict(given), clone(quick).fit(given, values).predict(given))


def test_clones_pickles_and_flags(quick: Any) -> None:
    given, values = rows()
    quick.set_params(keep={0: [("person a", [0])]}, warm_start=False)
    again = pickle.loads(pickle.dumps(quick.fit(given, values)))
    assert np.array_equal(again.predict(given), quick.predict(given))
    assert not hasattr(clone(quick), "model_")
    assert np.array_equal(clone(quick).fit(given, values).predict(given), quick.predict(given))
    assert clone(quick).get_params()["keep"] == {0: [("person a", [0])]}


def test_other_columns_are_refused(quick: Any) -> None:
    labels, values = columns()
    frame = LIBRARIES["pandas"](labels)
    quick.fit(frame, values)
    with pytest.raises(ValueError, match="feature names"):
        quick.predict(frame.rename(columns={"who": "whom"}))
    quick.fit(*rows())
    assert not hasattr(quick, "feature_names_in_")
    with pytest.raises(ValueError, match="2 features"):
        quick.predict([["person a", 101]])


def test_names_that_the_fit_did_not_have(quick: Any) -> None:
    given, values = rows()
    quick.fit(given, values)
    frame = LIBRARIES["pandas"](columns()[0])
    with pytest.warns(UserWarning, match="feature names"):
        predicted = quick.predict(frame)
    assert np.array_equal(predicted, quick.predict(given))


def test_without_the_package_the_extra_is_named() -> None:
    program = "import sys; sys.modules['sklearn'] = None; import vest_tucker.sklearn"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert shown.returncode == 1
    assert "pip install 'vest-tucker[sklearn]'" in shown.stderr


def test_ctrl_c_ends_a_search() -> None:
    """Which would otherwise go on with the next fit, and take half a model for a whole one."""
    given, values = rows()
    fits: list[int] = []

    def interrupt(record: vt.IterationRecord) -> None:
        fits.append(record.iteration)
        if fits.count(1) == 2 and record.iteration == 2:
            signal.raise_signal(signal.SIGINT)

    estimator = VestRegressor(**QUICK, callback=interrupt, on_interrupt="raise")
    with pytest.raises(KeyboardInterrupt, match="interrupted after 2 complete"):
        cross_validate(estimator, given, values, cv=3)
    assert fits.count(1) == 2
