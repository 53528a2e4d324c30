"""What a fit tells while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.callback import wants_two


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((20, 15, 10), 3, nnz=900, seed=1)[0]


def test_a_callback_sees_the_model_that_the_fit_would_return_if_it_ended_here(
    tensor: vt.SparseTensor,
) -> None:
    seen: list[vt.TuckerModel] = []

    def look(record: vt.IterationRecord, running: vt.RunningFit) -> None:
        seen.append(running.model())
        assert seen[-1].history[-1] == record

    options: dict[str, Any] = {"sparsity": 0.0, "lam": 0.01, "tol": None, "seed": 0}
    model = vt.fit(tensor, 3, max_iter=6, callback=look, **options, preset="paper")
    assert [each.n_iter for each in seen] == [1, 2, 3, 4, 5, 6]
    for n, each in enumerate(seen, 1):
        alone = vt.fit(tensor, 3, max_iter=n, **options, preset="paper")
        np.testing.assert_array_equal(each.core, alone.core)
        np.testing.assert_array_equal(each.predict(tensor), alone.predict(tensor))
        assert each.error == alone.error
    np.testing.assert_array_equal(model.core, seen[-1].core)


def test_looking_changes_nothing(tensor: vt.SparseTensor) -> None:
    looked, alone = (
        vt.fit(tensor, 3, lam=0.01, seed=0, callback=callback, preset="paper")
        for callback in (lambda record, running: running.model() is None, None)
    )
    np.testing.assert_array_equal(looked.core, alone.core)
    assert looked.error == alone.error


def test_validation_is_told_of_too(tensor: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(tensor, test=0.2, seed=0)
    seen: list[float] = []
    vt.fit(
        train, 3, lam=0.01, seed=0, max_iter=3, validation=held,
        callback=lambda record, running: seen.append(
            running.model().validation_error - record.validation_error
        ), preset="paper"
    )  # fmt: skip
    assert seen == [0.0] * 3


def test_a_callback_of_one_argument_gets_one() -> None:
    class Called:
        def __call__(self, record: object) -> None: ...

    def many(*records: object) -> None: ...

    callbacks: list[Any] = [Called(), many, [].append, print]
    for callback in callbacks:
        assert not wants_two(callback)
    assert wants_two(lambda record, running: None)
