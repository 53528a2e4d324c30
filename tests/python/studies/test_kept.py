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
