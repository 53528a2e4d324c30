"""Cells of a file as labels of the types that a model has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from command_line import small_model
from vest_tucker.cli.cells import cells_of, converter, count_strange, labels_of, open_blocks
from vest_tucker.model.meaning.meant import StrangeLabels

pa: Any = pytest.importorskip("pyarrow")


def predict(table: Any, model: vt.TuckerModel) -> Any:
    cells = {name: own.rows(own.labels) for name, own in cells_of(table, model).items()}
    return model.predict(cells, unseen="nan")


@pytest.mark.parametrize(
    ("own", "texts", "expected"),
    [
        (np.array(["a"], dtype=object), ["7", "a"], ["7", "a"]),
        (np.array([7, 8]), ["7", "8.0", "x"], [7, 8.0, "x"]),
        (None, ["0", "-1", ""], [0, -1, ""]),
        (np.array([0.5]), ["0.5", "1e2", "?"], [0.5, 100.0, "?"]),
        (np.array([True, False]), ["true", "False", "maybe"], [True, False, "maybe"]),
        (np.array(["2021"], dtype="datetime64[D]"), ["2021-05-02", "May"],
         [np.datetime64("2021-05-02"), "May"]),
    ],
)  # fmt: skip
def test_texts_become_labels_if_they_can(own: Any, texts: list[str], expected: list[Any]) -> None:
    assert [converter(own)(text) for text in texts] == expected


def test_one_strange_text_does_not_change_the_others() -> None:
    table = pa.table({"who": ["ann"] * 3, "dish": ["soup"] * 3, "hour": ["12", "noon", "18.0"]})
    predicted = predict(table, small_model())
    assert predicted.tolist()[::2] == [2.0, 1.0]
    assert np.isnan(predicted[1])


def test_types_of_a_table_are_kept() -> None:
    assert labels_of(pa.chunked_array([[12, 18], [12]]), None).labels.tolist() == [12, 18, 12]


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(vt.errors.ColumnError, match="no column 'dish'; there are 'who', 'hour'"):
        cells_of(pa.table({"who": ["ann"], "hour": ["12"]}), small_model())


def test_a_file_of_numbers_is_told_as_one() -> None:
    table = pa.table({"mode_0": [0], "mode_1": [1], "mode_2": [0], "value": [1.0]})
    told = "has numbers .'mode_0', 'mode_1', 'mode_2'., and no names or labels; give the 'who', 'd"
    with pytest.raises(vt.errors.ColumnError, match=told):
        cells_of(table, small_model())


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet", ".npz", ""])
def test_files_of_every_kind(suffix: str, tmp_path: Path) -> None:
    X = vt.SparseTensor(
        [[0, 1, 0], [2, 0, 1]], [1.0, 2.0], modes=["who", "dish", "hour"],
        labels=[["ann", "bob", "eve"], ["soup", "rice"], [12, 18]],
    )  # fmt: skip
    path = tmp_path / f"cells{suffix}"
    vt.write(X, path, format=None if suffix else "csv")
    model = small_model()
    with open_blocks(str(path)) as blocks:
        found = [predict(block, model).tolist() for block in blocks]
    assert found == [[4.0, 3.0]]


def test_strangers_of_all_blocks_are_counted() -> None:
    model = small_model()
    strange = StrangeLabels(model.mode_labels)
    for people, hours in ((["ann", "zoe", "Zed"], ["12", "7", "18"]), (["zoe"], ["12"])):
        table = pa.table({"who": people, "dish": ["soup"] * len(people), "hour": hours})
        count_strange(cells_of(table, model), model, strange)
    assert strange.text() == (
        "3 of 4 cells have labels that the model has not seen: 2 of mode 'who', in 3 cells ('zoe', "
        "'Zed'); 1 of mode 'hour', in 1 cell (7)"
    )
