"""Ctrl-C at many moments of every call: what comes out can be used, or nothing does.

The moments are counted in calls of functions, so they are the same in every run.
`tests/interrupting.py` sends real signals at random ones.
"""

from __future__ import annotations

import functools
import random
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

import vest_tucker as vt
from interrupting import Interrupting, calls_on, outcome_of, require_sound
from vest_tucker.base.interrupts import Running

# What is raised while a generator is taken down, Python tells of and drops. The second of two
# Ctrl-C may come in that instant: the first one has its way then.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <generator object:pytest.PytestUnraisableExceptionWarning"
)
X, _ = vt.datasets.synthetic((20, 15, 8), 2, nnz=900, noise=0.1, seed=0)
CALLS = calls_on(X)


@functools.cache
def length(name: str) -> int:
    """Return how many functions a call calls."""
    CALLS[name]()  # the first time, modules are loaded
    with Interrupting(first=-1) as counting:
        CALLS[name]()
    return counting.calls


@pytest.mark.parametrize("then", [None, 1, 40])
@pytest.mark.parametrize("how", ["return", "raise"])
@pytest.mark.parametrize("name", CALLS)
def test_at_many_moments(name: str, how: str, then: int | None) -> None:
    """Each at another moment; `make test-all` adds those of a clock."""
    moment = random.Random(f"{name} {how} {then}").randrange(1, length(name))
    try:
        with Interrupting(moment, then) as sent:
            outcome = outcome_of(lambda: CALLS[name](on_interrupt=how))
    except KeyboardInterrupt:  # the second came after the call
        assert then is not None
        return
    require_sound(outcome, X)
    assert outcome.kind != "complete", moment
    if how == "raise" or (then is not None and sent.calls == moment + then):
        assert outcome.kind == "raised", moment


@pytest.mark.parametrize("name", ["plain", "paper"])
def test_a_loop_of_fits_ends(name: str) -> None:
    fitted: list[vt.TuckerModel] = []

    def interrupt(record: vt.IterationRecord) -> None:
        if len(fitted) == 2 and record.iteration == 2:
            signal.raise_signal(signal.SIGINT)

    def loop() -> None:
        for seed in range(5):
            model = CALLS[name](seed=seed, callback=interrupt, on_interrupt="raise")
            fitted.append(model)

    with pytest.raises(KeyboardInterrupt, match="interrupted after 2 ") as caught:
        loop()
    partial: vt.TuckerModel = caught.value.partial  # type: ignore[attr-defined]
    assert (len(fitted), partial.stopped, partial.n_iter) == (2, "interrupted", 2)


def test_the_second_one_raises_and_keeps_what_there_is() -> None:
    def twice(record: vt.IterationRecord) -> None:
        if record.iteration == 3:
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="after 3 complete") as caught:
        CALLS["paper"](callback=twice)
    assert caught.value.partial.n_iter == 3  # type: ignore[attr-defined]


def test_a_plain_call_returns_the_best_complete_fit() -> None:
    """Not the one that has just begun, as long as structures are compared."""
    seen: list[vt.IterationRecord] = []

    def interrupt(record: vt.IterationRecord) -> None:
        begins_another = bool(seen) and record.iteration == 1
        seen.append(record)
        if begins_another:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(RuntimeWarning, match="interrupted after"):
        model = CALLS["plain"](callback=interrupt)
    assert model.n_iter == len(seen) - 1
    assert any(model.error == pytest.approx(each.error) for each in seen[:-1])


def test_a_handler_of_sigterm_that_raises_is_answered_alike() -> None:
    def interrupt(record: vt.IterationRecord) -> None:
        if record.iteration == 2:
            signal.raise_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.warns(RuntimeWarning, match="interrupted after 2 complete"):
            CALLS["paper"](callback=interrupt)
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)


PROGRAM = """
import threading, vest_tucker as vt
X, _ = vt.datasets.synthetic((60, 40, 20), 2, nnz=6000, seed=0)
begun = threading.Event()
def work():
    options = {OPTIONS}
    model = vt.fit(X, seed=0, callback=lambda record: begun.set(), **options)
    print(model.stopped, model.error < 1, flush=True)
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


@pytest.mark.parametrize(
    "options",
    [{}, {"ranks": 2, "loss": "lf", "tol": None, "max_iter": 10**6, "sparsity": 0.0}],
    ids=["plain", "paper"],
)
def test_the_interpreter_ends_while_a_thread_fits(options: dict[str, Any]) -> None:
    program = PROGRAM.replace("{OPTIONS}", repr(options))
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "interrupted True\n"), ended.stderr


AGAIN = """
def again(number, frame):
    while frame is not None:
        if frame.f_code.co_name == "_shutdown":  # of threading, which waits for the thread
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt
        frame = frame.f_back

signal.signal(signal.SIGALRM, again)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
"""


@pytest.mark.parametrize("daemon", [True, False])
def test_ctrl_c_in_the_main_thread_while_another_fits(daemon: bool) -> None:
    """Python waits for a thread that is no daemon; a second Ctrl-C tells it not to."""
    program = PROGRAM.replace(
        "{OPTIONS}",
        repr({"ranks": 2, "loss": "lf", "tol": None, "max_iter": 10**6, "sparsity": 0.0}),
    )
    program = program.replace("daemon=True", f"daemon={daemon}") + (
        f"import signal\n{'' if daemon else AGAIN}"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.raise_signal(signal.SIGINT)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stdout) == (-signal.SIGINT, "interrupted True\n"), ended.stderr
    assert "KeyboardInterrupt" in ended.stderr


def test_no_call_begins_when_the_interpreter_ends() -> None:
    running, left = Running(), threading.Event()
    running.end()  # waits for nobody
    with pytest.raises(KeyboardInterrupt, match="the interpreter ends"):
        running.begin(left)
    assert left.is_set()
