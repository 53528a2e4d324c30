"""The result of several fits: which is the reference, and that nothing gets lost."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np

import vest_tucker as vt
from small import small_model
from vest_tucker.studies.stability.result import compare


def models(rng: np.random.Generator, *errors: float) -> list[vt.TuckerModel]:
    return [dataclasses.replace(small_model(rng), error=error) for error in errors]


def test_the_reference_is_the_first_of_lowest_error(rng: np.random.Generator) -> None:
    result = compare(models(rng, 0.3, 0.2, 0.2), [1, 2, 3], threshold=0.8)
    assert result.best == 1
    assert result.reference is result.models[1]
    assert result.modes[0].similarity.shape == (2, 2)


def test_a_model_of_zeros_is_the_reference_only_if_all_are(rng: np.random.Generator) -> None:
    some, zero = models(rng, 1.2, 1.0)
    zero.core[...] = 0.0
    assert compare([zero, some], [1, 2], threshold=0.8).best == 1
    assert compare([zero, zero], [1, 2], threshold=0.8).best == 0


def test_the_others_are_in_the_order_of_the_seeds(rng: np.random.Generator) -> None:
    fits = models(rng, 0.3, 0.1, 0.2)
    fits[2] = dataclasses.replace(fits[1], error=0.2)
    similarity = compare(fits, [1, 2, 3], threshold=0.8).modes[0].similarity
    np.testing.assert_allclose(similarity[1], 1.0)
    assert (similarity[0] < 0.999).all()


def test_repr(rng: np.random.Generator) -> None:
    result = compare(models(rng, 0.3, 0.2), [1, 2], threshold=0.8)
    assert repr(result) == f"Stability(fits=2, reference={result.reference!r})"


def test_a_result_can_be_pickled(rng: np.random.Generator) -> None:
    result = compare(models(rng, 0.3, 0.2), [1, 2], threshold=0.8)
    assert str(pickle.loads(pickle.dumps(result))) == str(result)
    assert callable(vt.stability)
