"""The page of the documentation is what the parsers say."""

from __future__ import annotations

from pathlib import Path

from vest_tucker.cli.commands import COMMANDS
from vest_tucker.cli.page import page

PAGE = Path(__file__).parents[3] / "docs" / "command-line.md"


def test_the_page_is_up_to_date() -> None:
    """If not: python -m vest_tucker.cli.page > docs/command-line.md."""
    assert PAGE.read_text("utf-8") == page()


def test_every_command_and_option_is_on_it() -> None:
    text = page()
    for command in COMMANDS:
        assert f"\n## {command.name}\n" in text
    assert "- `--ranks N …`: J_1, ..., J_N, the dimensions of the core. (default: auto)" in text
    assert text.count("- `--index-base N`") == 1  # of reading, and not once for each command
