"""Labels of several partitions, united and found again."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from vest_tucker.base.errors import ClusterError
from vest_tucker.data.label_arrays import label_array

pytest.importorskip("pyarrow")
from vest_tucker.dask.labels import union

TEXTS = ["b", "a", "ä", "😀", "Z", "", "a\0", "zz"]


def test_text_is_sorted_as_python_does() -> None:
    parts = [union.compact(label_array(sorted(TEXTS[:5]))), union.compact(label_array(TEXTS[3:]))]
    assert union.label_list(union.united(*parts)).tolist() == sorted(TEXTS)


def test_kinds_that_differ_become_one() -> None:
    whole, real = np.array([1, 5]), np.array([0.5])
    assert union.united(whole, real).tolist() == [0.5, 1.0, 5.0]
    mixed = union.united(union.compact(label_array(["x"])), whole)
    assert union.label_list(mixed).tolist() == [1, 5, "x"]
    nothing = union.compact(label_array([]))
    assert union.united(nothing, whole).tolist() == [1, 5]


def test_ranges_hold_each_label_once() -> None:
    labels = union.compact(label_array(sorted(map(str, range(300)))))
    at = union.cuts([union.sampled(labels, 20)], 4)
    ranges = [union.in_range(labels, at, number) for number in range(len(at) + 1)]
    assert len(ranges) == 4
    joined = [label for each in ranges for label in each.to_pylist()]
    assert joined == labels.to_pylist()
    assert max(map(len, ranges)) < 150


def test_places_are_found() -> None:
    among = union.compact(label_array(sorted(TEXTS)))
    wanted = union.compact(label_array(["a", "zz"]))
    expected = [sorted(TEXTS).index(each) + 3 for each in ("a", "zz")]
    assert union.places(wanted, among, 3).tolist() == expected
    parts = union.places(wanted, among, 0), union.places(wanted, among, 1)
    assert len(union.joined_places(*parts)) == 4


@pytest.mark.parametrize("kind", [str, int])
def test_a_range_travels_without_the_other_labels(kind: type) -> None:
    labels = union.compact(label_array(sorted(map(kind, range(50_000)))))
    some = union.in_range(labels, union.label_list(labels)[[10, 20]], 1)
    assert len(some) == 10
    assert len(pickle.dumps(some)) < 1000
    assert getattr(some, "base", None) is None


@pytest.mark.parametrize("wanted", [["a", "new"], [1, 2]])
def test_labels_that_were_not_there_are_no_rows(wanted: list[object]) -> None:
    among = union.compact(label_array(TEXTS[:2]))
    with pytest.raises(ClusterError, match=r"made anew.*(new|1)"):
        union.places(union.compact(label_array(wanted)), among, 5)
