"""Large arguments do not travel with each task, and are made anew if they are lost."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
arguments = pytest.importorskip("vest_tucker.dask.told")


def test_small_arguments_are_themselves(client: Any) -> None:
    small = {"a": [1, 2]}
    assert arguments.told(client, small, 16) is small
    assert arguments.told(client, small, arguments.INLINE + 1).result() == small


def test_what_was_told_is_not_looked_into(client: Any) -> None:
    tricky = [(abs, -1), "key", {"a": (len, "key")}]
    assert arguments.given(client, tricky).result() == tricky


def test_a_large_array_is_told_without_a_warning(client: Any) -> None:
    array = np.random.default_rng(0).random(2_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = arguments.given(client, array)
    assert client.submit(len, found).result() == len(array)


def hundred(_: Any, number: int) -> int:
    return number + 100


def test_what_was_made_of_an_argument_can_be_made_again_without_the_worker_that_had_it() -> None:
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=False, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        told = arguments.given(client, np.zeros(10))
        made = client.submit(hundred, told, 3)
        assert made.result() == 103
        (holder,) = client.who_has([told])[told.key]
        del told
        client.run_on_scheduler(lost, holder)
        assert client.submit(abs, made).result(timeout=60) == 103


async def lost(address: str, dask_scheduler: Any) -> None:
    await dask_scheduler.remove_worker(address, stimulus_id="test")


@pytest.mark.parametrize("ordered", [False, True])
def test_labels_that_are_known_beforehand_are_not_in_each_task(
    client: Any, ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arguments, "INLINE", 100)
    rng = np.random.default_rng(0)
    names = [f"n{number}" for number in rng.permutation(300)]
    frame = pd.DataFrame({"a": np.repeat(names, 2), "b": [0, 1] * 300, "value": rng.random(600)})
    options: dict[str, Any] = {}
    if ordered:
        frame["a"] = pd.Categorical(frame["a"], categories=names, ordered=True)
    else:
        options["labels"] = {"a": names}
    given: list[Any] = []
    plain = arguments.given

    def noted(client: Any, what: Any) -> Any:
        given.append(what)
        return plain(client, what)

    monkeypatch.setattr(arguments, "given", noted)
    parts = dd.from_pandas(frame, npartitions=4, sort=False)
    found = vtd.from_frame(parts, ["a", "b"], client=client, **options)
    assert given
    keys = [each.key for each in found.blocks]
    found.blocks.put_down()  # they are made again of the labels that were told
    until = time.monotonic() + 60.0
    while any(client.who_has().get(key) for key in keys):
        assert time.monotonic() < until
        time.sleep(0.02)
    whole = vt.SparseTensor.from_frame(frame, ["a", "b"], **options)
    assert found.to_local().coords.tobytes() == whole.coords.tobytes()
    assert found.mode_labels == whole.mode_labels


def test_what_is_sent_goes_to_one_worker(client: Any) -> None:
    future = arguments.sent(client, [1, 2], 16)
    assert future.result() == [1, 2]
    assert len(client.who_has([future])[future.key]) == 1


def test_sending_is_tried_again_and_ends(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, left = client.scatter, [1]

    async def scatter(*args: Any, **options: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise OSError("the line is dead")
        return await real(*args, **options)

    monkeypatch.setattr(client, "scatter", scatter)
    assert arguments.sent(client, "it", 2).result() == "it"
    assert "again" in caplog.text
    left[0] = 10**6
    with pytest.raises(vt.errors.ClusterError, match=r"could not be sent .* for 0\.1 seconds"):
        arguments.sent(client, "it", 2, patience=0.1)
