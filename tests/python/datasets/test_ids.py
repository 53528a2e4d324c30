"""Ids become indices, each label once, in order."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.datasets.ids import distinct_names, months, texts_numbered


def test_texts_of_several_chunks_are_numbered_in_order() -> None:
    pa = pytest.importorskip("pyarrow")
    chunks = [pa.array(texts).dictionary_encode() for texts in (["b", "é", "b"], ["a", "b"])]
    labels, indices = texts_numbered(chunks)
    assert labels.tolist() == ["a", "b", "é"]
    assert labels.dtype == object
    assert indices.tolist() == [1, 2, 1, 0, 1]
    assert indices.dtype == np.int32


def test_a_text_that_only_the_dictionary_has_gets_no_label() -> None:
    pa = pytest.importorskip("pyarrow")
    unused = pa.DictionaryArray.from_arrays(pa.array([2, 0], pa.int32()), ["c", "unused", "a"])
    labels, indices = texts_numbered([unused])
    assert (labels.tolist(), indices.tolist()) == (["a", "c"], [0, 1])


def test_months_are_those_of_utc() -> None:
    moments = np.array(["1999-12-31T23:59:59", "2000-01-01T00:00:00", "1969-12-31T23:59:59"])
    labels, indices = months(moments.astype("M8[s]").astype(np.int64))
    assert labels.tolist() == ["1969-12", "1999-12", "2000-01"]
    assert indices.tolist() == [1, 2, 0]
    assert type(labels[0]) is str


def test_names_that_repeat_get_their_id() -> None:
    names = distinct_names(["Heat", "Hamlet", "Hamlet"], [6, 1, 2])
    assert names.tolist() == ["Heat", "Hamlet [1]", "Hamlet [2]"]


def test_names_that_look_as_if_they_had_an_id() -> None:
    names = distinct_names(["Hamlet", "Hamlet", "Hamlet [1]"], [1, 2, 3]).tolist()
    assert len(set(names)) == 3
