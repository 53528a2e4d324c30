"""Arrow is loaded where it is needed, and asked for by name where it is missing."""

from __future__ import annotations

import sys

import pytest

import vest_tucker as vt
from vest_tucker.io.arrow import arrow, arrow_or_none


def test_arrow_is_loaded_with_its_submodules() -> None:
    assert arrow("a test") is arrow_or_none()
    assert arrow("a test").csv.read_csv
    assert arrow("a test").parquet.read_table


def test_without_arrow_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyarrow", "pyarrow.csv", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    assert arrow_or_none() is None
    with pytest.raises(vt.errors.MissingPackageError) as caught:
        arrow("reading a .parquet file")
    for fragment in ("reading a .parquet file", "pyarrow", "pip install 'vest-tucker[io]'"):
        assert fragment in str(caught.value)
