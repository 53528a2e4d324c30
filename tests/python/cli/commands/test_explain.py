"""``explain``: the terms of one prediction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from command_line import run, small_model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    small_model().save(tmp_path / "model.npz")
    return tmp_path / "model.npz"


def test_terms_add_up(model: Path) -> None:
    shown = run("explain", model, "who=bob", "dish=rice", "hour=12")
    assert shown.out.startswith("who bob, dish rice, hour 12: 8\n")
    told = run("explain", model, "hour=12", "who=bob", "dish=rice", "--json").json
    assert told["predicted"] == sum(term["value"] for term in told["terms"]) == 8.0


def test_a_label_that_was_not_seen_is_told(model: Path) -> None:
    shown = run("explain", model, "who=nobody", "dish=rice", "hour=12")
    assert shown.out.startswith("who nobody (not seen: the average stands for it), dish rice")
    assert "has not seen a label of this cell: who nobody" in shown.err
    assert "--unseen says" in shown.err


def test_a_mode_left_out_is_averaged_over(model: Path) -> None:
    shown = run("explain", model, "who=bob", "dish=rice")
    assert shown.out.startswith("who bob, dish rice, any hour: 6\n")


@pytest.mark.parametrize("words", [["when=12"], ["who=bob", "dish=rice", "12"], ["a=b", "c", "d"]])
def test_a_cell_has_labels_of_modes(model: Path, words: list[str]) -> None:
    shown = run("explain", model, *words)
    assert shown.code == 2
    assert "as who=... dish=... hour=..." in shown.err


def test_a_mode_without_a_label_is_refused(model: Path) -> None:
    shown = run("explain", model, "who=bob", "dish=")
    assert shown.code == 2
    assert "dish= names no label" in shown.err


def test_what_may_be_meant_is_told_and_how_labels_look(tmp_path: Path) -> None:
    labels: Any = {
        "week": np.array(["2023-07-03", "2023-07-10"], dtype="M8[us]"),
        "store": ["Bonn", "Koeln, Zoo"],
    }
    factors = [np.array([[1.0], [2.0]])] * 2
    model = vt.TuckerModel(np.ones((1, 1)), factors, modes=tuple(labels), labels=labels)
    model.save(tmp_path / "m.npz")
    found = run("explain", tmp_path / "m.npz", "week=2023-07-10", "'store=Koeln, zoo'")
    assert "week 2023-07-10, store" in found.err
    assert "did you mean 'Koeln, Zoo'?" in found.err
    found = run("explain", tmp_path / "m.npz", "week=10.07.2023", "store=Ulm")
    assert "labels of 'week' look like 2023-07-03; labels of 'store' look like 'Bonn'" in found.err


def test_a_mode_that_is_misspelt_is_named_alone(model: Path) -> None:
    found = run("explain", model, "who=bob", "dihs=rice", "hour=12")
    assert found.code == 2
    assert "no mode 'dihs' (did you mean 'dish'?)" in found.err
    assert "'who=bob'" not in found.err
    assert "'who=bob', 'who=ann' names a mode twice" in run("explain", model, "who=bob who=ann").err
