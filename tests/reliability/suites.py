"""Tests and programs beside this folder that are cases as well."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

from reliability.case import Case, Share, Tally

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "python"
BUILT = ROOT / "build" / "main" / "tests" / "cpp"


def pytest_files(share: Share, files: tuple[str, ...] = (), marked: str = "not slow") -> Tally:
    """Run files of the suite, all of them whatever the share is, and count their tests."""
    tally = Tally()
    where = [str(next(TESTS.rglob(file))) for file in files] or [str(TESTS)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", marked, *where]
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


def in_pieces(
    share: Share, name: str, *words: str, before: tuple[str, ...] = (), piece: int = 0
) -> Tally:
    """Run a program of tests/ that tries so many things, with one seed after the other."""
    tally, file = Tally(), ROOT / "tests" / f"{name}.py"
    if not file.exists():
        tally.notes.append(f"left out: there is no {file.name}")
        return tally
    for seed in share.turns(most=10_000):
        command = [sys.executable, str(file), *before, str(piece or PIECE), *words, str(seed)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        counted = re.search(r"(\d+) faults in (\d+) calls", done.stdout)
        faults, tried = map(int, counted.groups()) if counted else (None, PIECE)
        if done.returncode == 0:
            tally.add(None, tried)
            continue
        last = " ".join((done.stdout + done.stderr).strip().splitlines()[-1:])[:100]
        told = f"`python tests/{name}.py {' '.join(command[2:])}`: {last}"
        tally.add(told, tried if faults is None else faults)
        tally.add(None, 0 if faults is None else tried - faults)
    return tally


PIECE = 200  # tries with one seed
CASES = [
    Case(
        "files with bytes changed, cut or forged are read",
        "refused by name, or read as if whole; in a second and little memory",
        lambda share: in_pieces(share, "mutating", "--seed"),
    ),
    Case(
        "every public function and method, called with whatever one can give it",
        "a result or an error by name, never one from deep inside, and no end of the process",
        lambda share: in_pieces(share, "calling"),
    ),
    Case(
        "the same with one odd argument at a time, for every parameter there is",
        "a result or an error by name, never one from deep inside, and no end of the process",
        lambda share: in_pieces(share, "calling", before=("each",), piece=1),
    ),
    Case(
        "fits in processes of every kind: fork, spawn, forkserver, beside threads of others",
        "the same bits",
        functools.partial(pytest_files, files=("test_processes.py", "test_other_threads.py")),
        weight=0.0,
        in_slice=False,
    ),
    Case(
        "tests that are too slow for every `make test`: whole plain calls, paths and stories",
        "what they say",
        functools.partial(pytest_files, marked="slow"),
        weight=0.0,
        in_slice=False,
    ),
    Case(
        "iterations of the core, with every call for memory counted",
        "an iteration asks for none",
        functools.partial(program, name="test_allocation"),
        weight=0.0,
        in_slice=False,
    ),
]
