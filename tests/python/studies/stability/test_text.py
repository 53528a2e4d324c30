"""What comes back, in words."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import vest_tucker as vt
from small import labelled, small_model
from vest_tucker.studies.stability.result import compare
from vest_tucker.studies.stability.text import MOST


def test_the_whole_summary() -> None:
    dishes = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 2.0, 0.0]])
    labels = np.array(["soup", "a dish with a very long name", "tea"])
    model = vt.TuckerModel(
        np.array([[3.0, 0.0, 0.0]]), [np.ones((1, 1)), dishes], error=0.1, baseline_error=0.5,
        modes=("user", "dish"), labels=(None, labels),
    )  # fmt: skip
    fewer = dataclasses.replace(
        model, factors=[model.factors[0], dishes * [[1], [0], [1]]], error=0.2
    )
    lost = dataclasses.replace(
        model, factors=[model.factors[0], dishes * [[1], [1], [0]]], error=0.3
    )
    # By chance: with three rows it may be anything, so let the table say it.
    result = compare([model, fewer, lost], [5, 6, 7], threshold=0.8)
    by_chance = f"{result.modes[1].chance:.2f}"
    assert str(result).splitlines() == [
        "3 fits of a 1 x 3 tensor (user, dish), ranks 1 x 3",
        "  error       0.2000 ± 0.1000 (0.1000 to 0.3000); always predicting the mean 0.5000",
        "  sparsity    0.667 ± 0.044 (0.615 to 0.692)",  # 8, 9 and 9 of 13
        "  reference   the fit of lowest error, 0.1000 (seed=5)",
        "A component comes back in another fit if the similarity with its match is 0.8 or more;",
        "a label with a share is zero in the rest of the fits in which its component comes back.",
        "  user, by chance 1.00",
        "    component  comes back  similarity  strongest labels",
        "            0      2 of 2        1.00  0",
        f"  dish, by chance {by_chance}",
        "    component  comes back  similarity  strongest labels",
        "            0      2 of 2        0.95  soup, a dish wit…long name (50 %)",
        "            1      1 of 2        0.50  tea",
        "    pruned away in the reference: 2",
        "  core, similarity 1.00",
        "    interactions that come back: in at least half of the others 1 of 1, in all of them 1",
    ]


def test_many_components_are_cut_short(rng: np.random.Generator) -> None:
    model = vt.TuckerModel(rng.random((30, 1)), [rng.random((40, 30)), np.ones((1, 1))], error=0.1)
    shown = str(compare([model, model], [1, 2], threshold=0.8))
    assert shown.count("1 of 1") == MOST + 1
    assert f"    and {30 - MOST} more, see components_frame()" in shown


def test_labels_of_any_kind(rng: np.random.Generator) -> None:
    model = labelled(small_model(rng))
    shown = str(compare([model, model], [1, 2], threshold=0.8))
    assert "4 x 3 x 5 tensor (user, film, day)" in shown
    assert "Zoë" in shown
    assert "2021-05-0" in shown


def test_other_ranks_and_structures_are_told(rng: np.random.Generator) -> None:
    one = dataclasses.replace(small_model(rng), error=0.1, chosen="Tucker; also tried: none")
    other = dataclasses.replace(
        one, core=one.core[:1], factors=[one.factors[0][:, :1], *one.factors[1:]]
    )
    other = dataclasses.replace(other, error=0.2, chosen="Tucker around the mean")
    lines = str(compare([other, one, other], [1, 2, 3], threshold=0.8)).splitlines()
    assert lines[1] == "  structures  Tucker in 1, Tucker around the mean in 2"
    assert lines[2] == "  ranks       2 x 1 x 3 in 1, 1 x 1 x 3 in 2"


def test_times_are_told_without_zeros() -> None:
    weeks = np.array(["2024-01-22T00:00", "2024-01-29T00:00"], dtype="M8[us]")
    labels: Any = {"week": weeks}
    factors = [np.array([[1.0], [2.0]]), np.ones((1, 1))]
    model = vt.TuckerModel(np.ones((1, 1)), factors, modes=("week", "x"), labels=labels, error=0.1)
    shown = str(compare([model, model], [1, 2], threshold=0.8))
    assert "2024-01-29" in shown
    assert "00:00" not in shown
