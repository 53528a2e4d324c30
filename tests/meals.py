"""The same four meals as a frame of every library that tests of frames know."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

MEALS: dict[str, Any] = {
    "who": ["eve", "bob", "eve", "ann"],
    "dish": [7, 3, 3, 7],
    "day": [dt.date(2021, 5, 2), dt.date(2021, 5, 1), dt.date(2021, 5, 1), dt.date(2021, 5, 3)],
    "stars": [4, 2, 5, 0],
}
MODES = ["who", "dish", "day"]

load = pytest.importorskip
LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda data: load("pandas").DataFrame(data),
    "pandas with objects": lambda data: (
        load("pandas")
        .DataFrame(data)
        .astype({name: object for name, column in data.items() if isinstance(column[0], str)})
    ),
    "pandas on Arrow": lambda data: (
        load("pandas").DataFrame(data).convert_dtypes(dtype_backend="pyarrow")
    ),
    "polars": lambda data: load("polars").DataFrame(data, strict=False),
    "polars, lazy": lambda data: load("polars").LazyFrame(data, strict=False),
    "Arrow": lambda data: load("pyarrow").table(data),
}
