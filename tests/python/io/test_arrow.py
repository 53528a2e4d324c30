"""Arrow is loaded where it is needed, and asked for by name where it is missing."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from contextlib import nullcontext
from typing import Any, BinaryIO

import pytest

import vest_tucker as vt
from small import Failing
from vest_tucker.io import arrow as arrow_module
from vest_tucker.io.arrow import (
    Stoppable,
    arrow,
    arrow_or_none,
    csv_tables,
    named_errors,
    read_csv,
    told_of_memory,
)

posix = pytest.mark.skipif(os.name != "posix", reason="signals of other systems are others")


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


class Endless(io.RawIOBase):
    """A table without end, which sends Ctrl-C after some lines of it."""

    def __init__(self, sends_at: int) -> None:
        self.reads, self.sends_at = 0, sends_at

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        if self.reads == self.sends_at:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return b"1,2\n" * (1 << 16)


@posix
@pytest.mark.parametrize("sends_at", [1, 2, 5])
def test_ctrl_c_ends_the_parsing_of_a_table(sends_at: int) -> None:
    pa = pytest.importorskip("pyarrow")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    table = Endless(sends_at)
    try:
        with pytest.raises(KeyboardInterrupt):
            read_csv(table)
    finally:
        signal.signal(signal.SIGINT, before)
    reads = table.reads
    with pytest.raises(pa.ArrowInvalid):  # meanwhile nobody has read on
        read_csv(io.BytesIO(b"a,b\n1\n"))
    assert table.reads == reads < sends_at + 50


@posix
def test_arrow_leaves_ctrl_c_to_who_has_it() -> None:
    """While Arrow parses, the handler of Python is in its place: that of Arrow loses signals."""
    pa = pytest.importorskip("pyarrow")
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        for sends_at in (1, 2, 3):
            block = io.BytesIO(b"1,2\n" * 100)
            block.read = Sending(block.read, sends_at)  # type: ignore[method-assign, assignment]
            assert read_csv(block).num_rows == 99
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(heard) == 2  # there is no third read: the second finds the end
    assert read_csv(pa.BufferReader(b"a,b\n1,2\n")).num_rows == 1


class Slow:
    """A table that somebody else fills, who takes a break before its n-th block."""

    def __init__(self, breaks_at: int, *, sends: bool = False) -> None:
        self.reads, self.breaks_at, self.sends = 0, breaks_at, sends
        self.breaks, self.goes_on = threading.Event(), threading.Event()
        self.was_waited_for = False

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        if self.reads == self.breaks_at:
            self.breaks.set()
            if self.sends:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            self.was_waited_for = not self.goes_on.wait(60)
        return b"1,2\n" * 1000 if self.reads <= self.breaks_at else b""


def tables_of(table: Any) -> Any:
    csv = pytest.importorskip("pyarrow.csv")
    return csv_tables(table, csv.ReadOptions(block_size=4000, use_threads=False))


@posix
@pytest.mark.parametrize("breaks_at", [1, 2, 6])
def test_ctrl_c_waits_for_no_block_of_a_slow_table(
    breaks_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_module, "PATIENCE", 0.01)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    table = Slow(breaks_at, sends=True)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(tables_of(table))
        assert not table.was_waited_for
    finally:
        table.goes_on.set()
        signal.signal(signal.SIGINT, before)


def test_nor_does_who_wants_no_more_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow has begun to read ahead, and its reader waits for that before it goes."""
    monkeypatch.setattr(arrow_module, "PATIENCE", 0.01)
    table = Slow(5)
    tables = tables_of(table)
    try:
        assert next(tables).num_rows == 999
        assert table.breaks.wait(60)
        tables.close()
        assert not table.was_waited_for
    finally:
        table.goes_on.set()


