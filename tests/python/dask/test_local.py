"""One partition: its own numbers first, those of the whole tensor then."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pyarrow")
from vest_tucker.base.errors import ClusterError, DtypeError, NonFiniteError, WeightError
from vest_tucker.dask import local
from vest_tucker.dask.narrow import Block
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


def test_a_partition_that_has_changed_is_refused() -> None:
    frame = pd.DataFrame({"a": ["y", "x", "y"], "b": [7, 7, 9], "value": [1, 2, 3]})
    own = local.local_entries(frame, 0, local.Wanted(("a", "b"), "value", None, {}, "raise"))
    with pytest.raises(ClusterError, match="other labels than before"):
        local.renumbered(own, [np.array([10, 40, 50], np.int32), np.array([0, 1], np.int32)])


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize(
    ("column", "number", "error"),
    [("value", np.inf, NonFiniteError), ("w", -1.0, WeightError), ("w", 0.0, WeightError)],
)
def test_numbers_that_no_tensor_has_are_refused(
    column: str, number: float, error: type[Exception], missing: str
) -> None:
    frame = pd.DataFrame({"a": ["y", "x", "y"], "b": [7, 7, 9], "value": 1.0, "w": 2.0})
    frame.loc[1, column] = number
    frame.loc[0, "value"] = 1.0 if missing == "raise" else np.nan  # rows are counted with it
    wanted = local.Wanted(("a", "b"), "value", "w", {}, missing)  # type: ignore[arg-type]
    with pytest.raises(error, match=r"partition 4 of the frame: (entry|row) 1 .*\(a='x', b=7\)"):
        local.local_entries(frame, 4, wanted)
    empty = local.local_entries(frame[:0], 4, wanted)
    assert len(empty) == 0


def test_a_block_does_not_keep_the_frame_that_it_was_a_column_of() -> None:
    frame = np.random.default_rng(0).normal(size=(50, 3))
    columns = (1e8 * np.abs(frame)).astype(np.int32)
    block = Block.of(columns[:, :1], frame[:, 0])
    contiguous = Block.of(np.asfortranarray(columns), np.asfortranarray(frame)[:, 1])
    for each in (block, contiguous):
        assert all(array.base is None for array in (*each.columns, each.stored))
