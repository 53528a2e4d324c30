"""How good a model is, and what matters."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from reports import HELD_OUT, constant, empty, factored, tiny
from vest_tucker.report.sections.quality import (
    importance,
    importance_table,
    quality,
    quality_table,
    verdict,
)
from vest_tucker.report.tables import ModelTables


@pytest.fixture(scope="module")
def measured() -> ModelTables:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    return ModelTables(vt.fit(X, seed=0))


def test_errors_side_by_side() -> None:
    tables = ModelTables(
        dataclasses.replace(factored(), validation_error=0.2, error=0.19, **HELD_OUT)
    )
    assert quality_table(tables).rows == [
        ["always the mean", "2,000 entries held out", 0.4],
        ["mean and biases alone", "2,000 entries held out", 0.3],
        ["this model", "2,000 entries held out", 0.2],
        ["this model", "the entries fitted", 0.19],
    ]
    text = quality(tables)
    assert text.count('class="bar"') == 4
    assert '<tr class="own"><th scope="row">this model' in text


@pytest.mark.parametrize(
    ("error", "words"),
    [(0.2, "33 % lower"), (0.4, "33 % HIGHER"), (0.3, "no lower than that")],
)
def test_verdicts(error: float, words: str) -> None:
    tables = ModelTables(dataclasses.replace(factored(), validation_error=error, **HELD_OUT))
    assert words in verdict(tables.quality).replace("\u00a0", " ")


def test_unknown_errors() -> None:
    assert "No error of this model is known." in quality(ModelTables(tiny()))
    fitted = ModelTables(dataclasses.replace(tiny(), error=0.1, baseline_error=0.3))
    assert "was not measured" in quality(fitted)


def test_importance_is_what_would_be_lost(measured: ModelTables) -> None:
    text = importance(measured)
    assert "lost without it" in text
    assert "whole groups" in text
    shares = [each.share for each in measured.relations]
    assert shares == sorted(shares, reverse=True)
    assert measured.model.measured is not None


def test_importance_by_size_alone() -> None:
    assert "was not measured" in importance(ModelTables(constant()))
    assert "There is nothing to weigh." in importance(ModelTables(empty()))


def test_all_relations_to_download(measured: ModelTables) -> None:
    table = importance_table(measured)
    assert len(table.rows) == np.count_nonzero(measured.model.core)
    first = dict(zip(table.columns, table.rows[0], strict=True))
    at = tuple(int(str(first[name])) for name in measured.model.modes)
    assert abs(float(str(first["value"]))) == abs(measured.model.core[at])
    assert measured.model.measured is not None
    assert first["growth"] == measured.model.measured.core[at]


@pytest.mark.parametrize("weighted", [False, True])
def test_typical_errors_are_in_the_unit_of_the_values(weighted: bool) -> None:
    weights = np.array([1.0, 3.0]) if weighted else None
    X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 7.0], weights=weights)
    model = vt.TuckerModel(np.array([[1.0]]), [np.array([[3.0], [6.0]]), np.array([[1.0]])])
    totals = None if weights is None else [weights, np.array([4.0])]
    model = dataclasses.replace(
        model.measure_importance(X),
        nnz=2,
        entries=[np.array([1, 1]), np.array([2])],
        row_totals=totals,
    )
    tables = ModelTables(dataclasses.replace(model, error=0.1), unit="min")
    own, mean = (np.sqrt(3 / 4), np.sqrt((9 + 3) / 4)) if weighted else (np.sqrt(0.5), 2.0)
    assert tables.typical_errors() == pytest.approx((own, mean))
    assert f"typically {own:.3f}\u00a0min off (root mean square)" in quality(tables)
    assert "root mean square" not in quality(ModelTables(dataclasses.replace(model, measured=None)))
