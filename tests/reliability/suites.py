"""Tests of the suite that are cases as well: processes of every kind, memory of the core."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

from reliability.case import Case, Share, Tally

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "main" / "tests" / "cpp"


def pytest_files(share: Share, files: tuple[str, ...]) -> Tally:
    """Run files of the suite, all of them whatever the share is, and count their tests."""
    tally = Tally()
    where = [str(ROOT / "tests" / "python" / "whole" / file) for file in files]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *where]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    counted = re.findall(r"(\d+) (passed|skipped)", done.stdout)
    counts = {what: int(times) for times, what in counted}
    tally.add(None, counts.get("passed", 0))
    for line in re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE):
        tally.add(line)
    if done.returncode not in (0, 1):
        tally.add(f"pytest ended with code {done.returncode}")
    if counts.get("skipped"):
        tally.notes.append(f"{counts['skipped']} skipped")
    return tally


def program(share: Share, name: str) -> Tally:
    """Run a test of the core, if it is built."""
    tally, file = Tally(), BUILT / name
    if not file.exists():
        tally.notes.append("left out: `make test-cpp` builds it")
        return tally
    done = subprocess.run([file], capture_output=True, text=True, check=False)
    tally.add(None if done.returncode == 0 else f"code {done.returncode}: {done.stderr[-200:]}")
    return tally


CASES = [
    Case(
        "fits in processes of every kind: fork, spawn, forkserver, beside threads of others",
        "the same bits",
        functools.partial(pytest_files, files=("test_processes.py", "test_other_threads.py")),
        weight=0.0,
    ),
    Case(
        "iterations of the core, with every call for memory counted",
        "an iteration asks for none",
        functools.partial(program, name="test_allocation"),
        weight=0.0,
    ),
]
