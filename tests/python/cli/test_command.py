"""What commands share: reading entries, and when progress is shown."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

import vest_tucker as vt
from command_line import TABLE
from vest_tucker.cli.command import READ, add_tensor, read_tensor, with_progress
from vest_tucker.cli.commands import COMMANDS


def test_all_options_of_read_are_there() -> None:
    assert {each.name for each in READ} == {
        "format", "index_base", "shape", "modes", "value", "like", "duplicates", "weight",
        "count_as_weight", "missing",
    }  # fmt: skip


def test_a_tensor_is_read_with_its_options(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    parser = argparse.ArgumentParser()
    add_tensor(parser)
    words = ["--modes", "dish", "who", "--value", "stars", "--duplicates", "mean"]
    X = read_tensor(parser.parse_args([str(file), *words]))
    assert X.modes == ("dish", "who")
    (tmp_path / "other.csv").write_text("dish,who,stars\nrice,bob,1\n")
    both = ["--like", str(file), str(tmp_path / "other.csv")]
    assert read_tensor(parser.parse_args([*words, *both])).shape == (3, 3)


def test_progress_is_for_whoever_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert with_progress({"seed": 1}) == {"progress": True, "seed": 1}
    assert with_progress({"progress": False}) == {"progress": False}


def test_commands_have_names_and_examples_of_their_own() -> None:
    names = [each.name for each in COMMANDS]
    assert len(set(names)) == len(names)
    for command in COMMANDS:
        assert command.summary.endswith(".")
        assert all(f"vest-tucker {command.name}" in line for line in command.examples)
    assert vt.__version__
