"""The options of a fit leave as plain values (what they may not be is in whole/test_bad_fits)."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

from vest_tucker.fitting.fit import fit
from vest_tucker.fitting.options import FitOptions, with_preset


def defaults() -> dict[str, Any]:
    return {name: each.default for name, each in inspect.signature(fit).parameters.items()}


def test_defaults_are_those_of_the_call() -> None:
    """With the paper's preset, for the plain call has no use for most of them."""
    arguments = with_preset(defaults() | {"preset": "paper"})
    for option in dataclasses.fields(FitOptions):
        assert option.default == arguments[option.name], option.name


def test_the_options_are_picked_from_the_arguments_of_a_call() -> None:
    arguments = with_preset(defaults() | {"preset": "paper"})
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
