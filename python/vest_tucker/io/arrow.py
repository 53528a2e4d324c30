"""Arrow, which parses text and reads Parquet: loaded where it is needed, and ended by Ctrl-C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module  # Arrow has no types
from typing import Any, BinaryIO

from vest_tucker.base.errors import FileFormatError, NotEnoughMemoryError
from vest_tucker.base.extras import load_aside
from vest_tucker.base.interrupts import Aside
from vest_tucker.base.types import AnyPath

# The first version whose threads can parse: in those before, a reader that meets an error may be
# destroyed by one of its own tasks, which then waits for itself and for ever.
THREADED = 24
PATIENCE = 0.5  # seconds for a read that has begun: of a terminal, it may take for ever


def arrow(what: str) -> Any:
    """Return pyarrow; if it is missing, the error says that ``what`` needs it and how to get it."""

    def load() -> Any:
        for part in ("csv", "parquet"):
            import_module(f"pyarrow.{part}")
        with suppress(ImportError):  # Arrow loads it when it first sees an array, in any thread
            import_module("pandas")
        return import_module("pyarrow")

    return load_aside(load, "pyarrow.parquet", what, "io")


@contextmanager
def named_errors(path: AnyPath) -> Iterator[None]:
    """Give the errors of Arrow that nobody has expected, and want of memory, names of ours."""
    try:
        yield
    except NotEnoughMemoryError:
        raise
    except MemoryError as error:  # of Arrow, NumPy or Python
        raise NotEnoughMemoryError(
            f"{path}: there is not enough memory to read it ({error}); read a part of it"
        ) from error
    except Exception as error:
        pa = arrow_or_none()
        if pa is None or not isinstance(error, pa.ArrowException):
            raise
        raise FileFormatError(f"could not be read ({error})", path) from error


def arrow_or_none() -> Any:
    """Return pyarrow if it is installed."""
    try:
        return arrow("this")
    except ImportError:
        return None


@contextmanager
def told_of_memory() -> Iterator[None]:
    """Have Arrow raise nothing but a MemoryError where there is not enough memory.

    Its own error for that is a kind of all its errors, most of which speak of the file; and where
    no thread can begin, it does not know why.
    """
    try:
        yield
    except arrow("this").ArrowException as error:
        if isinstance(error, MemoryError) or "Failed to launch worker thread" in str(error):
            raise MemoryError(f"Arrow has not enough memory: {error}") from error
        raise


def read_csv(source: Any, how: Any = None, *options: Any) -> Any:
    """Return what Arrow's function of this name does, and lose no Ctrl-C meanwhile.

    In the main thread, Arrow takes the place of whoever handles Ctrl-C, and what comes in its last
    moments is never heard of again. So it works in another thread, and this one waits.

    Parameters
    ----------
    source : binary file, or file of Arrow
        A binary file is no longer read from when Ctrl-C has come.
    how : ReadOptions, optional
        As for Arrow; threads are used only where Arrow can be trusted with them.
    *options
        As for Arrow.
    """
    pa = arrow("reading a table of text")
    file = Stoppable(source)
    how = how or pa.csv.ReadOptions()
    how.use_threads = how.use_threads and int(pa.__version__.split(".")[0]) >= THREADED

    def read() -> Any:
        is_native = isinstance(source, pa.NativeFile)
        return pa.csv.read_csv(source if is_native else file.lent(), how, *options)

    try:
        with file.told():
            return _hearing(read, file)
    finally:
        file.stop()  # Arrow reads ahead, also after a row that is not good


def csv_tables(stream: BinaryIO, *options: Any) -> Iterator[Any]:
    """Yield what Arrow's function `open_csv` reads, block by block; Ctrl-C waits for no block.

    Arrow waits for a file without a look at signals: of a pipe, for as long as whoever fills it
    takes. So does its reader when it is given up, while it reads ahead. Other threads do both.
    """
    pa = arrow("reading a table of text")
    file = Stoppable(stream)
    reader: list[Any] = []
    try:
        with file.told():
            _hearing(lambda: reader.append(pa.csv.open_csv(file.lent(), *options)), file)
            while (batch := _hearing(lambda: next(reader[0], None), file)) is not None:
                yield pa.Table.from_batches([batch])
    finally:
        Aside(reader.clear)
        file.stop()  # Arrow reads ahead, also after a row that is not good


def _hearing(read: Callable[[], Any], file: Stoppable) -> Any:
    """Return what is read; the main thread, which hears Ctrl-C, has another one read.

    After Ctrl-C, the file is over.
    """
    if threading.current_thread() is not threading.main_thread():
        return read()
    work: Aside | None = None
    try:
        work = Aside(read)
        work.wait()
    except KeyboardInterrupt:
        file.stop()
        if work is not None:
            work.wait(file.patience())  # for the block that is being parsed
        raise
    return work.outcome()


class Stoppable:
    """A file for Arrow to read, which is over when somebody says so, or when it cannot be read.

    Arrow reads ahead in threads of its own, also when nobody wants the rest any more; and a thread
    that is in the middle of Python when the interpreter ends takes the process down, or waits for
    ever. So errors are kept, and told when all threads have done with the file.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.stopped = stream, False
        self.error: BaseException | None = None
        self._until: float | None = None  # when patience ends
        self._reading = threading.Lock()
        self._returned = threading.Event()
        self._returned.set()

    def lent(self) -> Lent:
        """Return what Arrow is given to read, to be kept by nobody else."""
        self._returned.clear()
        return Lent(self.read, self._returned)

    @property
    def is_returned(self) -> bool:
        """Whether Arrow has nothing to read any more."""
        return self._returned.is_set()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, and none when the file is over."""
        with self._reading:
            if self.stopped:
                return b""
            try:
                return self.stream.read(size)
            except BaseException as error:
                self.error, self.stopped = error, True
                return b""

    @contextmanager
    def told(self) -> Iterator[None]:
        """Raise the error that reading has met, not what the parser makes of a file cut short."""
        try:
            yield
        except Exception:
            if self.error is None:
                raise
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """Let nobody read any more, and wait a moment until nobody can."""
        self.stopped = True
        self._returned.wait(self.patience())

    def patience(self) -> float:
        """Return how many seconds are left of the moment, which begins when this is first asked.

        All who wait for the same file share it, so that Ctrl-C is answered within a second.
        """
        now = time.monotonic()
        if self._until is None:
            self._until = now + PATIENCE
        return max(self._until - now, 0.0)


class Lent:
    """The file that Arrow knows; it tells when no thread of Arrow has it any more."""

    def __init__(self, read: Callable[[int], bytes], returned: threading.Event) -> None:
        self.read, self.closed, self._returned = read, False, returned

    def close(self) -> None:
        """Leave the file to those who have opened it."""
        self.closed = True

    def __del__(self) -> None:
        self._returned.set()


def plain_times(table: Any) -> Any:
    """Return a table whose times have no more digits than they need: days, if all are midnights."""
    pa = arrow("writing a table of text")
    for number, field in enumerate(table.schema):
        if not pa.types.is_timestamp(field.type) or field.type.tz:
            continue
        for kind in (pa.date32(), *(pa.timestamp(unit) for unit in ("s", "ms", "us"))):
            with suppress(pa.ArrowInvalid):  # there are shorter parts of a second
                plain = table.column(number).cast(kind)
                if plain.cast(field.type).equals(table.column(number)):  # no time of a day is lost
                    table = table.set_column(number, field.name, plain)
                    break
    return table
