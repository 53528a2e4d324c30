"""Columns of the large text tables that datasets come as, without a gap in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vest_tucker.base.errors import FileFormatError
from vest_tucker.datasets.archives import Source
from vest_tucker.io.arrow import arrow
from vest_tucker.io.text_tables import Layout, TextTable


def read_columns(source: Source, layout: Layout) -> dict[str, Any]:
    """Return the needed columns as Arrow's arrays, without nulls, NaN and infinities."""
    arrow(f"reading {source.name}")  # if it is missing, the message names the file
    text = TextTable(str(source), source.open, layout)
    table = text.parse()
    columns = {name: table[name] for name in layout.columns}
    for name, kind in layout.columns.items():
        column = columns[name]
        if column.null_count or (kind == "float64" and not np.isfinite(column.to_numpy()).all()):
            raise text.first_bad_row(f"the column {name} has gaps")
    if not table.num_rows:
        raise FileFormatError("has no entries", str(source))
    return columns
