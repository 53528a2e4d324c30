"""``convert``: the same entries in another format."""

from __future__ import annotations

from pathlib import Path

import pytest

import vest_tucker as vt
from command_line import TABLE, run


def test_there_and_back(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.csv").write_text(TABLE)
    shown = run("convert", tmp_path / "a.csv", tmp_path / "b.npz", "--value", "stars")
    assert shown.err == f"wrote 6 entries to {tmp_path / 'b.npz'}\n"
    assert vt.read(tmp_path / "b.npz").modes == ("who", "dish", "hour")
    words = ["--output-format", "csv", "--output-value", "stars"]
    back = run("convert", tmp_path / "b.npz", "-", *words).out
    assert back.replace('"', "") == TABLE
    lines = run("convert", tmp_path / "b.npz", "-", "--output-format", "tns",
                "--output-index-base", "0")  # fmt: skip
    assert lines.out.startswith("0 1 1 4\n")


def test_standard_output_needs_a_format(tmp_path: Path) -> None:
    vt.write(vt.SparseTensor([[0, 0], [1, 1]], [1, 2]), tmp_path / "a.tns")
    shown = run("convert", tmp_path / "a.tns", "-")
    assert (shown.code, shown.out) == (2, "")
    assert "say --output-format" in shown.err


@pytest.mark.parametrize("command", ["convert", "describe"])
def test_rows_with_gaps(tmp_path: Path, command: str) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.csv").write_text("who,dish,stars\nann,tea,1\nbob,tea,\nbob,rye,2\n")
    words: list[str | Path] = [command, tmp_path / "a.csv"]
    words += [tmp_path / "b.tns"] if command == "convert" else []
    refused = run(*words)
    assert (refused.code, refused.out) == (1, "")
    assert "line 3" in refused.err
    assert "--missing drop" in refused.err
    dropped = run(*words, "--missing", "drop")
    assert dropped.code == 0
    assert "1 of 3 rows was dropped for gaps: 1 in the column 'stars'" in dropped.err


@pytest.mark.parametrize("form", ["tns", "sptensor"])
def test_labels_that_are_lost_are_told(tmp_path: Path, form: str) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.csv").write_text(TABLE)
    told = "it has numbers in place of names and labels; .npz, .parquet, .csv and .tsv keep them"
    for words in ([tmp_path / f"b.{form}"], ["-", "--output-format", form]):
        shown = run("convert", tmp_path / "a.csv", *words, "--value", "stars")
        assert (shown.code, shown.err.splitlines()[-1]) == (0, told)
    again = run("convert", tmp_path / f"b.{form}", tmp_path / "c.tns")  # which had none to lose
    assert told not in again.err
