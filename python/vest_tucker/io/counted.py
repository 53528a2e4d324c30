"""Files that tell how much of them has been read, to a step that counts bytes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

from vest_tucker.base.options import check_path
from vest_tucker.base.telling.steps import Step, underway
from vest_tucker.base.telling.texts import BYTES
from vest_tucker.base.types import AnyPath

BUFFER = 1 << 20  # bytes that are read at a time, if whoever reads wants fewer


def counted(path: AnyPath) -> BinaryIO:
    """Open a file for reading its bytes, which count if the step under way is one of bytes."""
    step = underway()
    if step.unit != BYTES:
        return check_path("path", path).open("rb")
    return io.BufferedReader(Counted(path, step), BUFFER)


def size_of(path: AnyPath) -> int | None:
    """Return how many bytes a file has; None if it cannot be asked."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return None


class Counted(io.FileIO):
    """A file whose bytes count. A file may be opened again: what is read then counts anew."""

    def __init__(self, path: AnyPath, step: Step) -> None:
        super().__init__(path, "rb")
        self._step = step
        step.restart()

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer, and count."""
        n = super().readinto(buffer)
        self._count(n or 0)
        return n

    def readall(self) -> bytes:
        """Read the rest, and count it."""
        rest = super().readall()
        self._count(len(rest))
        return rest

    def _count(self, n: int) -> None:
        """Count bytes, never more than there are: some formats read a part twice."""
        step = self._step
        step.advance(n if step.total is None else min(n, step.total - step.done))
