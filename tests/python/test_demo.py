"""The demo runs, and what it shows is worth showing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import demo


def test_the_demo_finds_the_planted_model(capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    shown = capsys.readouterr()
    assert "iteration 1/100" in shown.err
    assert "Tucker model of a 100 x 80 x 60 tensor" in shown.out
    numbers = {
        what: float(re.findall(rf"{what} +([0-9.]+)", shown.out)[0])
        for what in ("Held-out error", "always the mean", "the noise by itself", "sparsity")
    }
    assert numbers["the noise by itself"] < numbers["Held-out error"]
    assert numbers["Held-out error"] < 0.5 * numbers["always the mean"]
    assert numbers["sparsity"] > 0.4


def test_the_split_loses_no_entry() -> None:
    X, _ = vt.datasets.synthetic((20, 10, 10), 2, nnz=1000, seed=0)
    train, test = demo.split(X, share=0.1, seed=1)
    assert train.shape == test.shape == X.shape
    assert sorted([*train.values, *test.values]) == sorted(X.values)
    assert 60 < test.nnz < 140


def test_the_picture_is_blank_exactly_at_zeros() -> None:
    factor = np.array([[0.0, 2.0], [1e-9, 0.0], [0.5, -8.0], [1.0, 0.0]])
    assert demo.picture(factor) == [" ░▒█", "░ █ "]
    assert demo.picture(np.zeros((3, 1))) == ["   "]
    assert len(demo.picture(np.ones((5000, 1)))[0]) == demo.WIDTH
