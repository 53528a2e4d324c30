"""Recommendations are the labels that a prediction of every cell and a sort would find."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, MODES, labelled, with_biases
from vest_tucker.reading.asking import recommend as module
from vest_tucker.reading.asking.recommend import recommend


@pytest.fixture
def named(model: vt.TuckerModel) -> vt.TuckerModel:
    return labelled(model)


def by_hand(model: vt.TuckerModel, cells: Any, n: int, k: int, sign: float = -1.0) -> Any:
    values = model.predict(cells).reshape(n, -1)
    order = np.argsort(sign * values, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(values, order, axis=1)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("biased", [False, True])
def test_the_best_are_those_of_all_predictions(
    largest: bool, biased: bool, named: vt.TuckerModel, rng: np.random.Generator
) -> None:
    each = with_biases(named, rng) if biased else named
    users, films = ["ann", "Zoë", "nobody", "bob"], [10, 30, 30, 20]
    found = recommend(each, {"user": users, "film": films}, "day", k=3, largest=largest)
    cells = {"user": np.repeat(users, 5), "film": np.repeat(films, 5), "day": np.tile(LABELS[2], 4)}
    rows, values = by_hand(each, cells, 4, 3, -1.0 if largest else 1.0)
    assert found.rows.tolist() == rows.tolist()
    assert found.values == pytest.approx(values)
    assert np.array_equal(found.labels, LABELS[2][rows])
    assert found.given["user"].tolist() == users
    assert len(found) == 4


def test_modes_that_are_not_given_are_averaged_over(named: vt.TuckerModel) -> None:
    found = recommend(named, {"user": "ann"}, "film", k=3)
    nobody = np.datetime64("1999-01-01")
    rows, values = by_hand(named, {"user": "ann", "film": LABELS[1], "day": [nobody] * 3}, 1, 3)
    assert found.rows.tolist() == rows.tolist()
    assert found.values == pytest.approx(values)
    overall = recommend(named, {}, "film")
    assert overall.rows.shape == (1, 3)
    assert overall.given == {}


def test_what_was_seen_is_left_out_and_may_leave_nothing(named: vt.TuckerModel) -> None:
    seen = [("ann", 30), ("ann", 20), ("Zoë", 10), ("Zoë", 20), ("Zoë", 30)]
    found = recommend(named, {"user": ["ann", "Zoë"]}, "film", k=2, exclude=seen)
    assert found.labels.tolist() == [[10, None], [None, None]]
    assert np.isnan(found.values).tolist() == [[False, True], [True, True]]
    assert str(found).splitlines()[-2:] == ["user Zoë", "      all labels are left out"]
    frame = found.frame()
    assert frame["user"].tolist() == ["ann"]
    assert (frame["film"].tolist(), frame["place"].tolist()) == ([10], [1])


def test_no_question_has_no_answer(named: vt.TuckerModel) -> None:
    found = recommend(named, {"user": []}, "film", k=2, exclude=[("ann", 30)])
    assert found.labels.shape == found.values.shape == (0, 2)
    assert len(found.frame()) == 0


def test_ties_go_to_the_first_label() -> None:
    films = np.array([[2.0], [3.0], [3.0], [2.0], [3.0]])
    model = vt.TuckerModel(np.ones((1, 1)), [np.ones((1, 1)), films])
    assert recommend(model, {"mode_0": 0}, 1, k=4).rows.tolist() == [[1, 2, 4, 0]]
    assert recommend(model, {"mode_0": 0}, 1, k=3, largest=False).rows.tolist() == [[0, 3, 1]]


def test_blocks_do_not_change_what_is_found(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    factors = [rng.normal(size=(dim, 3)) for dim in (200, 60, 4)]
    model = vt.TuckerModel(rng.normal(size=(3, 3, 3)), factors)
    seen = np.unique(rng.integers(0, (200, 60), (3000, 2)), axis=0)
    at_once = recommend(model, {"mode_0": ...}, 1, k=7, exclude=seen)
    monkeypatch.setattr(module, "AT_ONCE", 1500)
    blocks = list(module._blocks(np.full(200, 15)))
    assert len(blocks) > 20
    assert [block.start for block in blocks[1:]] == [block.stop for block in blocks[:-1]]
    in_blocks = recommend(model, {"mode_0": ...}, 1, k=7, exclude=seen)
    assert np.array_equal(at_once.rows, in_blocks.rows)
    assert np.array_equal(at_once.values, in_blocks.values)
    pairs = set(map(tuple, seen.tolist()))
    assert not pairs & {(user, film) for user in range(200) for film in at_once.rows[user].tolist()}


def test_the_text_shows_some_questions(named: vt.TuckerModel) -> None:
    found = recommend(named, {"day": ...}, "user", k=2)
    lines = str(found).splitlines()
    assert lines[0] == "The 2 largest predictions of 4 along user, any film"
    assert lines[1] == "day 2021-05-03"
    assert len(lines) == 1 + 5 * 3
    assert "  ''    " in lines[2]  # a label without a letter
    assert "bob" not in str(found)  # a row of zeros
    many = recommend(named, {"day": list(LABELS[2]) * 2}, "user", k=2)
    assert str(many).splitlines()[-1] == "and 5 more"
    assert "and 5 more" in many._repr_html_()
    hostile = dataclasses.replace(
        named, labels=(np.array(["<b>", "ann", "eve", "bob"]), *LABELS[1:])
    )
    assert "<b>" not in hostile.recommend({"film": 10}, along="user")._repr_html_()
    assert repr(many) == "Recommendations(10 x 2 along 'user')"


def test_labels_that_were_not_seen_are_told(
    named: vt.TuckerModel, rng: np.random.Generator
) -> None:
    lines = str(named.recommend({"user": ["eve", "ann"]}, along="film", k=1)).splitlines()
    assert lines[1] == "user eve (not seen: the average stands for it)"
    assert lines[3] == "user ann"
    biased = with_biases(named, rng).recommend({"user": "eve"}, along="film", k=1)
    assert str(biased).splitlines()[1] == "user eve (not seen)"
    assert "eve (not seen)" in biased._repr_html_()


@pytest.mark.parametrize("biased", [False, True])
def test_an_explanation_adds_up_to_the_value(
    biased: bool, named: vt.TuckerModel, rng: np.random.Generator
) -> None:
    each = with_biases(named, rng) if biased else named
    found = each.recommend({"user": ["Zoë", "nobody"]}, along="film")
    for row in (0, 1):
        for place in (1, 2, 3):
            explained = found.explain(row, place)
            assert explained.totals == pytest.approx(found.values[row, [place - 1]])


def test_names_of_columns_do_not_clash(named: vt.TuckerModel) -> None:
    model = dataclasses.replace(named, modes=("place", "value", "day"))
    frame = recommend(model, {"place": "ann"}, "value", k=1).frame()
    assert list(frame.columns) == ["place_", "place", "value_", "value"]


def test_questions_without_an_answer_are_refused(named: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.ModeError, match="the one to look along"):
        recommend(named, {"user": "ann", "film": 30}, "film")
    with pytest.raises(vt.errors.OptionError, match="k is 0"):
        recommend(named, {"user": "ann"}, "film", k=0)
    found = recommend(named, {"user": "ann"}, "film", k=2)
    for row, place in ((1, 1), (0, 0), (0, 3)):
        with pytest.raises(vt.errors.OptionError, match="there is no answer"):
            found.explain(row, place)


def test_modes_are_names_in_the_result(named: vt.TuckerModel) -> None:
    found = recommend(named, {0: "ann"}, 1)
    assert list(found.given) == [MODES[0]]
    assert found.along == MODES[1]
