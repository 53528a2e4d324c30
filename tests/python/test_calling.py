"""Random calls of everything public end in a result or in an error that we promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from calling import Hostile, harmless, report, wrong_with
from helpers import needs

CALLS = 150  # `make test-all` makes thousands


@pytest.mark.unseeded
@needs("matplotlib")
@needs("sklearn")
@needs("pandas")
def test_calls_with_anything_end_as_promised() -> None:
    with harmless():
        found = Hostile(seed=7).faults(CALLS)
    assert not found, report(found, CALLS)


HUGE = range(10**9)
MANY, NONE = np.ones((2, 3)), np.zeros((0, 3))


@needs("pandas")
@pytest.mark.parametrize("odd", [MANY, NONE, "yes", None], ids=["many", "none", "text", "None"])
def test_flags_are_true_or_false(odd: Any) -> None:
    X, model = vt.datasets.synthetic((6, 5, 4), 2, nnz=80, seed=0)
    biased = vt.fit(X, 2, preset="paper", offset="biases", lam=0.01, max_iter=1, seed=0)
    stable = vt.stability(X, 2, 2, preset="paper", max_iter=1, lam=0.1, seed=0)
    for call in (
        lambda: model.core_frame(nonzero=odd),
        lambda: model.factor_frame(0, nonzero=odd),
        lambda: biased.bias_frame(0, nonzero=odd),
        lambda: stable.labels_frame(0, nonzero=odd),
        lambda: model.predict([[0, 0, 0]], return_std=odd),
        lambda: model.recommend({"mode_0": 0}, along="mode_1", largest=odd),
    ):
        with pytest.raises(vt.errors.OptionError, match="choose True or False"):
            call()


class Incomparable:
    """What says of nothing whether it is the same."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


def labelled_model() -> vt.TuckerModel:
    X = vt.SparseTensor([[0, 0]], [1.0], modes=["a", "b"], labels={"a": ["x"], "b": ["y"]})
    return vt.fit(X, 1, preset="paper", lam=0.0, max_iter=1, seed=0)


