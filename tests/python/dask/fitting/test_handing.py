"""Arrays are handed on to all workers in few steps, and whoever is silent holds nobody up."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed")
from vest_tucker.dask import told
from vest_tucker.dask.fitting import handing


class Scheduler:
    """One whose workers take what they are given, but for those that are silent."""

    def __init__(self, workers: int, keys: list[str], silent: tuple[str, ...] = ()) -> None:
        self.running = [SimpleNamespace(address=f"w{number:02}") for number in range(workers)]
        self.tasks = {
            key: SimpleNamespace(who_has=[self.running[number]]) for number, key in enumerate(keys)
        }
        self.silent, self.steps = silent, list[dict[str, list[str]]]()

    async def gather_on_worker(self, worker: str, who_has: dict[str, list[str]]) -> set[str]:
        if worker in self.silent:
            await asyncio.sleep(3600.0)
        for key, (giver,) in who_has.items():
            (had,) = [each for each in self.tasks[key].who_has if each.address == giver]
            assert had not in self.silent
            await asyncio.sleep(0)
            (own,) = [each for each in self.running if each.address == worker]
            self.tasks[key].who_has.append(own)
        return set()

    def have(self, key: str) -> set[str]:
        return {each.address for each in self.tasks[key].who_has}


def test_all_workers_have_an_array_after_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler, steps = Scheduler(27, ["x", "y"]), []
    plain = handing.next_step

    def noted(*args: Any) -> Any:
        steps.append(plain(*args))
        return steps[-1]

    monkeypatch.setattr(handing, "next_step", noted)
    assert asyncio.run(handing.handed_on(["x", "y", "gone"], 60.0, scheduler)) == []
    assert len(scheduler.have("x")) == len(scheduler.have("y")) == 27
    assert [len(each) > 0 for each in steps] == [True, True, True, False]  # 3, 9 and 27 have it
    for each in steps[:-1]:
        givers = [who for given in each.values() for key, (who,) in given.items() if key == "x"]
        assert max(map(givers.count, givers)) <= handing.FEEDS


def test_a_worker_that_falls_silent_is_left_out() -> None:
    scheduler = Scheduler(9, ["x"], silent=("w01", "w05"))
    assert asyncio.run(handing.handed_on(["x"], 1.0, scheduler)) == ["w01", "w05"]
    assert len(scheduler.have("x")) == 7


def test_copies_that_are_dropped_again_do_not_keep_it_going() -> None:
    scheduler, given = Scheduler(4, ["x"]), []

    async def forgetful(worker: str, who_has: Any) -> set[str]:
        given.append(worker)
        return set()

    scheduler.gather_on_worker = forgetful  # type: ignore[method-assign]
    asyncio.run(handing.handed_on(["x"], 60.0, scheduler))
    assert 0 < len(given) <= handing.STEPS * handing.FEEDS


def test_workers_of_a_cluster_have_what_was_handed_on(client: Any, copies_stay: None) -> None:
    array = np.arange(1000.0)
    futures = told.all_sent(client, [array, array + 1.0], 2 * array.nbytes)
    handing.hand_on(client, futures, 2 * array.nbytes)
    held = client.run(lambda dask_worker: [each.key in dask_worker.data for each in futures])
    assert list(held.values()) == [[True, True]] * 2
    assert futures[1].result()[-1] == 1000.0


def test_what_goes_wrong_is_told_and_no_more(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    future = told.sent(client, [1, 2], 16)

    async def none(*_: Any) -> Any:
        raise OSError("the line is dead")

    monkeypatch.setattr(client, "run_on_scheduler", none)
    handing.hand_on(client, [future], 16)
    assert "the line is dead" in caplog.text

    async def out(*_: Any) -> list[str]:
        return ["tcp://10.0.0.9:1"]

    monkeypatch.setattr(client, "run_on_scheduler", out)
    handing.hand_on(client, [future], 16)
    assert "tcp://10.0.0.9:1 has not taken an array in time" in caplog.text
