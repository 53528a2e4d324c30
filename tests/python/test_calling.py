"""Random calls of everything public end in a result or in an error that we promise."""

from __future__ import annotations

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
