"""Scores are products of the vector of a question and that of a label, and equal predictions."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import with_biases
from vest_tucker.model.offset import Offset
from vest_tucker.reading.asking.ranking import averaged, ranking

NOBODY = -1


def kinds(model: vt.TuckerModel, rng: np.random.Generator) -> dict[str, vt.TuckerModel]:
    """Models of every kind; the second row of the first mode and the last of the last are empty."""
    counts = [np.array([3, 0, 2, 7]), np.array([4, 4, 4]), np.array([5, 3, 2, 2, 0])]
    factors = [np.column_stack([np.ones(len(each)), each]) for each in model.factors]
    constant = vt.TuckerModel(
        rng.normal(size=(3, 2, 4)), factors, constant=True, entries=list(counts)
    )
    counted = dataclasses.replace(model, entries=counts)
    totals = [each * 0.5 for each in counts]
    return {
        "plain": model,
        "counted": counted,
        "weighted": dataclasses.replace(counted, row_totals=totals),
        "mean": dataclasses.replace(counted, offset=Offset("mean", 3.0)),
        "biased": dataclasses.replace(with_biases(model, rng), entries=counts),
        "constant": constant,
    }


@pytest.mark.parametrize("kind", ["plain", "counted", "weighted", "mean", "biased", "constant"])
@pytest.mark.parametrize("along", [0, 1, 2])
def test_scores_are_predictions_whatever_is_unknown(
    kind: str, along: int, model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    each = kinds(model, rng)[kind]
    modes = tuple(mode for mode in range(3) if mode != along)
    asked = np.array([[a, b] for a in range(NOBODY, each.shape[modes[0]])
                      for b in range(NOBODY, each.shape[modes[1]])], dtype=np.int32)  # fmt: skip
    scores = ranking(each, modes, along)
    vectors, common = scores.queries(asked)
    found = vectors @ scores.items.T + common[:, None]
    if scores.offsets.size:
        found += scores.offsets
    cells: Any = {}
    for column, mode in enumerate(modes):
        cells[f"mode_{mode}"] = np.repeat(asked[:, column], each.shape[along])
    cells[f"mode_{along}"] = np.tile(np.arange(each.shape[along]), len(asked))
    assert found.ravel() == pytest.approx(each.predict(cells))


@pytest.mark.parametrize("kind", ["plain", "counted", "weighted", "mean", "constant"])
def test_averages_are_predictions_for_unknown_labels(
    kind: str, model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    each = kinds(model, rng)[kind]
    mean = averaged(each, [0, 2])
    assert mean.shape == (1, 3, 1)
    expected = each.predict({"mode_0": NOBODY, "mode_1": [0, 1, 2], "mode_2": NOBODY})
    assert mean.predict([("any mode_0", i, "any mode_2") for i in range(3)]) == pytest.approx(
        expected
    )


def test_with_biases_the_average_is_that_of_the_tucker_sum(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    biased = kinds(model, rng)["biased"]
    assert biased.offset is not None
    assert biased.entries is not None
    mean = averaged(biased, [2])
    plain = dataclasses.replace(biased, offset=None)
    weights = biased.entries[2] / biased.entries[2].sum()
    cells = [(0, 1, day) for day in range(5)]
    here = biased.offset.mean + biased.offset.biases[0][0] + biased.offset.biases[1][1]
    expected = plain.predict(cells[:4]) @ weights[:4] + here
    assert mean.predict([(0, 1, "any mode_2")])[0] == pytest.approx(expected)


def test_nothing_to_average_is_the_model_itself(model: vt.TuckerModel) -> None:
    assert averaged(model, []) is model
