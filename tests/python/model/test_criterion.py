"""The knee of a curve: cases that one can work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import reference_path as reference
from vest_tucker.model.criterion import description_length, knee_of_curve, within_one_standard_error


def test_the_criterion_is_that_of_the_reference(rng: np.random.Generator) -> None:
    errors, counts = rng.random(5).tolist(), rng.integers(1, 100, 5).tolist()
    want = [reference.criterion(e, k, 1234) for e, k in zip(errors, counts, strict=True)]
    np.testing.assert_allclose(description_length(errors, counts, 1234), want)


def test_an_element_must_pay_for_its_place() -> None:
    """One element less is worth log(nnz) / nnz of the sum of squares, and no more."""
    worth = math.log(1000) / 1000
    cheap, dear = (0.1 * math.exp(share * worth / 2) for share in (0.99, 1.01))
    assert knee_of_curve([0.1, cheap], [10, 9], nnz=1000) == 1
    assert knee_of_curve([0.1, dear], [10, 9], nnz=1000) == 0


def test_among_equal_criteria_the_sparsest_is_chosen() -> None:
    assert knee_of_curve([0.5, 0.5, 0.5], [3, 3, 3], nnz=10) == 2


def test_an_error_of_zero_is_a_number() -> None:
    assert knee_of_curve([0.0, 0.0, 0.3], [9, 8, 7], nnz=100) == 1
    assert np.isfinite(description_length([0.0], [1], nnz=10)).all()


@pytest.mark.parametrize(
    ("errors", "spreads", "want"),
    [
        ([0.5, 0.4, 0.45, 0.6], [0.1, 0.1, 0.1, 0.1], 2),
        ([0.5, 0.4, 0.45, 0.6], [9.0, 0.0, 9.0, 9.0], 1),  # only the best's own spread counts
        ([0.4, 0.9, 0.41], [0.05, 0.0, 0.0], 2),  # and not what lies between
        ([0.4], [0.1], 0),
    ],
)
def test_within_one_standard_error(errors: list[float], spreads: list[float], want: int) -> None:
    assert within_one_standard_error(np.array(errors), np.array(spreads)) == want
