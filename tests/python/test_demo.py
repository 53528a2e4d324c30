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
    assert "iteration 1/100" in shown.err
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
        ("office worker", "bagel", "10"),
        ("office worker", "club sandwich", "11"),
        ("student", "burger", "19"),
        ("parent", "apple cake", "15"),
        ("pensioner", "apple cake", "10"),
    }
    held_out, mean = (
        float(re.findall(rf"{what} +([0-9.]+)", shown.out)[0])
        for what in ("Held-out error", "always the mean")
    )
    assert held_out < 0.3 * mean


def test_the_split_loses_no_entry_and_no_label() -> None:
    X = vt.datasets.demo()
    train, test = demo.split(X, share=0.1, seed=1)
    assert train.shape == test.shape == X.shape
    assert train.mode_labels is test.mode_labels is X.mode_labels
    assert sorted([*train.values, *test.values]) == sorted(X.values)
    assert 1800 < test.nnz < 2200


def test_habits_are_the_elements_of_the_core() -> None:
    X = vt.SparseTensor([[0, 0]], [1.0], modes=("who", "what"), labels=(range(8), ["tea"]))
    factor = np.array([[0.0, 3.0 - k] for k in range(8)])
    model = vt.TuckerModel(np.array([[0.0], [-2.0]]), [factor, np.ones((1, 1))])
    assert list(demo.habits(model, X)) == [
        "",
        "  who     7, 0, 6, 1, 5, 2 and 1 more",
        "  what    tea",
    ]
