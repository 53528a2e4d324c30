"""What Ctrl-C does: ends a call once, is put off by blocks that it would leave half finished.

Signals are answered alike whose handler is a function in Python: Ctrl-C (SIGINT) nearly always, and
SIGTERM if the caller has given it one that raises KeyboardInterrupt.
"""

from __future__ import annotations

import atexit
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, TypeAlias, TypeVar

from vest_tucker.base.errors import InterruptedWarning
from vest_tucker.base.options import OnInterrupt
from vest_tucker.base.telling.warn import warn

T = TypeVar("T")
DEPTH = 2  # frames between that of `__exit__` and what its caller is told of
Handler: TypeAlias = Callable[[int, FrameType | None], Any]
SIGNALS = (signal.SIGTERM, signal.SIGINT)
LOOK_EVERY = 0.1  # seconds: some systems do not interrupt who waits for a thread


def own_handlers() -> dict[int, Handler]:
    """Return the handlers that are functions in Python; none outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    return {number: each for number, each in handlers.items() if callable(each)}


def put_back(handlers: dict[int, Handler]) -> None:
    """Give signals their handlers back: all of them, even if the first one is called meanwhile.

    If it raises, that waits until the others are back as well: without them, a Ctrl-C would be
    heard by somebody who has left.
    """
    left, raised = list(handlers.items()), []
    while left:
        try:
            while left:
                signal.signal(*left[-1])
                left.pop()
        except BaseException as error:  # noqa: PERF203 - there are two of them
            raised.append(error)
            if isinstance(error, OSError | ValueError):  # it cannot be put back: of another thread
                left.pop()
    if raised:
        raise raised[0]


@contextmanager
def deferred_interrupt() -> Iterator[list[KeyboardInterrupt]]:
    """Run a block to its end; afterwards the list has the interrupts that came meanwhile.

    The handler is called after the block, once for each. Nothing is deferred outside the main
    thread, which alone receives signals, nor where the handler is not a Python function.

    Examples
    --------
    >>> with deferred_interrupt() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     print("done")
    done
    >>> interrupts
    [KeyboardInterrupt()]
    """
    interrupts: list[KeyboardInterrupt] = []
    handlers = own_handlers()
    received: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: received.append((number, frame)))
    try:
        yield interrupts
    finally:
        put_back(handlers)
    for number, frame in received:
        interrupts.extend(_raised_by(handlers[number], number, frame))


@contextmanager
def loading() -> Iterator[None]:
    """Load modules of this package outside of `Interrupts`: Ctrl-C is heard when they are there.

    Before 3.12 Python makes a RuntimeError of what is raised while a class is made.
    """
    with deferred_interrupt() as late:
        yield
    if late:
        raise late[0]


def _raised_by(handler: Handler, number: int, frame: FrameType | None) -> list[KeyboardInterrupt]:
    try:
        handler(number, frame)
    except KeyboardInterrupt as interrupt:
        return [interrupt]
    return []


class Aside:
    """Something that is done in a thread of its own, so that Ctrl-C is answered meanwhile.

    Whoever waits for it hears Ctrl-C at once; the work itself goes on to its end, which matters
    where half of it would be worse than none.

    Examples
    --------
    >>> work = Aside(lambda: 6 * 7)
    >>> work.wait()
    >>> work.outcome()
    42
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        # `Thread.join` that is interrupted may call a thread ended that is not, so it says so here.
        self._has_ended = False
        self._busy = threading.Lock()
        self._busy.acquire()
        try:
            threading.Thread(target=self._run).start()
        except RuntimeError as error:  # what Python says when there is no memory for a thread
            raise MemoryError(f"there is not enough memory ({error})") from error

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:  # the thread that waits raises it
            self._error = error
        finally:
            self._has_ended = True
            self._busy.release()

    def wait(self, at_most: float = math.inf) -> None:
        """Wait for its end, or so many seconds."""
        until = time.monotonic() + at_most
        while not self._has_ended and time.monotonic() < until:
            if self._busy.acquire(timeout=LOOK_EVERY):
                self._busy.release()

    def outcome(self) -> Any:
        """Return what came of it, or raise."""
        if self._error is not None:
            raise self._error
        return self._result


