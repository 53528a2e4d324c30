"""The first screen says what was found, how sure that is, and what is unexplained."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from reports import HELD_OUT, biased, constant, empty, factored, tiny
from vest_tucker.report.sections.short import short
from vest_tucker.report.tables import ModelTables


def told(model: vt.TuckerModel, **facts: Any) -> str:
    return short(ModelTables(dataclasses.replace(model, **facts))).replace("\u00a0", " ")


def test_held_out() -> None:
    text = told(factored(), validation_error=0.2, **HELD_OUT)
    assert "<dt>75 %</dt><dd>of the variation in 2,000 values held out while it was chosen" in text
    assert "33 % lower than that of mean and biases alone" in text
    assert "explained 75 %" in text
    assert "unexplained 25 %" in text


@pytest.mark.parametrize(("error", "words"), [(0.3, "is no lower"), (0.36, "20 % higher")])
def test_a_model_that_is_no_good_says_so(error: float, words: str) -> None:
    text = told(factored(), validation_error=error, **HELD_OUT)
    assert words in text
    assert "do not rely on these groups" in text


def test_nothing_held_out() -> None:
    assert "was not measured" in told(factored(), error=0.1, baseline_error=0.2)
    assert "<dt>not known</dt>" in told(tiny())


def test_nothing_found() -> None:
    assert "Nothing beyond the mean" in told(empty())


def test_effects_come_first() -> None:
    text = told(constant())
    assert text.index("By person alone, values are ") < text.index("Values are ")
    assert "Of what is explained, single modes 70 %, pairs of modes 30 %." in text


def test_what_carries_most_comes_first_if_that_is_measured() -> None:
    tables = ModelTables(constant())
    measured = {
        "effects": [dataclasses.replace(each, growth=0.001) for each in tables.effects],
        "relations": [dataclasses.replace(each, growth=0.5) for each in tables.relations],
    }
    vars(tables).update(measured)
    text = short(tables)
    assert text.index("Values are ") < text.index("By person alone, values are ")


def test_certainty_and_noise() -> None:
    text = told(biased())
    # That a number is clearly not zero says nothing about another start.
    assert "standard errors away" not in text
    assert "found from one start. Whether the groups come back" in text
    assert "vt.stability(X) measures it" in text
    assert "came back" not in text
    assert "scatter by about ±\u202f0.500" in text


def test_what_came_back_in_other_fits() -> None:
    model = factored()
    returned = np.zeros(model.core.shape, dtype=np.int64)
    plain = ModelTables(model)
    returned[plain.places[0]] = 4
    tables = ModelTables(model, returned=returned, others=4)
    text = short(tables)
    assert "from one start" not in text
    assert f"Of {plain.n_relations} relations, 1 came back in at least half of 4 other fits" in text
    assert text.count("It came back in 4 of 4 other fits.") == 1
    assert text.count("It came back in 0 of 4 other fits.") == min(5, plain.n_relations - 1)


def test_values_with_weights() -> None:
    model = biased()
    assert model.entries is not None
    totals = [4.0 * counts.astype(float) for counts in model.entries]
    text = told(model, row_totals=totals, nnz=int(model.entries[0].sum()))
    assert (
        "Values of the average weight 4.00 scatter by about ±\u202f0.250, those of weight 1 by"
        in text
    )
