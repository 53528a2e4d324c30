"""Options that several calls share (what they may not be is in whole/test_bad_fits)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vest_tucker import _core
from vest_tucker.base.errors import LossError, OptionError
from vest_tucker.base.options import (
    PENALTIES,
    check_choice,
    check_real,
    check_whole,
    generator,
    penalty_kind,
)


def test_both_losses_have_a_kernel() -> None:
    assert {name: kind.penalty for name, kind in PENALTIES.items()} == {
        "l1": _core.PenaltyKind.L1, "lf": _core.PenaltyKind.LF,
    }  # fmt: skip


def test_a_bound_is_allowed_unless_the_value_must_be_above_it() -> None:
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
def test_an_unknown_choice_is_answered_with_all_choices(value: Any) -> None:
    check_choice("how", "mean", ("mean", "sum"))
    with pytest.raises(OptionError, match=r'how is .*; choose one of "mean", "sum"'):
        check_choice("how", value, ("mean", "sum"))


def test_an_unknown_loss_is_an_error_wherever_it_is_looked_up() -> None:
    with pytest.raises(LossError, match="penalty is 'huber'"):
        penalty_kind("huber")
