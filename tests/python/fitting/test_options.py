"""The options of a fit leave as plain values (what they may not be is in whole/test_bad_fits)."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

from vest_tucker.fitting.fit import fit
from vest_tucker.fitting.options import FitOptions, with_preset


def test_defaults_are_those_of_the_call() -> None:
    call = {name: each.default for name, each in inspect.signature(fit).parameters.items()}
    paper = with_preset(call | {"preset": "paper"})
    for option in dataclasses.fields(FitOptions):
        assert option.default == paper[option.name], option.name


def test_the_options_are_picked_from_the_arguments_of_a_call() -> None:
    call = {name: each.default for name, each in inspect.signature(fit).parameters.items()}
    arguments = with_preset(call | {"loss": "l1"})
    assert FitOptions.of(arguments | {"X": None, "lam": 3}) == FitOptions(lam=3.0)


def test_rows_pay_by_their_entries_where_lam_is_searched() -> None:
    assert FitOptions().lam_rows == "equal"
    assert FitOptions(lam="auto").lam_rows == "sqrt"
    assert FitOptions(lam="auto", lam_rows="equal").lam_rows == "equal"


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
    got = getattr(FitOptions(**{name: given}), name)
    assert got == kept
    assert type(got) is type(kept)


def test_one_option_has_one_value_under_its_two_names() -> None:
    call = {"preset": "best", "penalty": None, "allocation": None, "offset": "auto"}
    found = [with_preset(call | given) for given in ({"loss": "lf"}, {"penalty": "lf"})]
    assert found[0] == found[1] == with_preset(call | {"loss": "lf", "penalty": "lf"})
    assert "loss" not in found[0]
    with pytest.raises(TypeError, match="loss='l1' and penalty='lf' are two names of one option"):
        with_preset(call | {"loss": "l1", "penalty": "lf"})
