"""Loading Arrow, which parses text and reads Parquet, where it is needed."""

from __future__ import annotations

from importlib import import_module  # Arrow has no types
from typing import Any

from vest_tucker.base.extras import needed_for


def arrow(what: str) -> Any:
    """Return pyarrow; if it is missing, the error says that ``what`` needs it and how to get it."""
    with needed_for(what, "io"):
        for part in ("csv", "parquet"):
            import_module(f"pyarrow.{part}")
        return import_module("pyarrow")


def arrow_or_none() -> Any:
    """Return pyarrow if it is installed."""
    try:
        return arrow("this")
    except ImportError:
        return None
