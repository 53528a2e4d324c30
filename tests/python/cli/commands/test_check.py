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
