"""Arrow is loaded where it is needed, and asked for by name where it is missing."""

from __future__ import annotations

import sys

import pytest

import vest_tucker as vt
from vest_tucker.io.arrow import arrow, arrow_or_none, told_of_memory


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


@pytest.mark.parametrize("kind", ["ArrowMemoryError", "ArrowException"])
def test_too_little_memory_is_a_memory_error(kind: str) -> None:
    error = getattr(arrow("a test"), kind)("Unknown error: Failed to launch worker thread: no")
    with pytest.raises(MemoryError, match="Failed to launch") as caught, told_of_memory():
        raise error
    assert type(caught.value) is MemoryError
    with pytest.raises(arrow("a test").ArrowInvalid), told_of_memory():
        raise arrow("a test").ArrowInvalid("a bad line")
