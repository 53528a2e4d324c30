"""``vest-tucker demo``: find out who orders what when."""

from __future__ import annotations

import argparse

from vest_tucker.cli.command import Command


def add(parser: argparse.ArgumentParser) -> None:
    """Add no argument."""


def run(arguments: argparse.Namespace) -> int:
    """Run the demo."""
    from vest_tucker import demo  # it uses the whole package

    demo.main()
    return 0


COMMAND = Command(
    "demo",
    "Find out, in front of you, who orders what when in a made-up town.",
    ("vest-tucker demo",),
    add,
    run,
)
