"""A frame in partitions makes the tensor that the whole frame makes, byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")


def many(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "who": [f"w{number}" for number in rng.integers(0, 60, n)],
            "what": rng.integers(-5, 40, n),
            "when": pd.to_datetime(rng.integers(0, 9, n), unit="D").tz_localize("Europe/Berlin"),
            "value": rng.normal(size=n),
            "weight": rng.uniform(0.5, 3.0, n),
        }
    )


MODES = ["who", "what", "when"]


def same(ours: Any, theirs: vt.SparseTensor) -> None:
    local = ours.to_local()
    assert ours.shape == theirs.shape
    assert ours.nnz == theirs.nnz
    assert local.coords.tobytes() == theirs.coords.tobytes()
    assert local.values.tobytes() == theirs.values.tobytes()
    assert local.mode_labels == theirs.mode_labels
    assert (local.weights is None) == (theirs.weights is None)
    if local.weights is not None and theirs.weights is not None:
        assert local.weights.tobytes() == theirs.weights.tobytes()


def test_cells_meet_some_at_a_time(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vest_tucker.dask.repeated.MEETING", 100)  # of 3000 cells at 4 places
    frame = many()
    whole = vt.SparseTensor.from_frame(frame, MODES, duplicates="sum")
    parts = dd.from_pandas(frame, npartitions=5, sort=False)
    same(vtd.from_frame(parts, MODES, client=client, duplicates="sum"), whole)
    with pytest.raises(vt.errors.DuplicateError, match="twice or more"):
        vtd.from_frame(parts, MODES, client=client)


@pytest.mark.parametrize("duplicates", ["mean", "median", "sum", "count", "min", "first", "last"])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_is_the_tensor_of_the_whole_frame(client: Any, duplicates: Any, weight: Any) -> None:
    frame = many()
    options: dict[str, Any] = {"duplicates": duplicates, "weight": weight}
    whole = vt.SparseTensor.from_frame(frame, MODES, **options)
    assert whole.nnz < len(frame), "nothing is merged"
    parts = dd.from_pandas(frame, npartitions=5, sort=False)
    same(vtd.from_frame(parts, MODES, client=client, **options), whole)


def test_counts_as_weights(client: Any) -> None:
    options: dict[str, Any] = {"duplicates": "mean", "count_as_weight": True}
    frame = many()
    parts = dd.from_pandas(frame, npartitions=3, sort=False)
    whole = vt.SparseTensor.from_frame(frame, MODES, **options)
    same(vtd.from_frame(parts, MODES, client=client, **options), whole)


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "text": lambda frame: frame["who"],
    "umlauts": lambda frame: frame["who"].map(lambda name: "ÄöΩ😀"[int(name[1:]) % 4] + name),
    "numbers": lambda frame: frame["what"] * 0.5,
    "days": lambda frame: frame["when"],
    "truth": lambda frame: frame["what"] > 10,
    "objects": lambda frame: pd.Series([(a, 1) for a in frame["who"]], index=frame.index),
    "categories": lambda frame: frame["who"].astype("category"),
    "ordered": lambda frame: pd.Categorical(
        frame["who"], categories=[f"w{n}" for n in range(99, -1, -1)], ordered=True
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_kind(client: Any, kind: str) -> None:
    frame = many()
    frame["who"] = KINDS[kind](frame)
    frame = frame.drop_duplicates(MODES)
    with dask.config.set({"dataframe.convert-string": kind != "objects"}):
        parts = dd.from_pandas(frame, npartitions=4, sort=False)
        found = vtd.from_frame(parts, MODES, client=client)
    same(found, vt.SparseTensor.from_frame(frame, MODES))


def test_labels_given_and_those_of_another_tensor(client: Any) -> None:
    frame = many().drop_duplicates(MODES)
    parts = dd.from_pandas(frame, npartitions=4, sort=False)
    labels = {"what": list(range(-10, 60))}
    whole = vt.SparseTensor.from_frame(frame, MODES, labels=labels)
    same(vtd.from_frame(parts, MODES, client=client, labels=labels), whole)
    some = dd.from_pandas(frame[:200], npartitions=2, sort=False)
    expected = vt.SparseTensor.from_frame(frame[:200], like=whole)
    same(vtd.from_frame(some, like=whole, client=client), expected)


def test_a_cell_in_two_partitions_is_named(client: Any) -> None:
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 1, 1], "value": [1.0, 2.0, 3.0]})
    parts = dd.from_pandas(frame, npartitions=3, sort=False)
    with pytest.raises(vt.errors.DuplicateError, match=r"\(a='x', b=1\).* values 1 and 3"):
        vtd.from_frame(parts, ["a", "b"], client=client)


def test_errors_name_the_partition(client: Any) -> None:
    frame = many(30)
    frame.loc[25, "value"] = np.nan
    parts = dd.from_pandas(frame, npartitions=3, sort=False)
    with pytest.raises(vt.errors.NonFiniteError, match="partition 2 of the frame"):
        vtd.from_frame(parts, MODES, client=client)
    with pytest.raises(vt.errors.ColumnError, match="there is no column 'whom'"):
        vtd.from_frame(parts, ["whom", "what"], client=client)
    with pytest.raises(vt.errors.DtypeError, match="needs a frame of Dask"):
        vtd.from_frame(frame, MODES, client=client)
    with pytest.raises(vt.errors.OptionError, match="choose one"):
        vtd.from_frame(parts, MODES, labels={"who": []}, like=object(), client=client)


def test_gaps_are_dropped_with_a_count(client: Any) -> None:
    frame = many(60).drop_duplicates(MODES)
    frame.loc[frame.index[5], "value"] = np.nan
    parts = dd.from_pandas(frame, npartitions=3, sort=False)
    with pytest.warns(vt.errors.GapsWarning):
        whole = vt.SparseTensor.from_frame(frame, MODES, missing="drop")
    with pytest.warns(vt.errors.GapsWarning, match=r"1 of 60 rows was .*row 5 of partition 0"):
        found = vtd.from_frame(parts, MODES, missing="drop", client=client)
    same(found, whole)


def test_without_rows_it_is_an_error(client: Any) -> None:
    parts = dd.from_pandas(many(10)[:0], npartitions=1)
    with pytest.raises(vt.errors.EmptyTensorError):
        vtd.from_frame(parts, MODES, client=client)
