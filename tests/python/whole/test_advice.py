"""What messages advise can be done: each names only options that the call which failed has."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

pd = pytest.importorskip("pandas")
# Imported here, because SciPy draws numbers without a seed when it is loaded inside of a test.
estimators = pytest.importorskip("vest_tucker.sklearn")
MODES = ["person", "dish", "hour"]


@functools.cache
def orders() -> Any:
    return vt.datasets.demo().to_frame(value="times")


@functools.cache
def model() -> vt.TuckerModel:
    return vt.fit(vt.datasets.demo(), 2, preset="paper", lam=0.1, max_iter=2, seed=0)


def frames() -> dict[str, Any]:
    """Some of the orders with something wrong, by what it is."""
    some = orders()[:6]
    no_label, no_value = some.copy(), some.copy()
    no_label.loc[2, "dish"] = None
    no_value.loc[2, "times"] = np.nan
    return {
        "no label": no_label, "no value": no_value, "repeated": pd.concat([some, some[:1]]),
        "misspelt": some.rename(columns={"hour": "Hour"}), "slips": some.assign(dish="Pizza"),
        "of text": some.assign(hour=some["hour"].astype(str)), "strange": some.assign(dish="tofu"),
    }  # fmt: skip


def regressor() -> Any:
    options: dict[str, Any] = {"preset": "paper", "lam": 0.1, "max_iter": 2, "seed": 0}
    return estimators.VestRegressor(2, **options)


def fitted(**options: Any) -> Any:
    return regressor().set_params(**options).fit(orders()[MODES], orders()["times"])


# What is called with a frame, and where the options are that its messages may name.
CALLS: dict[str, tuple[Callable[[Any], object], Callable[[], Any]]] = {
    "predict": (lambda frame: model().predict(frame), lambda: vt.TuckerModel.predict),
    "predict or raise": (
        lambda frame: model().predict(frame, unseen="error"),
        lambda: vt.TuckerModel.predict,
    ),
    "predict surely": (
        lambda frame: model().predict(frame, return_std=True),
        lambda: vt.TuckerModel.predict,
    ),
    "explain": (
        lambda frame: model().explain(frame, unseen="error"),
        lambda: vt.TuckerModel.explain,
    ),
    "recommend": (
        lambda frame: model().recommend(frame[["dish"]], "person"),
        lambda: vt.TuckerModel.recommend,
    ),
    "update": (lambda frame: model().update(frame), lambda: vt.TuckerModel.update),
    "fold_in": (lambda frame: model().fold_in("dish", frame), lambda: vt.TuckerModel.fold_in),
    "regressor": (
        lambda frame: (
            regressor().set_params(duplicates="error").fit(frame.drop(columns="times"), frame.times)
        ),
        lambda: type(regressor()),
    ),
    "regressor's predict": (
        lambda frame: fitted(unseen="error").predict(frame.drop(columns="times")),
        lambda: type(regressor()),
    ),
}


def heard(call: Callable[[], object]) -> list[str]:
    """Return the error and the warnings of a call."""
    told = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except ValueError as error:
            told.append(str(error))
    return [*told, *(str(each.message) for each in caught)]


@pytest.mark.parametrize("name", CALLS)
def test_messages_name_options_of_the_call(name: str) -> None:
    call, owner = CALLS[name]
    options = set(inspect.signature(owner()).parameters)
    told = [text for frame in frames().values() for text in heard(lambda: call(frame))]  # noqa: B023
    assert told
    for text in told:
        cells_aside = re.sub(r"the cell \(.*?\)(?=,|$)", "", text)
        named = set(re.findall(r"(?<![\w.])([a-z_]+)=", cells_aside))
        assert named <= options, text


def test_entries_of_a_frame_are_put_right_as_advised() -> None:
    given = frames()
    with pytest.warns(vt.errors.GapsWarning, match="1 of 6 rows"):
        updated = model().update(given["no label"], missing="drop")
    assert updated.nnz == 20_005
    with pytest.warns(vt.errors.GapsWarning, match="1 of 6 rows"):
        folded = model().fold_in("dish", given["no value"].assign(dish="tofu"), missing="drop")
    assert folded.nnz == 20_005
    assert model().update(given["repeated"], duplicates="mean").nnz == 20_006
    with pytest.raises(vt.errors.OptionError, match="are for frames"):
        model().update(vt.datasets.demo(), missing="drop")
