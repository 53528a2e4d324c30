"""One partition: its own numbers first, those of the whole tensor then."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pyarrow")
from vest_tucker.base.errors import DtypeError
from vest_tucker.dask import local
from vest_tucker.data.sources.gaps import Dropped


def test_two_passes() -> None:
    frame = pd.DataFrame({"a": ["y", "x", "y"], "b": [7, 7, 9], "value": [1, 2, 3]})
    wanted = local.Wanted(("a", "b"), "value", None, {"b": [9, 8, 7]}, "raise")
    own = local.local_entries(frame, 0, wanted)
    assert own.coords.tolist() == [[1, 2], [0, 2], [1, 0]]
    told = local.facts_of(own)
    assert own.labels[0] is not None
    assert told == local.Facts(3, (own.labels[0].nbytes, 0), (None, None), Dropped(0, 3, {}))
    assert own.nbytes == 3 * (1 + 1 + 2) + told.label_bytes[0]
    assert local.labels_of(own, 0).to_pylist() == ["x", "y"]
    block = local.renumbered(own, [np.array([10, 40], np.int32), None])
    assert block.coords.tolist() == [[40, 2], [10, 2], [40, 0]]
    assert block.nbytes == 3 * (2 * 1 + 2)
    assert block.__sizeof__() > block.nbytes


def test_rows_of_a_partition_are_named_as_given_after_others_were_dropped() -> None:
    frame = pd.DataFrame({"a": [None, "x", "y"], "b": 7, "value": ["1", "2", "bad"]})
    wanted = local.Wanted(("a", "b"), "value", None, {}, "drop")
    with pytest.raises(DtypeError, match=r"^partition 4 of the frame: .*'bad', in row 2\)"):
        local.local_entries(frame, 4, wanted)


def test_counts_are_added() -> None:
    first = np.array([1, 4], np.int32), np.array([2, 1])
    second = np.array([4, 9], np.int32), np.array([5, 1])
    rows, counts = local.rows_used_together(first, second)
    assert (rows.tolist(), counts.tolist()) == ([1, 4, 9], [2, 6, 1])
