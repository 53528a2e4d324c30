"""``demo``: the same as ``python -m vest_tucker.demo``, which has tests of its own."""

from __future__ import annotations

import pytest

from command_line import run


def test_the_demo_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[bool] = []
    monkeypatch.setattr("vest_tucker.demo.main", lambda: ran.append(True))
    assert run("demo").code == 0
    assert ran == [True]
