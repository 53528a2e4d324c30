"""``explain``: the terms of one prediction."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert "name one as who=... dish=... hour=..." in shown.err


def test_a_mode_without_a_label_is_refused(model: Path) -> None:
    shown = run("explain", model, "who=bob", "dish=")
    assert shown.code == 2
    assert "dish= names no label" in shown.err