# What one odd argument made go wrong deep inside, and what must be said of it.
untyped: Any = vt  # for calls that types forbid
ODD: dict[str, tuple[Callable[[Any, Any], Any], type[Exception], str]] = {
    "penalty": (lambda X, _: untyped.fit(X, 2, penalty=MANY), vt.errors.LossError, "penalty is"),
    "loss and penalty": (
        lambda X, _: untyped.fit(X, 2, penalty=MANY, loss=NONE), TypeError, "two names"),
    "a masked cell": (
        lambda _, m: m.predict(np.ma.masked), vt.errors.DtypeError, "masked"),
    "cells that are a range": (
        lambda _, m: m.predict(HUGE), vt.errors.ShapeError, r"are range\(0, 1000000000\)"),
    "a row that is a range": (
        lambda _, m: m.predict([HUGE]), vt.errors.ShapeError, "row 0 is range"),
    "an interval": (
        lambda _, m: m.predict([[0, 0, 0]], interval=10**400), vt.errors.OptionError, "interval"),
    "labels": (
        lambda X, _: untyped.SparseTensor.from_dense(np.ones((2, 2)), labels=HUGE),
        vt.errors.LabelError, "modes but the tensor has 2"),
    "a mask": (
        lambda X, _: untyped.SparseTensor.from_dense(np.ones((2, 2)), mask=HUGE),
        vt.errors.ShapeError, "mask"),
    "nonnegative": (
        lambda X, _: untyped.fit(X, nonnegative=HUGE), vt.errors.OptionError, "no mode 3"),
    "like": (
        lambda *_: untyped.read("x.csv", like=frozenset("a")), vt.errors.DtypeError, "like needs"),
    "value": (lambda *_: untyped.read("x.csv", value=MANY), vt.errors.OptionError, "value is"),
    "a range in a core": (
        lambda *_: untyped.TuckerModel([HUGE, ()], []), vt.errors.ShapeError, "are range"),
    "a path of bytes": (lambda _, m: m.save(b"x"), vt.errors.OptionError, "path is"),
    "nonnegative in no dimension": (
        lambda X, _: untyped.fit(X, nonnegative=np.array(3)), vt.errors.OptionError, "nonnegative"),
    "a column to write to": (
        lambda X, _: untyped.write(X, "x.csv", weight=MANY), vt.errors.OptionError, "weight is"),
    "a weight of new entries": (
        lambda X, m: m.fold_in(0, X, weight=NONE), vt.errors.OptionError, "are for frames"),
    "modes to average over": (
        lambda _, m: m.predict([[0, 0, 0]], average=0.5), vt.errors.OptionError, "average is"),
    "far too many modes": (
        lambda _, m: m.predict([[0, 0, 0]], average=HUGE), vt.errors.ModeError, "no mode 3"),
    "an empty penalty": (
        lambda X, _: untyped.fit(X, 2, penalty=NONE, loss="lf"), TypeError, "two names"),
    "a row that can be read once": (
        lambda *_: labelled_model().explain([iter("xy")]), vt.errors.ShapeError, "row 0 is"),
    "a label that cannot be compared": (
        lambda *_: labelled_model().predict([("x", Incomparable())], unseen="error"),
        vt.errors.LabelError, "Incomparable"),
    "labels of no dimension": (
        lambda X, _: vt.SparseTensor(X.coords, X.values, labels=np.array(3)),  # type: ignore[arg-type]
        vt.errors.LabelError, "one list per mode"),
    "weights that are a range": (
        lambda *_: untyped.SparseTensor.from_dense(np.eye(3), weights=HUGE),
        vt.errors.ShapeError, "weights are range"),
    "ragged weights": (
        lambda *_: untyped.SparseTensor.from_dense(np.eye(3), weights=[[1], [2, 3]]),
        vt.errors.ShapeError, "weights"),
    "a number beyond doubles": (
        lambda X, _: X.to_dense(fill=10**400), vt.errors.OptionError, "fill is"),
    "whether to escape": (
        lambda X, _: untyped.write(X, "x.csv", escape_formulas=MANY),
        vt.errors.OptionError, "escape_formulas is"),
    "a shape that is a range": (
        lambda X, _: X.densest(HUGE), vt.errors.ShapeError, "1000|mode"),
    "endless stops": (lambda X, _: untyped.path(X, step=1e-320), vt.errors.OptionError, "step is"),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_an_odd_argument_is_named(what: str) -> None:
    call, kind, said = ODD[what]
    X, model = vt.datasets.synthetic((6, 5, 4), 2, nnz=80, seed=0)
    with pytest.raises(kind, match=said) as caught:
        call(X, model)
    assert len(str(caught.value)) < 5_000


def test_a_tensor_of_zeros_has_no_noise() -> None:
    for seed in range(40):  # of three cells, all may be zeros of the planted model
        _, truth = vt.datasets.synthetic((4, 4, 2), 1, nnz=3, seed=seed)
        assert np.isfinite(truth.error)


@pytest.mark.unseeded
@needs("sklearn")
@pytest.mark.parametrize("names", [np.array(3), np, HUGE, ["a"]])
def test_names_of_features_are_a_list(names: Any) -> None:
    from vest_tucker.sklearn import VestEncoder, VestRegressor

    X, _ = vt.datasets.synthetic((6, 5, 4), 2, nnz=80, seed=0)
    encoder = VestEncoder(regressor=VestRegressor(2, seed=0)).fit(X.coords, X.values)
    with pytest.raises(ValueError, match="input_features"):
        encoder.get_feature_names_out(names)


@pytest.mark.parametrize("seed", [range(10**9), [1, 2], "x", -1, 1.5, True])
def test_a_seed_is_a_whole_number_or_a_generator(seed: object) -> None:
    with pytest.raises(vt.errors.OptionError, match="seed is"):
        vt.datasets.synthetic((4, 3), 1, nnz=5, seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [AttributeError("x"), KeyError("x"), ZeroDivisionError("x")])
def test_errors_from_inside_are_faults(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        raise error
    assert wrong_with(caught.value) is not None


def test_our_errors_are_none() -> None:
    with pytest.raises(vt.errors.ShapeError) as caught:
        vt.estimate_memory((3,), 5, 1)
    assert wrong_with(caught.value) is None
