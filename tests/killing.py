"""Ends a call that writes a checkpoint, at any of the rounds after which it could go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vest_tucker.fitting.checkpoint.file import CheckpointFile
from vest_tucker.fitting.checkpoint.record import Record


class Killed(BaseException):
    """The process has ended."""


def kill_at(monkeypatch: pytest.MonkeyPatch, rounds: int) -> Callable[[], int]:
    """End the next call after so many rounds, at each of which it writes; count the rounds."""
    left, reached = [rounds], CheckpointFile.reached

    def counted(self: CheckpointFile, record: Record) -> None:
        left[0] -= 1
        if left[0] == 0:
            self.every = 0.0
        reached(self, record)
        if left[0] == 0:
            raise Killed

    monkeypatch.setattr(CheckpointFile, "reached", counted)
    return lambda: rounds - left[0]
