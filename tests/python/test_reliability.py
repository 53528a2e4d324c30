"""The cases of ``make test-all``: slices of the quick ones, and what its table says."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

if sys.platform != "linux":
    pytest.skip("these cases fork, limit and mount", allow_module_level=True)

from random import Random

from reliability import ctrl_c, full_disk, memory, saving, short_writes
from reliability.__main__ import main, run
from reliability.case import Case, Share, Tally
from reliability.children import Child, End, outcome_in_child
from reliability.page import BEGINS, ENDS, seconds_of, table, write_page


def one_of_two(share: Share) -> Tally:
    tally = Tally(notes=["a note"])
    tally.add(None)
    tally.add("it | broke")
    tally.add("not ours", is_known=True)
    return tally


CASE = Case("two things", "both hold", one_of_two)


def test_what_did_not_hold_is_in_the_table() -> None:
    ((case, tally, _),) = run([CASE], 1.0)
    assert (case, tally.tried, tally.held) == (CASE, 3, 1)
    line = table([(case, tally, 0.4)]).splitlines()[-1]
    assert line == (
        "| two things | both hold | 3 | **1** | did not hold (1): it / broke; did not hold (1), "
        "known: not ours; a note; 0 s |"
    )


def test_late_answers_are_told_but_no_fault_of_a_slice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(share: Share) -> Tally:
        tally = Tally()
        tally.add("no answer for 1.1 s", is_late=True)
        return tally

    cases = [Case("late", "in time", late), Case("long", "it is left out", late, in_slice=False)]
    monkeypatch.setattr("reliability.__main__.FILES", [SimpleNamespace(CASES=cases)])
    assert main(["1s"]) == 2
    told = "| 1 | **0** | did not hold (1): no answer for 1.1 s; "
    assert capsys.readouterr().out.count(told) == 2
    assert main(["1s", "--slice"]) == 0
    assert capsys.readouterr().out.count(told) == 1
    cases.append(CASE)
    assert main(["1s", "--slice"]) == 1


def test_the_table_replaces_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGINS}\nthe former one\n{ENDS}\nafter\n", "utf-8")
    write_page(page, [*run([CASE], 1.0)], budget=90.0)
    text = page.read_text("utf-8")
    assert text.startswith(f"before\n{BEGINS}\n`make test-all BUDGET=1.5m`")
    assert text.endswith(f"\n{ENDS}\nafter\n")
    assert "former" not in text


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90.0), ("1.5m", 90.0), ("2h", 7200.0)])
def test_budgets(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds
    with pytest.raises(ValueError, match="is not a time"):
        seconds_of(text[:-1])


def test_shares_end() -> None:
    assert list(Share(0.0, Random(0)).turns(most=5, least=2)) == [0, 1]
    assert list(Share(100.0, Random(0)).turns(most=5, least=2)) == [0, 1, 2, 3, 4]


def test_what_becomes_of_a_child() -> None:
    assert outcome_in_child(os.getpid).result != os.getpid()
    assert outcome_in_child(lambda: 1 // 0).result[0] == "ZeroDivisionError"
    assert outcome_in_child(lambda: os._exit(3)).how == "ended with code 3"
    child = Child(signal.pause)
    assert not child.is_over(0.01)
    child.send(signal.SIGKILL)
    assert child.wait().how == "killed by SIGKILL"


def test_a_child_hears_what_is_sent_at_once() -> None:
    """Also where Ctrl-C is ignored, as shells let what runs in the background begin."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child = Child(signal.pause)
    finally:
        signal.signal(signal.SIGINT, before)
    child.send(signal.SIGINT)
    assert child.wait().result[0] == "KeyboardInterrupt"


class Late(Exception):  # noqa: N818 - not an error
    """Whoever asks what it says is interrupted: the work is over by then."""

    def __str__(self) -> str:
        signal.raise_signal(signal.SIGINT)
        return "unheard"


