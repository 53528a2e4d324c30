"""``predict``: the table of cells comes out with predictions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import run, small_model
from vest_tucker.cli.cells import open_blocks

pytest.importorskip("pyarrow")

CELLS = "id,hour,who,dish\n1,12,bob,rice\n2,18,eve,soup\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    sure = dataclasses.replace(small_model(), core_variance=np.array([[[0.01]]]), noise=0.16)
    sure.save(tmp_path / "model.npz")
    return tmp_path / "model.npz"


def test_columns_stay_and_one_is_added(model: Path, tmp_path: Path) -> None:
    shown = run("predict", model, "-", stdin=CELLS)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == "id,hour,who,dish,predicted\n1,12,bob,rice,8\n2,18,eve,soup,3\n"
    (tmp_path / "cells.csv").write_text(CELLS)
    out = tmp_path / "out.tsv"
    assert run("predict", model, tmp_path / "cells.csv", "-o", out, "--column", "x").out == ""
    assert out.read_text().splitlines()[1] == "1\t12\tbob\trice\t8"


def test_standard_deviations_and_intervals(model: Path) -> None:
    options = ["--return-std", "--interval", "0.9", "--clip", "0", "8.1", "--column", "y"]
    head, first, _ = run("predict", model, "-", *options, stdin=CELLS).out.splitlines()
    assert head == "id,hour,who,dish,y,y_std,y_lower,y_upper"
    value, std, lower, upper = map(float, first.split(",")[4:])
    assert (value, upper) == (8.0, 8.1)
    assert lower < value - std


def test_json_lines(model: Path) -> None:
    out = run("predict", model, "-", "--json", "--unseen", "nan", stdin=CELLS + "3,12,zoe,rice\n")
    assert out.err == ""  # who asks for NaN expects some
    head, *rows = map(json.loads, out.out.splitlines())
    assert head["schema_version"] == 1
    assert head["columns"][-1] == "predicted"
    assert [row["predicted"] for row in rows] == [8.0, 3.0, None]


def test_unseen_labels_are_told_once_for_all_blocks(model: Path, tmp_path: Path) -> None:
    blocks = 3
    lines = "".join(f"1,12,{'Bob' if row % 2 else 'zoe'},rice\n" for row in range(80_000 * blocks))
    (tmp_path / "cells.csv").write_text(CELLS + lines)
    with open_blocks(str(tmp_path / "cells.csv")) as tables:
        assert len(list(tables)) > 1
    shown = run("predict", model, tmp_path / "cells.csv", "-o", tmp_path / "out.csv")
    assert shown.err == (
        "vest-tucker: warning: 240,000 of 240,002 cells have labels that the model has not seen: 2 "
        "of mode 'who', in 240,000 cells ('Bob': did you mean 'bob'?, 'zoe'); --unseen says how "
        "these are predicted\n"
    )
    shown = run("predict", model, "-", "--unseen", "nan", stdin=CELLS + "3,12,Bob,rice\n")
    assert "'Bob': did you mean 'bob'?" in shown.err


def test_modes_are_averaged_over_if_asked(model: Path) -> None:
    cells = "who,dish\nbob,rice\neve,soup\n"
    shown = run("predict", model, "-", stdin=cells)
    assert shown.code == 1
    assert "no column 'hour'; there are 'who', 'dish'; " in shown.err
    assert shown.err.endswith("(--average hour)\n")
    shown = run("predict", model, "-", "--average", "hour", stdin=cells)
    assert (shown.out, shown.err) == ("who,dish,predicted\nbob,rice,6\neve,soup,4.5\n", "")
    shown = run("predict", model, "-", "--average", "who", "hour", stdin=cells)
    assert shown.out == "who,dish,predicted\nbob,rice,6\neve,soup,3\n"
    shown = run("predict", model, "-", "--average", "day", stdin=cells)
    assert (shown.code, shown.out) == (2, "")
    assert "no mode 'day'" in shown.err


def test_parquet_in_and_out(model: Path, tmp_path: Path) -> None:
    pq: Any = pytest.importorskip("pyarrow.parquet")
    pa: Any = pytest.importorskip("pyarrow")
    table = pa.table({"who": ["bob"], "dish": ["rice"], "hour": [12]})
    pq.write_table(table, tmp_path / "cells.parquet")
    run("predict", model, tmp_path / "cells.parquet", "-o", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").column("predicted").to_pylist() == [8.0]


def test_rows_are_not_lost_where_text_cannot_hold_a_column(model: Path, tmp_path: Path) -> None:
    pq: Any = pytest.importorskip("pyarrow.parquet")
    pa: Any = pytest.importorskip("pyarrow")
    table = pa.table({"who": ["bob"], "dish": ["rice"], "hour": [12], "tags": [[1, 2]]})
    pq.write_table(table, tmp_path / "cells.parquet")
    shown = run("predict", model, tmp_path / "cells.parquet")
    assert shown.code == 1
    assert "cannot hold the column 'tags'" in shown.err
    run("predict", model, tmp_path / "cells.parquet", "-o", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").column("tags").to_pylist() == [[1, 2]]


def test_errors_leave_no_file(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    shown = run("predict", model, "-", "-o", out, "--column", "who", stdin=CELLS)
    assert shown.code == 2
    assert "a column 'who' already" in shown.err
    shown = run("predict", model, "-", "-o", out, "--unseen", "error", stdin="who,dish,hour\nx,y,1")
    assert shown.code == 1
    assert "'x' in mode 'who'" in shown.err
    assert not out.exists()


def test_no_cells(model: Path) -> None:
    assert run("predict", model, "-", stdin="who,dish,hour\n").out == "who,dish,hour,predicted\n"