class Interrupts:
    """Ctrl-C during one call, which may be part of another such call.

    The first one ends the work, and `answer` returns what there is, or raises. A second one during
    the same call always raises. Whatever KeyboardInterrupt leaves the block has an attribute
    ``partial``: what `answer` was given, or None if there was nothing yet.

    Examples
    --------
    >>> def count(on_interrupt):
    ...     with Interrupts(on_interrupt) as interrupts:
    ...         done = 3
    ...         try:
    ...             signal.raise_signal(signal.SIGINT)
    ...         except KeyboardInterrupt:
    ...             return interrupts.answer(done, "interrupted after 3")
    >>> try:
    ...     count("raise")
    ... except KeyboardInterrupt as error:
    ...     print(error, "=>", error.partial)
    interrupted after 3 => 3
    """

    def __init__(self, on_interrupt: OnInterrupt) -> None:
        self.on_interrupt = on_interrupt
        self.count = 0
        self._handlers: dict[int, Handler] = {}
        self._partial: object = None
        self._left = threading.Event()
        self._waits = True  # with what signals do, while handlers are set
        self._late: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Interrupts:
        self._handlers = own_handlers()
        for number in self._handlers:
            signal.signal(number, self._hear)
        if self._late:
            self.__exit__(None, None, None)
        if threading.current_thread() is not threading.main_thread():
            RUNNING.begin(self._left)
        self._waits = False
        return self

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._waits or self._is_leaving(frame):
            self._late.append((number, frame))
            return
        try:
            self._handlers[number](number, frame)
        except KeyboardInterrupt:
            self.count += 1
            raise

    def _is_leaving(self, frame: FrameType | None) -> bool:
        """Whether `__exit__` has been called, though its first line has not been reached."""
        for _ in range(DEPTH):
            if frame is None:
                break
            if frame.f_code is Interrupts.__exit__.__code__ and frame.f_locals["self"] is self:
                return True
            frame = frame.f_back
        return False

    @property
    def came(self) -> bool:
        """Whether there was one, though whoever heard it went on."""
        return self.count > 0

    def answer(self, result: T, interrupted: str) -> T:
        """Return what there is, with a warning if ``interrupted`` says something; or raise."""
        self._partial = result
        if not interrupted:
            return result
        if self.on_interrupt == "raise" or self.count > 1:
            raise KeyboardInterrupt(interrupted)
        warn(interrupted, InterruptedWarning)
        return result

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._waits = True
        try:
            try:
                put_back(self._handlers)
            finally:
                self._left.set()
            for number, frame in self._late:
                self._handlers[number](number, frame)
        except KeyboardInterrupt as late:
            late.partial = self._partial  # type: ignore[attr-defined]
            raise
        # Some make an error of their own of one: Python before 3.12 while it makes a class, as it
        # does for each dataclass of a module that is loaded; NumPy while it compares rows.
        meant = error.__cause__ if isinstance(error, Exception) else error
        if isinstance(meant, KeyboardInterrupt):
            meant.partial = self._partial  # type: ignore[attr-defined]
            if meant is not error:
                raise meant


_UNWANTED: ContextVar[Callable[[], bool]] = ContextVar(
    "vest_tucker_unwanted", default=lambda: False
)


class Running:
    """The calls that run in threads of their own, and must end before the interpreter does.

    A thread that comes back from compiled code when the interpreter is gone takes the process down
    with it. So at the end these calls are asked to stop, and waited for; meanwhile Ctrl-C ends the
    process at once.
    """

    def __init__(self) -> None:
        self.ending = False
        self._calls: list[tuple[threading.Thread, threading.Event]] = []
        self._registered = False
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):  # another thread may hold it then
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def begin(self, left: threading.Event) -> None:
        """Note a call of this thread, which sets the event when it ends."""
        with self._lock:
            if not self._registered:
                self._registered = True
                atexit.register(self.end)
            self._calls = [each for each in self._calls if not each[1].is_set()]
            self._calls.append((threading.current_thread(), left))
        if self.ending:
            left.set()
        self.check()

    def check(self) -> None:
        """Raise KeyboardInterrupt if the interpreter is about to end, or nobody wants the work."""
        if self.ending:
            raise KeyboardInterrupt("the interpreter ends")
        if _UNWANTED.get()():
            raise KeyboardInterrupt("whoever asked for this has left")

    @contextmanager
    def while_wanted(self, unwanted: Callable[[], bool]) -> Iterator[None]:
        """Have calls of a block end when ``unwanted`` says so: no signal reaches their thread."""
        token = _UNWANTED.set(unwanted)
        try:
            yield
        finally:
            _UNWANTED.reset(token)

    def end(self) -> None:
        """Ask all calls to stop, and wait for them, and a moment for what their threads do next."""
        self.ending = True
        calls = [each for each in self._calls if not each[1].is_set()]
        if calls:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        until = time.monotonic() + AT_MOST
        for thread, left in calls:
            # A fork has none of the threads; and one may wait for ever for somebody else.
            while thread.is_alive() and not left.wait(PATIENCE) and time.monotonic() < until:
                pass
            thread.join(timeout=PATIENCE)


AT_MOST = 10.0  # seconds that the interpreter waits for calls to stop
PATIENCE = 1.0  # seconds for a thread to do something with what a call has returned
RUNNING = Running()
