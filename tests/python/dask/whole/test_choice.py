"""Fits are made as a whole where workers have the memory, or it is told what keeps them from it."""

from __future__ import annotations

from typing import Any

import pytest

from clustered import both

pytest.importorskip("distributed")
from vest_tucker.dask.fitting.builds import own_build
from vest_tucker.dask.whole import choice
from vest_tucker.dask.whole.tasks import WholeTensor


def test_what_keeps_workers_from_whole_fits_is_told(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _, there = both(client)
    asked: Any = (there, client, (2, 2, 2), "lf")
    assert isinstance(choice.whole_or_why(*asked), WholeTensor)
    own = own_build()
    told = {"a": own, "b": own._replace(isas=("none",))}
    with monkeypatch.context() as patch:
        patch.setattr(choice, "same_builds", lambda *_: told)
        assert "none on b" in choice.whole_or_why(*asked)  # type: ignore[operator]
        assert "none on b" in caplog.text
    monkeypatch.setattr(choice, "fits_at_once", lambda *_: 0)
    assert choice.whole_or_why(*asked) == choice.TOO_LARGE
