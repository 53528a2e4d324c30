"""The first labels of a component: by weight as ever, by relevance, with enough entries."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from small import made

LABELS = ["rare", "own", "everywhere", "weak"]


def by_hand() -> vt.TuckerModel:
    factor = [[5.0, 0.0], [2.0, 0.0], [-2.5, 2.5], [0.5, 0.0]]
    return made(
        np.eye(2), [factor, np.eye(2)], modes=("dish", "who"), labels={"dish": LABELS},
        entries=[[2, 500, 900, 700], [1000, 1102]],
    )  # fmt: skip


def test_by_weight_the_largest_magnitudes_come_first() -> None:
    top = by_hand().top("dish", 0)
    assert top == [("rare", 5.0), ("everywhere", -2.5), ("own", 2.0), ("weak", 0.5)]
    assert by_hand().top(0, 1, n=1) == [("everywhere", 2.5)]


def test_by_relevance_neither_the_rare_nor_the_common_come_first() -> None:
    top = by_hand().top("dish", 0, by="relevance")
    assert top[0][0] == "own"
    assert dict(top) == dict(by_hand().top("dish", 0))  # the values are the weights
    # Half of what "everywhere" does is in the other component.
    assert [label for label, _ in top].index("everywhere") > 0
    assert [label for label, _ in top][-1] == "rare"


def test_labels_with_few_entries_are_left_out() -> None:
    for by in ("weight", "relevance"):
        top = by_hand().top("dish", 0, by=by, min_entries=501)
        assert {label for label, _ in top} == {"everywhere", "weak"}
    without = dataclasses.replace(by_hand(), entries=None)
    assert without.top("dish", 0, by="relevance")[0][0] == "rare"
    with pytest.raises(vt.errors.OptionError, match="how many entries"):
        without.top("dish", 0, min_entries=1)


def test_a_constant_column_takes_no_share(rated: vt.TuckerModel) -> None:
    top = rated.top("film", 1, 80, by="relevance")
    assert len(top) == np.count_nonzero(rated.factors[1][:, 1])


def test_bad_options() -> None:
    for wrong in ({"by": "size"}, {"min_entries": -1}, {"n": -1}):
        with pytest.raises(vt.errors.OptionError):
            by_hand().top("dish", 0, **wrong)
    with pytest.raises(vt.errors.OptionError, match="there are those from 0 to 1"):
        by_hand().top("dish", 2)
