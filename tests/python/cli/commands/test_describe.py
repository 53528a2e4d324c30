"""``describe``: what there is to know before a fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import TABLE, run


def test_what_there_is_to_know() -> None:
    pytest.importorskip("pyarrow")
    shown = run("describe", "-", "--value", "stars", stdin=TABLE)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("Tensor of order 3: 3 who x 3 dish x 3 hour")
    told = run("describe", "-", "--ranks", "2", "--json", stdin=TABLE).json
    assert (told["command"], told["schema_version"]) == ("describe", 1)
    assert told["tensor"]["nnz"] == 6
    assert told["tensor"]["ranks"] == [2, 2, 2]


@pytest.mark.parametrize(("first", "told"), [("1", True), ("0", False)])
def test_that_results_count_from_0_is_told(tmp_path: Path, first: str, told: bool) -> None:
    (tmp_path / "x.tns").write_text(f"{first} 1 2.5\n2 2 1\n")
    shown = run("describe", tmp_path / "x.tns")
    assert ("indices count from 1, those of models and results from 0" in shown.err) is told


def test_a_column_that_hardly_is_a_mode_is_told_with_the_option(tmp_path: Path) -> None:
    rows = "".join(f"{row},u {row % 9},d {row // 9},{row}\n" for row in range(150))
    (tmp_path / "shop.csv").write_text(f"id,who,day,stars\n{rows}")
    shown = run("describe", tmp_path / "shop.csv")
    assert "'id' has 150 labels for 150 entries" in shown.err
    assert "as --modes who day" in shown.err
