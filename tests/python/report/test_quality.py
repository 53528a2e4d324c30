"""How good a model is: held out if that was measured, and beside what."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from reports import factored, tiny
from vest_tucker.report.tables import ModelTables


def test_quality_held_out() -> None:
    known: dict[str, Any] = {
        "validation_error": 0.2,
        "validation_mean": 0.4,
        "validation_baseline": 0.25,
    }
    quality = ModelTables(dataclasses.replace(factored(), loss="bayes", **known)).quality
    assert quality.explained == pytest.approx(0.75)
    assert quality.better == pytest.approx(0.2)
    assert quality.rival == "mean and biases alone"
    worse = dataclasses.replace(factored(), loss="bayes", **known | {"validation_mean": 0.1})
    assert ModelTables(worse).quality.rival == "the mean alone"
    assert ModelTables(worse).quality.explained < 0.0


def test_quality_of_entries_fitted_and_of_nothing() -> None:
    model = dataclasses.replace(factored(), error=0.1, baseline_error=0.2)
    assert ModelTables(model).quality.explained == pytest.approx(0.75)
    assert not ModelTables(model).quality.is_held_out
    assert math.isnan(ModelTables(tiny()).quality.explained)
