"""From rows to what is said: means, factors, and comparisons that follow from the numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from experiments.page.text import beside, better_by, listed, sentence, share, with_spread
from experiments.summary.ablations import effects
from experiments.summary.claims import error_at, factors, least, zeros_at
from experiments.summary.rows import Spread, paired, pick, spread
from experiments.summary.scaling import slopes
from experiments.summary.targets import of_seeds, shared_seeds
from experiments.summary.times import best_ends, reached

CURVE = [(0.1, 0.2), (0.5, 0.3), (0.9, 0.7)]


def row(figure: str, seed: int, settings: dict[str, Any], **found: Any) -> dict[str, Any]:
    return {"figure": figure, "seed": seed, "settings": settings, "found": found}


def small_document() -> dict[str, Any]:
    """One tensor: VeST at three targets, and a competitor with half zeros and twice the error."""
    rows = []
    for seed in (0, 1):
        for zeros, re in CURVE:
            settings = {"set": "T", "system": "vest-lf-manual", "settings": {"sparsity": zeros}}
            rows.append(row("figure1", seed, settings, zeros=zeros, re=re, test=1.1 * re))
        auto = {"set": "T", "system": "vest-lf-auto"}
        rows.append(row("figure1", seed, auto, zeros=0.5, re=0.3, test=0.4))
        ttp = {"set": "T", "system": "ttp"}
        rows.append(row("figure1", seed, ttp, zeros=0.5, re=0.6, test=0.8 + 0.02 * seed))
        rows.append(row("figure1", seed, {"set": "T", "system": "lasso"}, error="it broke"))
    return {"rows": rows}


def test_rows_are_picked_by_what_is_set_and_what_is_not() -> None:
    document = small_document()
    assert len(pick(document, "figure1", set="T", system="vest-lf-manual")) == 6
    assert not pick(document, "figure1", set="T", system="vest-lf-manual", settings=None)
    assert spread(pick(document, "figure1", system="lasso"), "re") is None


def test_claims_are_read_off_the_curve() -> None:
    (found,) = factors(small_document(), "T", "lf")
    assert found.competitor == "ttp"
    assert found.accurate == pytest.approx(2.0)  # 0.6 over 0.3, both at half zeros
    assert found.sparser == pytest.approx(0.8 / 0.5)  # the curve has 0.6 at 80 % zeros
    assert found.fewer == pytest.approx(0.5 / 0.2)
    assert found.test == pytest.approx(0.81 / 0.4)
    assert least([found], "test") == (found.test, "ttp")


def test_curves_have_ends() -> None:
    assert error_at(CURVE, 0.0) == 0.2
    assert math.isnan(error_at(CURVE, 0.95))
    assert math.isnan(zeros_at(CURVE, 0.1))
    assert zeros_at(CURVE, 0.9) == 0.9


def test_differences_are_paired_by_seed() -> None:
    ours = [row("f", seed, {}, test=0.2 + 0.1 * seed) for seed in range(3)]
    theirs = [row("f", seed, {}, test=1.1 * (0.2 + 0.1 * seed)) for seed in (2, 1, 0)]
    difference = paired(ours, theirs, "test")
    assert difference is not None
    assert difference.mean == pytest.approx(0.1)
    assert difference.half == pytest.approx(0.0, abs=1e-9)


def test_sentences_follow_the_numbers() -> None:
    assert beside("X", Spread(0.1, 0.01, 5)) == "the plain call is better than X by 10.0 %"
    worse = beside("X", Spread(-0.03, 0.001, 5))
    assert worse == "**X is better than the plain call by 3.0 %**"
    assert beside("X", Spread(0.01, 0.1, 3)).endswith("which 3 runs cannot tell from chance")
    assert "one run cannot tell" in beside("X", Spread(0.5, 0.0, 1))
    assert better_by(Spread(-0.02, 0.001, 4)) == "2.0 %"
    assert better_by(Spread(-0.02, 0.5, 4)) == "2.0 %, perhaps by chance"
    assert (sentence("x is y"), sentence("**myFM is**")) == ("X is y.", "**myFM is**.")
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert share(0.256) == "26 %"
    assert with_spread(Spread(0.25, 0.01, 2), 2) == "0.25 ± 0.01"


def test_intervals_are_those_of_student() -> None:
    found = Spread.of([1.0, 2.0, 3.0, None, math.nan])
    assert found == Spread(2.0, 1.0, 3)
    assert found is not None
    assert found.half == pytest.approx(4.30 / math.sqrt(3.0))
    assert Spread.of([None]) is None


def test_changes_are_held_against_the_same_seed() -> None:
    rows = []
    for seed in range(3):
        for change, factor in (("as it is", 1.0), ("worse", 1.2)):
            settings = {"set": "T", "base": "B", "change": change}
            test = factor * (0.3 + 0.1 * seed)
            rows.append(row("figure8", seed, settings, test=test, zeros=0.5))
    base, worse = effects({"rows": rows}, "T")
    assert base.test is not None
    assert worse.test is not None
    assert (base.test.mean, worse.matters) == (0.0, True)
    assert worse.test.mean == pytest.approx(0.2)


def test_slopes_leave_small_tensors_out() -> None:
    x = [1e3, 1e4, 1e5, 1e6]
    series = {
        "x": x, "best": [9.0, 1e-2, 1e-1, 1.0], "core": [27] * 4,
    }  # fmt: skip
    rows = [row("figure4", seed, {"series": "entries"}, **series) for seed in (0, 1)]
    assert slopes({"rows": rows})["entries"] == pytest.approx(1.0)


def test_errors_are_reached_or_never() -> None:
    curve = [[0.1, 0.5], [0.2, 0.9], [0.4, 0.6], [0.8, 0.55]]
    assert reached(curve, 0.6) == 0.4  # the first point was not kept
    assert reached(curve, 1.0) == 0.1
    assert reached(curve, 0.5) is None


def test_splits_have_levels_of_their_own() -> None:
    rows = [
        row("figure3", seed, {"set": "T", "system": name}, curve=[[0.1, 0.9], [0.2, end]])
        for seed, name, end in ((0, "a", 0.3), (0, "b", 0.2), (1, "a", 0.4))
    ]
    assert best_ends({"rows": rows}, "T") == {0: 0.2, 1: 0.4}


def test_only_seeds_that_everyone_has_are_compared_by_size() -> None:
    rows = [
        row("figure2", seed, {"set": "T", "system": name}, test=0.1)
        for name, seeds in (("a", (0, 1, 2)), ("b", (1, 0)), ("c", (1,)))
        for seed in seeds
    ]
    rows.append(row("figure2", 0, {"set": "T", "system": "d"}, error="it broke"))
    assert shared_seeds({"rows": rows}, "T") == [1]
    assert [each["settings"]["system"] for each in of_seeds(rows, [1])] == ["a", "b", "c"]
    assert shared_seeds({"rows": []}, "T") == []
