"""``check``: what files hold, and which are bad."""

from __future__ import annotations

from pathlib import Path

import pytest

import vest_tucker as vt
from command_line import run, small_model


@pytest.fixture
def files(tmp_path: Path) -> Path:
    small_model().save(tmp_path / "model.npz")
    vt.write(vt.SparseTensor([[0, 0], [1, 1]], [1, 2]), tmp_path / "entries.tns")
    cut = (tmp_path / "model.npz").read_bytes()[:-100]
    (tmp_path / "cut.npz").write_bytes(cut)
    return tmp_path


def test_good_files(files: Path) -> None:
    shown = run("check", files / "model.npz", files / "entries.tns")
    assert (shown.code, shown.err) == (0, "")
    first, second = shown.out.splitlines()
    assert first.startswith(f"{files / 'model.npz'}: a model of 0 entries, TuckerModel(")
    assert "2 entries in the format tns, SparseTensor(" in second


def test_bad_files_are_named_and_the_others_told(files: Path) -> None:
    shown = run("check", files / "cut.npz", files / "entries.tns", files / "none.npz")
    assert shown.code == 1
    assert len(shown.out.splitlines()) == 1
    cut, none = shown.err.splitlines()
    assert f"{files / 'cut.npz'}: is damaged or cut short" in cut
    assert "none.npz" in none


def test_json(files: Path) -> None:
    told = run("check", "--json", files / "model.npz", files / "cut.npz", files / "entries.tns")
    assert told.code == 1
    model, cut, entries = told.json["files"]
    assert (model["kind"], model["error"]) == ("model", None)
    assert cut["kind"] is None
    assert "damaged" in cut["error"]
    assert entries["tensor"] == {
        "shape": [2, 2], "nnz": 2, "modes": ["mode_0", "mode_1"], "format": "tns",
    }  # fmt: skip


def test_a_column_that_was_taken_for_the_value_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("store,product,week\nBonn,soup,2024-07-01\nBonn,tea,2024-07-08\n")
    shown = run("check", path)
    assert shown.code == 1
    assert "'2024-07-01', which is not a finite number; 'week' is read as the value" in shown.err
    assert "for the last column that is not a mode is: say --value and --modes if" in shown.err
    assert "for --value named it" in run("check", path, "--value week --missing drop").err
    pytest.importorskip("pandas").read_csv(path).to_parquet(tmp_path / "cells.parquet")
    assert "'week' is read as the value" in run("check", tmp_path / "cells.parquet").err


def test_options_are_named_as_they_are_typed(tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text("store,product,sold\nBonn,soup,\n")
    assert "(--missing drop)" in run("check", tmp_path / "cells.csv").err
