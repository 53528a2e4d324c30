"""The demo runs, and what it shows is worth showing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import demo


def test_the_demo_names_every_habit(capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    shown = capsys.readouterr()
    assert "iteration 1/" in shown.err
    assert "Tucker model of a 160 x 24 x 17 tensor" in shown.out
    found = re.findall(r"  person  (.*)\n  dish    (.*)\n  hour    (.*)\n", shown.out)
    assert len(found) == 5
    told = {
        (
            *set(re.findall(r"\((.*?)\)", people)),
            *sorted(dishes.split(", "))[:1],
            min(hours.split(", ")),
        )
        for people, dishes, hours in found
    }
    assert told == {
        ("clerk", "bagel", "10"),
        ("clerk", "club sandwich", "11"),
        ("student", "burger", "19"),
        ("parent", "apple cake", "15"),
        ("retiree", "apple cake", "10"),
    }
    held_out, mean = (
        float(re.findall(rf"{what} +([0-9.]+)", shown.out)[0])
        for what in ("Held-out error", "always the mean")
    )
    assert held_out < 0.3 * mean


def test_habits_are_the_elements_of_the_core() -> None:
    factor = np.array([[0.0, 3.0 - k] for k in range(8)])
    model = vt.TuckerModel(
        np.array([[0.0], [-2.0]]),
        [factor, np.ones((1, 1))],
        modes=("who", "what"),
        labels=(np.arange(8), np.array(["tea"])),
    )
    assert list(demo.habits(model)) == [
        "",
        "  who     7, 0, 6, 1, 5, 2 and 1 more",
        "  what    tea",
    ]
