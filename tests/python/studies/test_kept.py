"""Models of a study are kept in its checkpoint, whole, and come back with the tensor's labels."""

from __future__ import annotations

import pytest

import vest_tucker as vt
from vest_tucker.fitting.checkpoint.record import Record, recorded_in
from vest_tucker.studies.kept import kept_model


@pytest.mark.parametrize("options", [{}, {"offset": "biases", "ranks": 2, "penalty": "lf"}])
def test_a_model_comes_back_as_it_was(options: dict[str, object]) -> None:
    X = vt.datasets.demo()
    X = X.subset(range(400))
    with recorded_in(record := Record()):
        model = kept_model(lambda: vt.fit(X, **{"seed": 0, **options}), X)  # type: ignore[arg-type]

    def again() -> vt.TuckerModel:
        raise AssertionError("it is made a second time")

    with recorded_in(Record(entries=record.entries)):
        kept = kept_model(again, X)
    assert kept == model
    assert kept.history == model.history
    assert kept.made == model.made
    assert kept.measured is not None
    assert kept.predict(X).tobytes() == model.predict(X).tobytes()


def test_what_a_fit_has_warned_of_is_told_again() -> None:
    X, _ = vt.datasets.synthetic((6, 5, 4), 2, nnz=80, seed=0)

    def fit() -> vt.TuckerModel:
        return vt.fit(X, 2, preset="paper", lam=1e6, max_iter=2, seed=0)

    with recorded_in(record := Record()), pytest.warns(vt.errors.EmptyModelWarning) as first:
        kept_model(fit, X)
    with (
        recorded_in(Record(entries=record.entries)),
        pytest.warns(vt.errors.EmptyModelWarning) as second,
    ):
        kept_model(lambda: pytest.fail("it is made a second time"), X)
    assert [str(each.message) for each in second] == [str(each.message) for each in first]
    assert {each.filename for each in second} == {__file__}
