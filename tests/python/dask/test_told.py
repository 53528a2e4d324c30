"""Large arguments do not travel with each task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vest_tucker as vt

dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")
arguments = pytest.importorskip("vest_tucker.dask.told")


def test_large_arguments_are_sent_once(client: Any) -> None:
    small = {"a": [1, 2]}
    assert arguments.told(client, small, 16, 60.0) is small
    array = np.zeros(arguments.INLINE)
    large = arguments.told(client, {"a": array}, array.nbytes, 60.0)
    assert len(client.who_has([large])[large.key]) == len(client.nthreads())


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
    sent: list[int] = []
    plain = arguments.sent

    def noted(client: Any, what: Any, nbytes: int, patience: float) -> Any:
        sent.append(nbytes)
        return plain(client, what, nbytes, patience)

    monkeypatch.setattr(arguments, "sent", noted)
    parts = dd.from_pandas(frame, npartitions=4, sort=False)
    found = vtd.from_frame(parts, ["a", "b"], client=client, **options)
    whole = vt.SparseTensor.from_frame(frame, ["a", "b"], **options)
    assert found.to_local().coords.tobytes() == whole.coords.tobytes()
    assert found.mode_labels == whole.mode_labels
    assert max(sent) > 1000
