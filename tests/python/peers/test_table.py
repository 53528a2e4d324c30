"""The table of a comparison: one line per system, and why where there are no figures."""

from __future__ import annotations

from typing import Any

from peers.table import table

RUN: dict[str, Any] = {
    "method": "SMURFF", "centred": True, "seconds": 1.2345, "memory": 3 << 20, "stored": 12345,
    "sparsity": 0.5, "train_error": 0.1, "test_error": 0.2,
}  # fmt: skip


def test_figures() -> None:
    line = list(table("demo", [RUN]))[-1]
    assert line == "| SMURFF | centred | 1.23 | 3 MiB | 12,345 | 0.50 | 0.1000 | 0.2000 |"


def test_results_from_before_numbers_stored_were_counted() -> None:
    old = {name: value for name, value in RUN.items() if name not in ("stored", "sparsity")}
    assert "3 MiB |  |  | 0.1000" in list(table("demo", [old]))[-1]


def test_every_line_has_as_many_cells() -> None:
    failed = {"method": "TTP", "centred": False, "failed": "took more than 5 s"}
    lines = list(table("demo", [RUN, failed]))
    assert {line.count("|") for line in lines} == {9}
    assert "| TTP | as they are | took more than 5 s |" in lines[-1]
