"""Labels that look like others."""

from __future__ import annotations

import time

import numpy as np
import pytest

from vest_tucker.base.slips import MOST, alike, by_essence, essence, nearest

DISHES = np.array(["pizza", "Crème brûlée", "tofu"], dtype=object)


@pytest.mark.parametrize("text", ["PIZZA", " pizza ", "piz-za", "Pízza"])
def test_case_accents_and_punctuation_are_not_essential(text: str) -> None:
    assert essence(text) == "pizza"
    assert alike([text, "soup", 3], by_essence(DISHES)) == {text: "pizza"}


def test_a_slip_is_near() -> None:
    assert nearest("creme brule", DISHES) == "Crème brûlée"
    assert nearest("bread", DISHES) is None
    assert nearest(7, DISHES) is None


def test_only_texts_among_not_too_many() -> None:
    assert by_essence(None) == by_essence(np.arange(3)) == {}
    many = np.array([str(k) for k in range(MOST + 1)], dtype=object)
    assert by_essence(many) == {}
    assert nearest("0 ", many) is None


def test_another_number_is_no_slip() -> None:
    users = np.array(["user 12", "user 13", "Leo (clerk)"], dtype=object)
    assert nearest("user 14", users) is None
    assert nearest("usr 13", users) == "user 13"


def test_labels_of_megabytes_are_no_slips() -> None:
    """To compare two of them takes seconds, and nobody has written them."""
    known = np.array(["x" * 10_000_000, "pizza"], dtype=object)
    began = time.process_time()
    assert nearest("x" * 9_999_999, known) is None
    assert alike(["X" * 10_000_000], by_essence(known)) == {}
    assert time.process_time() - began < 0.5
