"""``show``: a model in words."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import run, small_model


def test_summary_and_description(tmp_path: Path) -> None:
    small_model().save(tmp_path / "model.npz")
    shown = run("show", tmp_path / "model.npz", "-n", "1", "--labels", "1", "--unit", "cups")
    assert shown.out.startswith("Tucker model of a 3 x 2 x 2 tensor")
    assert re.search(r" cups, up to \+[\d.]+  eve", shown.out)
    told = run("show", "-", "--json", stdin=(tmp_path / "model.npz").read_bytes()).json
    assert told["model"]["modes"] == ["who", "dish", "hour"]