def test_all_waits_after_ctrl_c_share_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that does not return is waited for once, not by each who has part in it."""
    waited: list[float] = []

    def wait(at_most: float) -> None:
        waited.append(at_most)

    class Interrupted:
        def __init__(self, work: object) -> None:
            pass

        def wait(self, at_most: float | None = None) -> None:
            if at_most is None:
                raise KeyboardInterrupt
            wait(at_most)

    class Clock:
        """The time is what was waited for."""

        @staticmethod
        def monotonic() -> float:
            return sum(waited)

    class Kept(Stoppable):
        def __init__(self, stream: BinaryIO) -> None:
            super().__init__(stream)
            monkeypatch.setattr(self._returned, "wait", wait)

    pytest.importorskip("pyarrow")
    monkeypatch.setattr(arrow_module, "Aside", Interrupted)
    monkeypatch.setattr(arrow_module, "time", Clock, raising=False)
    monkeypatch.setattr(arrow_module, "Stoppable", Kept)
    with pytest.raises(KeyboardInterrupt):
        read_csv(io.BytesIO(b"a\n1\n"))
    assert sum(waited) == arrow_module.PATIENCE


@pytest.mark.parametrize("bad", [b"", b"1\n"])
@pytest.mark.parametrize("threads", [False, True])
def test_no_thread_of_arrow_has_a_file_that_was_read(bad: bytes, threads: bool) -> None:
    """Else one might want to read from it while the interpreter ends."""
    pa = pytest.importorskip("pyarrow")
    lent = []

    class Told(Stoppable):
        def __init__(self, stream: BinaryIO) -> None:
            super().__init__(stream)
            lent.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_module, "Stoppable", Told)
        patch.setattr(arrow_module, "PATIENCE", 60.0)  # of a machine that has much else to do
        text = b"a,b\n" + b"1,2\n" * 1000 + bad + b"1,2\n" * 1_000_000
        how = pa.csv.ReadOptions(block_size=1 << 16, use_threads=threads)
        with pytest.raises(pa.ArrowInvalid) if bad else nullcontext():
            read_csv(io.BytesIO(text), how)
    (file,) = lent
    assert file.stopped
    assert file.is_returned


class Sending:
    """A function that sends Ctrl-C when it is called for the n-th time."""

    def __init__(self, function: object, at: int) -> None:
        self.function, self.at, self.calls = function, at, 0

    def __call__(self, size: int = -1) -> bytes:
        self.calls += 1
        if self.calls == self.at:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        found: bytes = self.function(size)  # type: ignore[operator]
        return found


def test_errors_and_threads_are_as_without_one_of_its_own() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(pa.ArrowInvalid):
        read_csv(io.BytesIO(b"a,b\n1\n"))
    found: list[int] = []
    own = threading.Thread(target=lambda: found.append(read_csv(io.BytesIO(b"a\n1\n")).num_rows))
    own.start()
    own.join()
    assert found == [1]


def test_errors_of_files_are_told_and_leave_no_parser_waiting() -> None:
    """With threads, Arrow before version 24 waits for ever in one of some hundred such calls."""
    options = pytest.importorskip("pyarrow.csv").ReadOptions(block_size=4000)
    for k in range(600):
        with pytest.raises(OSError, match="the disk is gone"):
            read_csv(Failing(b"1,2\n" * 20_000, 4000 * (k % 12)), options)


def test_nor_do_rows_that_are_longer_than_a_block() -> None:
    pa = pytest.importorskip("pyarrow")
    options = pytest.importorskip("pyarrow.csv").ReadOptions(block_size=4000)
    for k in range(600):
        text = b"1,2\n" * (1000 * (k % 8)) + b"1," + b"x" * 20_000 + b"\n"
        with pytest.raises(pa.ArrowInvalid):
            read_csv(io.BytesIO(text) if k % 2 else pa.BufferReader(text), options)


def test_a_thread_that_cannot_begin_is_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(MemoryError, match="start new thread"):
        read_csv(io.BytesIO(b"a\n1\n"))
