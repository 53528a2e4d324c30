"""The checks that scikit-learn has for estimators; those expected to fail are listed, and must."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sklearn_cells import QUICK

sklearn = pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from vest_tucker.sklearn import VestEncoder, VestRegressor  # noqa: E402

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
ESTIMATORS = [
    VestRegressor(**QUICK | {"ranks": 1}),  # one check has thirty features, which are modes here
    VestEncoder(regressor=VestRegressor(**QUICK | {"ranks": 1})),
]
# By name of the check: why it cannot pass.
EXPECTED: dict[str, str] = {}
if RELEASE < (1, 7):
    EXPECTED["check_positive_only_tag_during_fit"] = (
        "it takes a mean off categories in place, which are whole numbers"
    )
# Of the plain call, which takes long, checks that fit just a few cells of a few modes.
PLAIN = {
    "check_dict_unchanged",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_sample_weights_not_overwritten",
}


def checks(estimators: list[Any], chosen: set[str] | None = None) -> Iterator[Any]:
    """Yield each estimator with each check, marked if it is expected to fail."""
    for estimator in estimators:
        for each, check in estimator_checks_generator(estimator, legacy=True):
            name = check.func.__name__
            if chosen is not None and name not in chosen:
                continue
            reason = EXPECTED.get(name)
            marks = [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]
            yield pytest.param(each, check, marks=marks, id=f"{type(each).__name__}-{name}")


@pytest.mark.unseeded  # seeded the way scikit-learn seeds them
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), [*checks(ESTIMATORS)])
def test_estimators(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.unseeded
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), [*checks([VestRegressor(seed=0)], PLAIN)])
def test_the_plain_call(estimator: Any, check: Any) -> None:
    check(estimator)


def test_every_check_named_here_exists() -> None:
    there = {each.values[1].func.__name__ for each in checks(ESTIMATORS)}
    assert set(EXPECTED) | PLAIN <= there
