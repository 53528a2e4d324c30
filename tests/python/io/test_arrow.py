"""Arrow is loaded where it is needed, and asked for by name where it is missing."""

from __future__ import annotations

import sys

import pytest

import vest_tucker as vt
from vest_tucker.io.arrow import arrow, arrow_or_none, named_errors, told_of_memory


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


def test_errors_of_arrow_and_want_of_memory_have_names_of_ours() -> None:
    pa = pytest.importorskip("pyarrow")
    for error in (
        pa.ArrowInvalid("odd"),
        pa.ArrowNotImplementedError("odd"),
        pa.ArrowKeyError("odd"),
    ):
        with pytest.raises(vt.errors.FileFormatError, match=r"x\.csv: could not be read .*odd"):
            raise_in(error)
    for lack in (pa.ArrowMemoryError("much"), MemoryError("much")):
        with pytest.raises(vt.errors.NotEnoughMemoryError, match=r"x\.csv: there is not enough"):
            raise_in(lack)
    for other in (vt.errors.NotEnoughMemoryError("own"), KeyError("own"), KeyboardInterrupt()):
        with pytest.raises(type(other)) as raised:
            raise_in(other)
        assert raised.value is other


def raise_in(error: BaseException) -> None:
    with named_errors("x.csv"):
        raise error


@pytest.mark.parametrize("kind", ["ArrowMemoryError", "ArrowException"])
def test_too_little_memory_is_a_memory_error(kind: str) -> None:
    error = getattr(arrow("a test"), kind)("Unknown error: Failed to launch worker thread: no")
    with pytest.raises(MemoryError, match="Failed to launch") as caught, told_of_memory():
        raise error
    assert type(caught.value) is MemoryError
    with pytest.raises(arrow("a test").ArrowInvalid), told_of_memory():
        raise arrow("a test").ArrowInvalid("a bad line")
