"""Messages, colors and JSON."""

from __future__ import annotations

import io
import math
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.cli.output import (
    SCHEMA,
    complain,
    envelope,
    plain,
    short_warnings,
    told_of_error,
    wants_color,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Point:
    x: float


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.inf, None),
        (np.float64(0.5), 0.5),
        (np.arange(2), [0, 1]),
        (np.array(["2021-05-01"], dtype="datetime64[D]"), ["2021-05-01"]),
        (Point(math.nan), {"x": None}),
        ({1: (True, None)}, {"1": [True, None]}),
        (Point, str(Point)),
    ],
)
def test_json_knows_what_numpy_has(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_every_object_says_what_made_it() -> None:
    assert envelope("fit") == {
        "schema_version": SCHEMA, "vest_tucker": vt.__version__, "command": "fit",
    }  # fmt: skip


def test_colors_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_color(Terminal())
    assert not wants_color(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert wants_color(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_color(Terminal())


def test_messages_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("NO_COLOR", "1")
    complain("error", "two\n  lines")
    with short_warnings():
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
    lines = screen.getvalue().splitlines()
    assert lines == ["vest-tucker: error: two lines", "vest-tucker: warning: mind the gap"]
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "xterm")
    complain("error", "red")
    assert "\x1b[1;31merror:\x1b[0m red" in screen.getvalue()


def test_errors_of_the_system_say_what_to_do(tmp_path: Path) -> None:
    def told(path: Path) -> str:
        with pytest.raises(OSError) as caught:
            path.read_bytes()
        return told_of_error(caught.value)

    assert "look whether the name is right" in told(tmp_path / "none.csv")
    assert told(tmp_path / "none" / "x.csv").startswith("there is no folder")
    assert "is a folder; name a file in it" in told(tmp_path)
    assert "Not a directory" in told(Path(__file__) / "x.csv")
    refused = PermissionError(13, "Permission denied", "secret.csv")
    assert told_of_error(refused).startswith("'secret.csv' may not be used (Permission denied);")
    assert told_of_error(OSError("all is lost")) == "all is lost"


def test_times_are_written_as_in_texts() -> None:
    times = np.array(["2024-07-01T00:00", "2024-07-01T08:30"], dtype="M8[us]")
    assert plain({"one": times[0], "all": times}) == {
        "one": "2024-07-01",
        "all": ["2024-07-01", "2024-07-01 08:30"],
    }
