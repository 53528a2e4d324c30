"""Questions to a cluster have limits, and silent workers are given up."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt

distributed = pytest.importorskip("distributed")
from vest_tucker.dask import questions  # noqa: E402 - it needs distributed


def test_workers_that_say_nothing_are_told_of(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    silent = {"tcp://a": (1.0, False), "tcp://b": (8.0, False), "tcp://c": (21.0, True)}

    async def run_on_scheduler(*_: Any) -> Any:
        return silent

    monkeypatch.setattr(client, "run_on_scheduler", run_on_scheduler)
    questions.look_for_silence(client)
    assert caplog.messages == [
        "the worker tcp://b has said nothing for 8 s",
        "the worker tcp://c has said nothing for 21 s: given up",
    ]


def test_limits_of_silence_add_up_to_ten_seconds() -> None:
    """What docs/cluster.md promises; `tests/cluster.py` cuts cables, and measures it."""
    assert questions.GONE + questions.LOOK + questions.ANSWER <= 10.0


def test_silence_is_what_the_scheduler_has_heard(client: Any) -> None:
    heard = client.run_on_scheduler(questions.drop_silent, 1e9, 1e9)
    assert set(heard) == set(client.nthreads())
    assert all(seconds < 60.0 and not is_gone for seconds, is_gone in heard.values())


def test_a_silent_worker_is_removed_if_nobody_answers_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen
        near, far = (f"tcp://127.0.0.1:{each.getsockname()[1]}" for each in (busy, closed))
        heard = [(far, 1.0), (near, 30.0), ("inproc://10.0.0.1/2/3", 30.0)]
        lost = [(far.replace("tcp", "tls"), 30.0), (near.replace("tcp", "tls"), 100.0)]

        class Scheduler:
            def __init__(self) -> None:
                self.workers = {
                    name: SimpleNamespace(address=name, last_seen=time.time() - seconds)
                    for name, seconds in heard + lost
                }
                self.removed: list[str] = []

            async def remove_worker(self, address: str, stimulus_id: str) -> None:
                self.removed.append(address)

        scheduler = Scheduler()
        found = asyncio.run(questions.drop_silent(20.0, 90.0, dask_scheduler=scheduler))
    assert scheduler.removed == [name for name, _ in lost]
    assert {name for name, (_, is_gone) in found.items() if is_gone} == set(scheduler.removed)


def test_a_question_has_a_limit_and_says_what_it_was(client: Any) -> None:
    with pytest.raises(vt.errors.ClusterError, match=r"not answered for 0\.1 seconds while asking"):
        questions.asked(client, lambda: asyncio.sleep(5.0), "asking", 0.1)


def test_each_worker_answers_or_says_what_failed(client: Any) -> None:
    found = questions.of_each_worker(client, lambda: 3, "asking")
    assert found == dict.fromkeys(client.nthreads(), 3)
    found = questions.of_each_worker(client, lambda: 1 / 0, "asking")
    assert [type(each) for each in found.values()] == [ZeroDivisionError] * 2


def test_a_worker_that_is_lost_meanwhile_is_left_out(
    client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    first, last = sorted(client.nthreads())

    def lost(dask_worker: Any) -> str:
        if dask_worker.address == first:
            raise ConnectionResetError("the line is dead")
        return "here"

    found = questions.of_each_worker(client, lost, "asking for names")
    assert found == {last: "here"}
    assert "asking for names: the worker" in caplog.text


def test_who_has_what(client: Any) -> None:
    worker = min(client.nthreads())
    future = client.submit(abs, -3, workers=[worker], pure=False)
    assert future.result() == 3
    assert list(questions.holders_of(client, [future])[future.key]) == [worker]


def test_who_is_there_is_looked_at_while_somebody_waits(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "LOOK", 0.05)
    looked: list[Any] = []

    async def tell(of: Any) -> None:
        looked.append(of)

    async def answer() -> str:
        await asyncio.sleep(0.3)
        return "here"

    monkeypatch.setattr(questions, "tell_of_silence", tell)
    assert questions.asked(client, answer, "asking") == "here"
    assert 2 <= len(looked) <= 6
    assert questions.asked(client, answer, "asking", looking=False) == "here"
    assert len(looked) <= 6


def test_a_message_asks_nobody_for_the_dashboard(client: Any) -> None:
    questions.keep_link(client)
    assert questions.link_of(client) == client.cluster.dashboard_link
    assert questions.link_of(Unused()) == "its dashboard"


class Unused:
    """A client that nobody has asked anything."""


def test_the_link_of_a_cluster_that_has_an_address_is_asked_for_once(client: Any) -> None:
    with distributed.Client(client.scheduler.address, set_as_default=False) as other:
        assert other.cluster is None
        questions.keep_link(other)
        assert questions.link_of(other) == other.dashboard_link
        other.scheduler.identity = None  # it would fail now
        questions.keep_link(other)


def test_who_is_there_is_asked_with_a_limit(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert questions.threads_of(client) == client.nthreads()
    monkeypatch.setattr(client, "nthreads", lambda: asyncio.sleep(600.0))
    with pytest.raises(vt.errors.ClusterError, match=r"0\.1 seconds while asking which workers"):
        questions.threads_of(client, 0.1)


def test_a_scheduler_without_the_package_is_told_of_once(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def missing(*_: Any) -> Any:
        raise ModuleNotFoundError("No module named 'vest_tucker'")

    monkeypatch.setattr(client, "run_on_scheduler", missing)
    monkeypatch.setattr(questions, "_alone", set())
    questions.look_for_silence(client)
    questions.look_for_silence(client)
    assert caplog.text.count("install vest-tucker where the scheduler runs") == 1


def test_only_this_room_s_questions_ask_dask_itself() -> None:
    """They wait without a limit, and would stop a call for ever whose scheduler is frozen."""
    room = Path(questions.__file__).parent
    for file in room.rglob("*.py"):
        asks = re.findall(r"client\.(?:nthreads|dashboard_link)\b", file.read_text("utf-8"))
        assert asks == (["client.nthreads"] if file.name == "questions.py" else []), file
        assert not re.search(r"\bbroadcast=True\)|\.replicate\(", file.read_text("utf-8")), file


def test_a_cluster_that_was_closed_is_told_so(client: Any) -> None:
    from types import SimpleNamespace

    questions.require_open(client)
    for closed in (
        SimpleNamespace(status="closed", scheduler=None),
        SimpleNamespace(status="running", scheduler=None),
        SimpleNamespace(status="closing", scheduler="there"),
    ):
        with pytest.raises(vt.errors.ClusterError, match="has been closed"):
            questions.asked(closed, lambda: None, "asking nobody")