def test_a_ctrl_c_after_the_end_is_not_a_try() -> None:
    end, tally = End(), Tally()

    def work() -> None:
        end.note()
        raise Late

    ended = outcome_in_child(work)
    assert (ended.how, ended.result) == ("over", None)
    now = time.monotonic()
    ctrl_c.judge(tally, "", ended, ctrl_c.Sent(now, now), [], end)
    assert tally.tried == 0


def swallow(end: End, times: int) -> str:
    """Hear nothing of so many Ctrl-C, and go on to the end."""
    end.listen()
    for _ in range(times):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    end.note()
    return "complete" if times == 1 else "partial"


NEVER = 3600.0  # seconds after which the system would send a second one


@pytest.mark.parametrize(
    ("then", "fault"), [(None, "it went on to its end"), (NEVER, "the second one did not end it")]
)
def test_a_call_that_swallows_a_ctrl_c_is_at_fault(then: float | None, fault: str) -> None:
    end, tally, now = End(then), Tally(), time.monotonic()
    ended = outcome_in_child(functools.partial(swallow, end, 1 if then is None else 2))
    ctrl_c.judge(tally, "fit: ", ended, ctrl_c.Sent(now, now), [], end)
    assert tally.faults == {f"fit: {fault}": 1}


class Left:
    """Whoever lets go of it is interrupted where Python passes nothing on."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_what_python_drops_is_known() -> None:
    end, tally = End(), Tally()

    def work() -> str:
        end.listen()
        left: Left | None = Left()
        assert left is not None
        left = None
        end.note()
        return "complete"

    now = time.monotonic()
    ctrl_c.judge(tally, "", outcome_in_child(work), ctrl_c.Sent(now, now), [], end)
    assert (tally.tried, list(tally.known)) == (1, [ctrl_c.DROPPED])


def deaf(end: End) -> str:
    """Hear a Ctrl-C when it is too late."""
    time.sleep(2 * ctrl_c.MARGIN)
    end.note()
    raise KeyboardInterrupt


def test_what_is_heard_when_the_call_is_over_is_a_fault() -> None:
    end, tally, now = End(), Tally(), time.monotonic()
    ended = outcome_in_child(functools.partial(deaf, end))
    ctrl_c.judge(tally, "", ended, ctrl_c.Sent(now, now), [], end)
    assert list(tally.faults) == ["it was heard when the call was over (raised)"]


@pytest.mark.parametrize("then", [None, NEVER])
def test_a_call_that_ends_at_once_holds(then: float | None) -> None:
    end, tally, waited, now = End(then), Tally(), list[float](), time.monotonic()

    def work() -> str:
        end.listen()
        try:
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                if then is not None:
                    signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            end.note()
        return "raised"

    ctrl_c.judge(tally, "", outcome_in_child(work), ctrl_c.Sent(now, now), waited, end)
    assert tally.tried == len(waited) == 1
    assert not tally.faults


@pytest.mark.parametrize(
    "case",
    [*saving.CASES, *short_writes.CASES, *full_disk.CASES],
    ids=lambda case: case.title.partition(" ")[0],
)
def test_a_slice_of_a_quick_case_holds(case: Case) -> None:
    tally = case.run(Share(0.5, Random(0)))
    assert not tally.faults
    assert tally.tried


def test_libraries_that_end_a_process_are_known_by_name() -> None:
    assert memory.known_in("search", "OpenBLAS error: Memory allocation still failed") is not None
    assert memory.known_in("search", "Segmentation fault") is None
    uncaught = "terminate called after throwing an instance of 'St9bad_alloc'"
    assert memory.known_in("read csv", uncaught) is not None
    assert memory.known_in("read npz", uncaught) is None
    assert memory.fault_of("fit", 0, ["MemoryError"], "") is None
    assert memory.fault_of("fit", -11, [], "") == "fit: ends with code -11, nothing is said"
