"""The demo runs, and what it shows is worth showing."""

from __future__ import annotations

import re

import pytest

from vest_tucker import demo


def test_the_demo_names_every_habit(capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    shown = capsys.readouterr()
    assert "iteration 1/" in shown.err
    assert "Tucker model of a 160 x 24 x 17 tensor" in shown.out
    found = re.findall(r"    person  (\w.*)\n    dish    (.*)\n    hour    (.*)\n", shown.out)
    assert len(found) == 5
    told = {
        (*set(re.findall(r"\((.*?)\)", people)), *sorted(dishes.split(", "))[:1], hours)
        for people, dishes, hours in found
    }
    assert told == {
        ("clerk", "bagel", "7 to 10"),
        ("clerk", "club sandwich", "11 to 14"),
        ("student", "burger", "19 to 23"),
        ("parent", "apple cake", "15 to 18"),
        ("retiree", "apple cake", "7 to 10"),
    }
    held_out, mean = (
        float(re.findall(rf"{what} +([0-9.]+)", shown.out)[0])
        for what in ("Held-out error", "always the mean")
    )
    assert held_out < 0.3 * mean
