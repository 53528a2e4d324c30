"""Options leave as plain Python values (what they may not be is in test_bad_input)."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from helpers import DEFAULTS
from vest_tucker import _core
from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import (
    LOSSES,
    FitOptions,
    check_choice,
    check_real,
    check_whole,
    generator,
)


def test_good_options_are_kept() -> None:
    assert dataclasses.asdict(FitOptions(**DEFAULTS)) == DEFAULTS | {"lam_rows": "equal"}


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("sparsity", np.float32(0.5), 0.5),
        ("lam", 5, 5.0),
        ("max_iter", np.int16(7), 7),
        ("tol", None, None),
        ("tol", 0, 0.0),
        ("init_prune_rate", 1, 1.0),
        ("revive", np.False_, False),
        ("threads", np.uint8(2), 2),
    ],
)
def test_numpy_scalars_become_python_values(name: str, given: Any, kept: Any) -> None:
    got = getattr(FitOptions(**(DEFAULTS | {name: given})), name)
    assert got == kept
    assert type(got) is type(kept)


def test_both_losses_have_a_kernel() -> None:
    assert LOSSES == {"l1": _core.Loss.L1, "lf": _core.Loss.LF}


def test_bounds_belong_or_not() -> None:
    assert check_real("noise", 0) == 0.0
    with pytest.raises(OptionError, match="noise is 0; choose a finite number above 0"):
        check_real("noise", 0, above=True)
    assert check_whole("nnz", 3, at_least=3) == 3
    with pytest.raises(OptionError, match="nnz is 2; choose a whole number of at least 3"):
        check_whole("nnz", 2, at_least=3)


def test_the_same_seed_gives_the_same_numbers() -> None:
    np.testing.assert_array_equal(generator(7).random(5), np.random.default_rng(7).random(5))
    rng = np.random.default_rng(7)
    assert generator(rng) is rng


@pytest.mark.parametrize("value", ["Mean", None, 3, np.array(["mean", "sum"])])
def test_choices_are_listed(value: Any) -> None:
    check_choice("how", "mean", ("mean", "sum"))
    with pytest.raises(OptionError, match=r'how is .*; choose one of "mean", "sum"'):
        check_choice("how", value, ("mean", "sum"))
