"""Names and labels of the modes: there and back, what they refuse, what stays equal."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from vest_tucker.data.labels import ModeLabels, show_some
from vest_tucker.data.sources.zones import zoned
from vest_tucker.errors import LabelError, ModeError

NAMES = ["user", "dish", "day"]


def some() -> ModeLabels:
    return ModeLabels(3, NAMES, {"dish": ["soup", "rice"], "day": [20, 10]})


def test_default_names() -> None:
    plain = ModeLabels(2)
    assert plain.names == ("mode_0", "mode_1")
    assert plain.labels == (None, None)
    assert plain.are_default
    assert plain.cell(np.array([4, 5])) == "(4, 5)"
    assert repr(plain) == "ModeLabels(mode_0, mode_1)"


def test_labels_by_name_by_position_and_of_another() -> None:
    listed = ModeLabels(3, NAMES, [None, ["soup", "rice"], [20, 10]])
    assert listed == some() == ModeLabels(3, NAMES, some())
    assert repr(listed) == "ModeLabels(user, dish: 2 labels, day: 2 labels)"
    assert not listed.are_default


def test_modes_by_name_and_number() -> None:
    assert [some().number(mode) for mode in ("user", "day", 1, -1)] == [0, 2, 1, 2]
    for mode in ("dishes", 3, 1.0, None):
        with pytest.raises(ModeError, match="'user', 'dish', 'day'"):
            some().number(mode)  # type: ignore[arg-type]


def test_decoding_encoded_labels_gives_them_back() -> None:
    assert some().encode("dish", ["rice", "tea", "soup"]).tolist() == [1, -1, 0]
    assert some().encode(2, [10.0, 20.0, 30.0]).tolist() == [1, 0, -1]
    assert some().decode("day", [1, 1, 0]).tolist() == [10, 10, 20]


def test_without_labels_the_labels_are_the_indices() -> None:
    wanted = [3, 0, -2, 1.5, 2**31, np.nan]
    assert some().encode("user", wanted).tolist() == [3, 0, -1, -1, -1, -1]
    assert some().encode("user", ["3", None]).tolist() == [-1, -1]
    assert some().encode("user", np.array([7], np.uint64)).tolist() == [7]
    assert some().decode("user", [3, 0]).tolist() == [3, 0]


def test_a_cell_in_words() -> None:
    months = ModeLabels(2, ["month", "dish"], [np.array(["2021-05"], "M8[M]"), None])
    assert months.cell([0, 3]) == "(month=2021-05, dish=3)"
    assert some().cell([7, 0, 1]) == "(user=7, dish='soup', day=10)"


def test_taking_rows_takes_their_labels() -> None:
    chosen = some().take([[7, 5], [1], None])
    assert chosen == ModeLabels(3, NAMES, {"user": [7, 5], "dish": ["rice"], "day": [20, 10]})
    assert some().take([None, None, None]) == some()


def test_equality() -> None:
    assert some() != ModeLabels(3, NAMES, {"dish": ["soup", "rice"]})
    assert some() != ModeLabels(3, NAMES, {"dish": ["rice", "soup"], "day": [20, 10]})
    assert some() != ModeLabels(3, ["u", "v", "w"], some())
    assert ModeLabels(2) != ModeLabels(3)
    assert some() != "labels"


def test_copies_and_pickles() -> None:
    labels = some()
    labels.encode("dish", ["rice"])
    for other in (pickle.loads(pickle.dumps(labels)), copy.deepcopy(labels)):
        assert other == labels
        assert other.encode("dish", ["rice"]).tolist() == [1]


def test_labels_cannot_be_changed() -> None:
    given = np.array(["a", "b"], dtype=object)
    labels = ModeLabels(2, None, [given, None]).labels[0]
    assert labels is not None
    with pytest.raises(ValueError, match="read-only"):
        labels[0] = "c"
    given[0] = "b"
    assert labels.tolist() == ["a", "b"]


# What is wrong: (names, labels, error, what the message names).
BAD: dict[str, tuple[Any, Any, type[Exception], tuple[str, ...]]] = {
    "too few names": (["a"], None, ModeError, ("1 names", "'a'", "3 modes")),
    "one text for all names": ("abc", None, ModeError, ("'abc'",)),
    "no list of names": (3, None, ModeError, ("3",)),
    "a number for a name": (["a", 1, "c"], None, ModeError, ("mode 1", "1")),
    "an empty name": (["a", "", "c"], None, ModeError, ("mode 1", "''")),
    "a name twice": (["a", "b", "a"], None, ModeError, ("modes 0 and 2", "'a'")),
    "labels of an unknown mode": (NAMES, {"dishes": []}, ModeError, ("'dishes'", "'dish'")),
    "labels of too few modes": (NAMES, [["a"]], LabelError, ("1 modes", "has 3")),
    "labels of another order": (NAMES, ModeLabels(2), LabelError, ("2 modes", "has 3")),
    "a text for all labels": (NAMES, "abc", LabelError, ("'abc'",)),
    "a number for all labels": (NAMES, 5, LabelError, ("5",)),
    "a text for the labels of a mode": (NAMES, {"dish": "abc"}, LabelError, ("'dish'", "'abc'")),
    "a label twice": (
        NAMES, {"dish": ["soup", "rice", "soup"]}, LabelError,
        ("'dish'", "0 and 2", "both 'soup'")),
    "a number twice": (NAMES, {"day": [4, 5, 6, 5]}, LabelError, ("'day'", "1 and 3", "both 5")),
    "the same in two types": (NAMES, {"day": [1, "a", True]}, LabelError, ("0 and 2", "True")),
    "a missing label": (NAMES, {"dish": ["soup", None]}, LabelError, ("'dish'", "1 is None")),
    "NaN": (NAMES, {"day": [1.0, np.nan]}, LabelError, ("'day'", "at 1 is nan")),
    "NaT": (NAMES, {"day": np.array(["NaT"], "M8[D]")}, LabelError, ("'day'", "at 0 is NaT")),
    "unhashable": (NAMES, {"dish": [["soup"], ["rice"]]}, LabelError, ("'dish'", "unhashable")),
    "two dimensions": (NAMES, {"dish": np.eye(2)}, LabelError, ("'dish'", "(2, 2)")),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_names_and_labels(what: str) -> None:
    names, labels, error, fragments = BAD[what]
    with pytest.raises(error) as caught:
        ModeLabels(3, names, labels)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_messages_name_a_few_labels_only() -> None:
    assert show_some(["a", "b"]) == "'a', 'b'"
    assert show_some(range(1005)) == "0, 1, 2, 3, 4 and 1,000 more"


@pytest.mark.parametrize("kind", ["text", "numbers"])
def test_many_labels_are_encoded(kind: str, rng: np.random.Generator) -> None:
    rows = rng.integers(0, 10_000, 100_000)
    names = np.array([f"user {i}" for i in range(10_000)], dtype=object)
    labels = names if kind == "text" else rng.permutation(10_000)
    modes = ModeLabels(2, None, [labels, None])
    column = labels[rows].tolist() if kind == "text" else labels[rows]
    np.testing.assert_array_equal(modes.encode(0, column), rows)


def test_sets_are_refused_as_labels() -> None:
    with pytest.raises(LabelError, match=r"mode 'dish': labels are in a set.*sorted"):
        ModeLabels(2, ["user", "dish"], {"dish": {"soup", "rice"}})
    with pytest.raises(LabelError, match="one list per mode"):
        ModeLabels(2, labels={("soup", "rice"), ("tea",)})  # type: ignore[arg-type]


def test_labels_that_look_alike_are_refused() -> None:
    for labels in ([2, 1, "1"], ["2.5", "x", 2.5], np.array([3, "3"], dtype=object)):
        with pytest.raises(LabelError, match=r"mode 'x': the labels at .* look alike; make all"):
            ModeLabels(2, ["x", "y"], {"x": labels})
    assert ModeLabels(1, ["x"], {"x": [1, "one", "2"]}).labels[0] is not None


def test_cells_are_told_in_local_times() -> None:
    months = zoned(np.array(["2023-12-31T23:00"], dtype="M8[s]"), "Europe/Berlin")
    named = ModeLabels(2, ["month", "dish"], [months, ["tea"]])
    assert named.cell([0, 0]) == "(month=2024-01-01, dish='tea')"
