"""What is said of labels that a model has not seen."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import ModeLabels, perhaps
from vest_tucker.model.meaning.meant import LOOKED_AT, StrangeLabels, why_not_kin

MODES = ModeLabels(2, ["who", "dish"], [["ann", "bob"], ["soup", "pizza"]])


def counted(*labels: object) -> StrangeLabels:
    strange = StrangeLabels(MODES)
    strange.add(1, label_array(labels), np.ones(len(labels), dtype=bool))
    return strange


def test_cells_of_several_modes_are_counted_once() -> None:
    strange = counted("tea", "rye")
    strange.add(0, label_array(["eve"]), np.array([True, False]))
    assert strange.text() == (
        "2 of 2 cells have labels that the model has not seen: 2 of mode 'dish', in 2 cells "
        "('tea', 'rye'); 1 of mode 'who', in 1 cell ('eve')"
    )


def test_what_may_be_a_mistake_comes_first_and_most_others_are_counted() -> None:
    text = counted(*"abcdefg", "Soup", "tea", None).text()
    assert "10 of mode 'dish', in 10 cells ('Soup': did you mean 'soup'?, 'a', 'b'," in text
    assert text.endswith("no label at all and 4 more)")


def test_nothing_unseen_is_not_told() -> None:
    strange = StrangeLabels(MODES)
    strange.add(0, label_array(["eve"]), np.zeros(3, dtype=bool))
    assert strange.text() == ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        strange.warn(mistakes_only=False, advice="go on")
        counted("tea").warn(mistakes_only=True, advice="go on")
    with pytest.warns(vt.errors.UnseenLabelsWarning) as caught:
        counted("tea").warn(mistakes_only=False, advice="go on")
    assert caught[0].filename == __file__


def test_labels_of_another_kind_are_a_mistake() -> None:
    strange = counted(3)
    strange.add_kind(1, why_not_kin(label_array([3]), label_array(["soup"]), "dish"))
    with pytest.warns(
        vt.errors.UnseenLabelsWarning, match=r"dish.*; mode 'dish' has text .*convert them"
    ):
        strange.warn(mistakes_only=True, advice="go on")
    assert why_not_kin(label_array([3]), label_array([4.5]), "dish") == ""


def test_a_question_is_asked_only_if_something_is_near() -> None:
    assert perhaps("Soop", MODES.labels[1]) == " (did you mean 'soup'?)"
    assert perhaps("tea", MODES.labels[1]) == perhaps(3, None) == ""


def test_blocks_are_counted_together_and_few_labels_are_kept() -> None:
    strange = counted("tea", "rye")
    strange.end_block(5)
    strange.add(1, label_array(["Soup"]), np.array([False, True]))
    strange.end_block(2)
    assert strange.text(mistakes_only=True) == (
        "3 of 7 cells have labels that the model has not seen: 3 of mode 'dish', in 3 cells "
        "('Soup': did you mean 'soup'?, 'tea', 'rye')"
    )
    many = [str(number) for number in range(LOOKED_AT + 5)]
    strange = counted(*many)
    strange.end_block(len(many))
    assert "at least 10,000 of mode 'dish', in 10,005 cells" in strange.text()


def test_a_block_of_another_kind_among_others_is_no_reason() -> None:
    strange = counted(3)
    strange.add_kind(1, "numbers")
    assert strange.text().endswith("; numbers")
    strange.end_block(1)
    strange.end_block(4)
    assert not strange.text().endswith("; numbers")
