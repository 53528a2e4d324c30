"""Runs every case for a share of the time: ``python -m reliability 10m [--write] [words]``.

Prints one table; ``--write`` puts it into docs/reliability.md. Words choose cases by their titles.
Ends with an error if anything did not hold that is not known. ``--slice`` leaves out what the suite
runs anyway, and tells of late answers without an error: for a machine that has much else to do.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from reliability import (
    clocks,
    ctrl_c,
    drift,
    full_disk,
    killed,
    long_fit,
    memory,
    saving,
    short_writes,
    suites,
    terminated,
)
from reliability.case import Case, Share, Tally
from reliability.page import seconds_of, table, write_page

FILES = (
    killed, saving, short_writes, ctrl_c, full_disk, terminated, drift, long_fit, clocks, memory,
    suites,
)  # fmt: skip
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"


def main(words: list[str]) -> int:
    """Run the cases, and say how many did not hold."""
    parser = argparse.ArgumentParser(prog="reliability", description=__doc__)
    parser.add_argument("budget", type=seconds_of, help="such as 90s, 10m or 1h")
    parser.add_argument("--write", action="store_true", help="write the table into the docs")
    parser.add_argument("--slice", action="store_true", help="what a busy machine can be asked for")
    parser.add_argument("words", nargs="*", help="only cases with such a word in their title")
    given = parser.parse_intermixed_args(words)
    cases = [case for file in FILES for case in file.CASES]
    if given.words:
        cases = [each for each in cases if any(word in each.title for word in given.words)]
    if given.slice:
        cases = [each for each in cases if each.in_slice]
    found: list[tuple[Case, Tally, float]] = []
    for each in run(cases, given.budget):
        found.append(each)
        if given.write:  # after each case: whoever ends this has what was tried until then
            write_page(PAGE, found, given.budget)
    print(table(found))
    return len([each for _, each, _ in found if each.faults or (each.late and not given.slice)])


def run(cases: list[Case], budget: float) -> Iterator[tuple[Case, Tally, float]]:
    """Run cases, each for its share of what is left, and say how long each took."""
    ends = time.monotonic() + budget
    for number, case in enumerate(cases):
        weights = sum(each.weight for each in cases[number:])
        began = time.monotonic()
        seconds = max(ends - began, 0.0) * case.weight / (weights or 1.0)
        try:
            tally = case.run(Share(seconds, random.Random(case.title)))
        except Exception as error:  # what the case itself cannot do is told, too
            tally = Tally(tried=1, faults=Counter([f"{type(error).__name__}: {error}"]))
        print(f"{case.title}: {tally.held} of {tally.tried} {tally.told}", file=sys.stderr)
        yield case, tally, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
