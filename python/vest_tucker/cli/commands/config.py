"""``vest-tucker config``: what is installed, for a bug report."""

from __future__ import annotations

import argparse

from vest_tucker.base.config import config, show_config
from vest_tucker.cli.command import Command, add_json
from vest_tucker.cli.output import tell_json


def run(arguments: argparse.Namespace) -> int:
    """Print versions, kernels and threads."""
    if arguments.json:
        tell_json("config", {"config": config()})
    else:
        show_config()
    return 0


COMMAND = Command(
    "config",
    "Print versions, kernels, threads and compiler: what a bug report should say.",
    ("vest-tucker config",),
    add_json,
    run,
)
