"""Arrow, the parser of text and the reader of Parquet, loaded where it is needed."""

from __future__ import annotations

from importlib import import_module  # Arrow has no types
from typing import Any

from vest_tucker.base.extras import needed_for


def arrow(what: str) -> Any:
    """Return pyarrow for what it is to do; say how to get it if it is missing."""
    with needed_for(what, "io"):
        for part in ("csv", "parquet"):
            import_module(f"pyarrow.{part}")
        return import_module("pyarrow")


def arrow_or_none() -> Any:
    """Return pyarrow if it is there."""
    try:
        return arrow("this")
    except ImportError:
        return None
