"""Labels that a spreadsheet would compute are marked if asked for, and only then."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import vest_tucker as vt
from small import made
from vest_tucker.io.safety.formulas import FIRST, harmless

LABELS = [f"{first}cmd|' /C calc'!A0" for first in FIRST] + ["rye", "", "a=b", "'=1"]


def tensor() -> vt.SparseTensor:
    coords = [[row, 0] for row in range(len(LABELS))]
    values = [-1.5 - row for row in range(len(LABELS))]
    return vt.SparseTensor(
        coords, values, labels={"=dish": LABELS, "n": [-7]}, modes=["=dish", "n"]
    )


def rows(path: Path, delimiter: str = ",") -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_nothing_that_is_written_begins_as_a_formula_does(
    tmp_path: Path, suffix: str, delimiter: str
) -> None:
    path = tmp_path / f"x.{suffix}"
    vt.write(tensor(), path, escape_formulas=True)
    names, *cells = rows(path, delimiter)
    assert names == ["'=dish", "n", "value"]
    assert [label for label, _, _ in cells] == [harmless(label) for label in LABELS]
    assert not any(label.startswith(FIRST[:-1]) for label, _, _ in cells)
    assert [(n, value) for _, n, value in cells][:2] == [("-7", "-1.5"), ("-7", "-2.5")]
    back = vt.read(path)
    assert back.shape == tensor().shape, "different labels stay different"


def test_labels_are_otherwise_written_as_they_are(tmp_path: Path) -> None:
    vt.write(tensor(), tmp_path / "x.csv")
    assert [label for label, _, _ in rows(tmp_path / "x.csv")[1:]] == LABELS
    assert vt.read(tmp_path / "x.csv").labels[0].tolist() == sorted(LABELS)  # type: ignore[union-attr]


def test_other_formats_have_types_and_need_no_marks(tmp_path: Path) -> None:
    for name in ("x.npz", "x.parquet", "x.tns"):
        with pytest.raises(vt.errors.OptionError, match="escape_formulas is True"):
            vt.write(tensor(), tmp_path / name, escape_formulas=True)
    assert list(tmp_path.iterdir()) == []


def test_the_commands_have_it_too(tmp_path: Path, capsys: Any) -> None:
    from vest_tucker.cli.main import main

    vt.write(tensor(), tmp_path / "x.csv")
    made([[1.0]], [[[1.0]] * len(LABELS), [[1.0]]], modes=["=dish", "n"],
                   labels=[LABELS, [-7]]).save(tmp_path / "model.npz")  # fmt: skip
    cells, out = str(tmp_path / "x.csv"), tmp_path / "out.csv"
    assert main(["convert", cells, str(out), "--output-escape-formulas"]) == 0
    assert rows(out)[1][0] == "'" + LABELS[0]
    predict = ["predict", str(tmp_path / "model.npz"), cells]
    assert main([*predict, "-o", str(out), "--escape-formulas"]) == 0
    assert rows(out)[0] == ["'=dish", "n", "value", "predicted"]
    assert rows(out)[1][0] == "'" + LABELS[0]
    assert main([*predict, "-o", str(out)]) == 0
    assert rows(out)[1][0] == LABELS[0]
    assert main([*predict, "--json", "--escape-formulas"]) == 2
    assert "for .csv and .tsv" in capsys.readouterr().err
