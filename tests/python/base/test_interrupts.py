"""Ctrl-C waits for the end of a block, and is neither lost nor heard twice."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

import pytest

from vest_tucker.base.interrupts import Aside, Interrupts, deferred_interrupt


def test_an_interrupt_is_deferred_to_the_end_of_the_block() -> None:
    with deferred_interrupt() as interrupts:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert not interrupts
    assert [type(interrupt) for interrupt in interrupts] == 2 * [KeyboardInterrupt]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_none_is_reported() -> None:
    with deferred_interrupt() as interrupts:
        pass
    assert interrupts == []


def test_the_callers_own_handler_is_called_after_the_block() -> None:
    heard: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGINT, handler)
    try:
        with deferred_interrupt() as interrupts:
            signal.raise_signal(signal.SIGINT)
            assert heard == []
        assert heard == [signal.SIGINT]
        assert interrupts == []
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_in_the_block_is_raised_and_the_handler_restored() -> None:
    with pytest.raises(ZeroDivisionError), deferred_interrupt():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_signals_not_handled_in_python_are_left_alone(handler: signal.Handlers) -> None:
    before = signal.signal(signal.SIGINT, handler)
    try:
        with deferred_interrupt():
            assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_other_than_the_main_one_defer_nothing() -> None:
    done: list[bool] = []

    def work() -> None:
        with deferred_interrupt() as interrupts:
            done.append(not interrupts)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def interrupted(number: int, frame: FrameType | None) -> None:
    """Do what Python's own handler does; a handler of SIGTERM may, too."""
    raise KeyboardInterrupt(number)


class Rude:
    """Takes the place of `signal.signal`, and sends a signal when its handler is back."""

    def __init__(self, number: int) -> None:
        self.number, self.plain, self.sent = number, signal.signal, 0

    def __call__(self, number: int, handler: object) -> object:
        was = self.plain(number, handler)  # type: ignore[arg-type]
        if handler is interrupted and number == self.number and not self.sent:
            self.sent += 1
            signal.raise_signal(signal.Signals(number))
        return was


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("how", ["deferred", "interrupts"])
def test_a_signal_while_handlers_are_put_back_leaves_none_behind(
    number: signal.Signals, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {each: signal.signal(each, interrupted) for each in (signal.SIGTERM, signal.SIGINT)}
    rude = Rude(number)
    try:
        with pytest.raises(KeyboardInterrupt) as caught:  # noqa: SIM117 - what raises is inside
            with deferred_interrupt() if how == "deferred" else Interrupts("return"):
                monkeypatch.setattr(signal, "signal", rude)
        monkeypatch.undo()
        assert rude.sent == 1
        assert caught.value.args == (number,)
        for each in before:
            assert signal.getsignal(each) is interrupted
        if how == "interrupts":
            assert caught.value.partial is None  # type: ignore[attr-defined]
    finally:
        monkeypatch.undo()
        for each, handler in before.items():
            signal.signal(each, handler)


@pytest.mark.skipif(os.name != "posix", reason="signals of other systems are others")
def test_work_aside_is_waited_for_after_an_interrupt_too() -> None:
    """Python before 3.13 takes a thread for ended when Ctrl-C comes while it is waited for."""
    may_send, may_end = threading.Event(), threading.Event()
    main = threading.main_thread().ident or 0

    def work() -> str:
        may_send.wait()
        time.sleep(0.05)  # until the main thread waits
        signal.pthread_kill(main, signal.SIGINT)
        may_end.wait()
        return "done"

    def sent_and_waited() -> None:
        may_send.set()
        aside.wait()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    aside = Aside(work)
    try:
        with pytest.raises(KeyboardInterrupt):
            sent_and_waited()
        began = time.monotonic()
        aside.wait(0.2)
        assert time.monotonic() - began >= 0.2
        assert aside.outcome() is None
    finally:
        may_send.set()
        may_end.set()
        signal.signal(signal.SIGINT, before)
    aside.wait()
    assert aside.outcome() == "done"


def test_ctrl_c_while_a_class_is_made_is_what_is_raised() -> None:
    """As when the module of a dataclass is loaded."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught, Interrupts("return"):
        type("Made", (), {"named": Named()})
    assert caught.value.partial is None  # type: ignore[attr-defined]


def test_an_error_that_others_make_of_one() -> None:
    """As NumPy does while it compares rows."""

    def compare() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as interrupt:
            raise TypeError("rows cannot be compared") from interrupt

    with pytest.raises(KeyboardInterrupt), Interrupts("return"):
        compare()
