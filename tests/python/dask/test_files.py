"""Parquet files that the workers read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

vtd = pytest.importorskip("vest_tucker.dask")
files = pytest.importorskip("vest_tucker.dask.files")
pytest.importorskip("fsspec")


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cells = rng.permutation(40 * 30)[:600]
    return pd.DataFrame({"a": [f"n{c // 30}" for c in cells], "b": cells % 30, "stars": cells / 7})


def test_files_are_one_tensor(
    client: Any, frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.dask.files.ROWS", 100)
    for number in range(3):
        part = frame.iloc[200 * number : 200 * (number + 1)]
        part.to_parquet(tmp_path / f"{number}.parquet", row_group_size=60, index=False)
    X = vtd.read(tmp_path / "*.parquet", client=client)
    whole = vt.SparseTensor.from_frame(frame, ["a", "b"], "stars")
    assert X.to_local().values.tobytes() == whole.values.tobytes()
    assert X.to_local() == whole
    assert X.lengths == [600], "one chunk"
    several = [f"file://{tmp_path / '2.parquet'}", tmp_path / "0.parquet"]
    assert vtd.read(several, client=client, modes=["a", "b"], value="stars").nnz == 400


def test_what_is_wrong_is_named(client: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(vt.errors.MissingFileError, match=r"no file .*\*\.parquet"):
        vtd.read(tmp_path / "*.parquet", client=client)
    with pytest.raises(vt.errors.MissingFileError, match="a worker finds no file"):
        vtd.read(tmp_path / "x.parquet", client=client)
    (tmp_path / "x.parquet").write_bytes(b"no such thing")
    with pytest.raises(vt.errors.FileFormatError, match="is not a Parquet file"):
        vtd.read(tmp_path / "x.parquet", client=client)
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    frame.rename(columns={"b": "c"}).to_parquet(tmp_path / "b.parquet", index=False)
    both = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    with pytest.raises(vt.errors.FileFormatError, match="has no column 'b'"):
        vtd.read(both, client=client)


def test_a_file_that_was_written_again_is_not_read_again(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / "a.parquet"
    frame.to_parquet(path, index=False)
    name = f"file://{path}"
    before = files.footer(name, {})
    assert len(files.load_groups(name, {}, [0], ["a"], before.version)) == len(frame)
    assert files.footer(name, {}).version == before.version
    os.utime(path, ns=(0, 0))
    assert files.footer(name, {}).version != before.version
    with pytest.raises(vt.errors.FileFormatError, match=r"a\.parquet.*has changed"):
        files.load_groups(name, {}, [0], ["a"], before.version)


def test_a_file_that_changes_while_it_is_read_is_refused(
    client: Any, frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    versions = iter(["before", "after", "after", "after", "after"])
    monkeypatch.setattr(files, "version_of", lambda *_: next(versions))
    with pytest.raises(vt.errors.FileFormatError, match="has changed"):
        vtd.read(tmp_path / "a.parquet", client=client)
