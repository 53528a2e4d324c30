"""Rows on disk: a line of JSON each, written as they are measured, so that nothing is lost.

The file of lines grows in the build folder, and has rows of any code; a run looks up those of the
code as it is now. What a run has ended with is gathered into one document, which pictures and page
are made of.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from experiments.harness.job import key_of

Row = dict[str, Any]
DIGITS = 6  # that are kept of a number: more than any of them means


class Store:
    """The rows measured so far."""

    def __init__(self, file: Path, others: Iterable[Path] = ()) -> None:
        self.file = file
        self.rows: dict[tuple[str, str, str], Row] = {}
        for each in (*others, file):
            self.read(each)

    def read(self, file: Path) -> None:
        """Take the rows of a file, which another process may have written."""
        if file.exists():
            for line in file.read_text("utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        """Keep the row of a line, unless a killed run was still writing it."""
        with suppress(json.JSONDecodeError):
            self._keep(json.loads(line))

    def _keep(self, row: Row) -> None:
        self.rows[row["figure"], row["code"], key_of(row["settings"], row["seed"])] = row

    def find(self, figure: str, code: str, key: str) -> Row | None:
        """Return the row of a job, if this code has made it before."""
        return self.rows.get((figure, code, key))

    def add(self, row: Row) -> None:
        """Write a row at the end of the file, on a line of its own whatever stood there."""
        row = plain(row)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a+b") as lines:
            if lines.tell():
                lines.seek(-1, 2)
                if lines.read(1) != b"\n":
                    lines.write(b"\n")
            lines.write((json.dumps(row) + "\n").encode())
        self._keep(row)


def gathered(before: dict[str, Any] | None, rows: Iterable[Row], about: Row) -> dict[str, Any]:
    """Return a document of these rows, and of figures that were not run now, those of before."""
    rows = list(rows)
    new = {row["figure"] for row in rows}
    old = [row for row in (before or {}).get("rows", []) if row["figure"] not in new]
    order = sorted([*old, *rows], key=lambda row: str(row["figure"]))
    return {**about, "rows": order}


def write_document(file: Path, document: dict[str, Any]) -> None:
    """Write a document with a row on each line, so that differences can be read."""
    head = json.dumps({key: value for key, value in document.items() if key != "rows"}, indent=1)
    lines = ",\n".join(json.dumps(row) for row in document["rows"])
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(f'{head[:-2]},\n "rows": [\n{lines}\n]}}\n', "utf-8")
    fresh.replace(file)


def plain(value: Any) -> Any:
    """Return what JSON can hold: numbers of NumPy as Python's, rounded; no infinities."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value
