"""The commands, in the order in which the help lists them; a file each."""

from __future__ import annotations

from vest_tucker.cli.command import Command
from vest_tucker.cli.commands import (
    check,
    config,
    convert,
    demo,
    describe,
    explain,
    fit,
    path,
    predict,
    report,
    show,
)

COMMANDS: tuple[Command, ...] = (
    describe.COMMAND,
    fit.COMMAND,
    path.COMMAND,
    show.COMMAND,
    predict.COMMAND,
    explain.COMMAND,
    report.COMMAND,
    convert.COMMAND,
    check.COMMAND,
    demo.COMMAND,
    config.COMMAND,
)
