"""Measures the figures of the evaluation, and makes pictures and the page of them.

    python -m experiments [--full] [--budget 27m] [--only figure1 figure5] [--draw | --measure]

What has been measured by the same code before is not measured again, so a run that was ended goes
on. Rows gather in build/experiments; at the end bench/results/evaluation.json has them, and the
pictures and docs/evaluation.md are made from that file. ``--draw`` does this last step alone,
``--measure`` all but that.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from experiments.harness.beside import rows_beside, two_at_once
from experiments.harness.job import beyond
from experiments.harness.machine import ROOT, commit, machine, packages
from experiments.harness.run import Part, run
from experiments.harness.store import Store, gathered, write_document
from experiments.measures.systems import about_systems, version
from experiments.registry import EXPERIMENTS
from experiments.sets.tensors import SETS

RESULTS = ROOT / "bench" / "results" / "evaluation.json"
ROWS = ROOT / "build" / "experiments" / "rows.jsonl"
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def main() -> None:
    """Parse the command line and do what it asks."""
    options = parse()
    if not options.draw:
        measure(options)
    if options.measure or options.part is not None:
        return
    from experiments.publish import publish

    publish(options.results)


def parse() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="experiments", description=__doc__)
    parser.add_argument("--full", action="store_true", help="all sizes and seeds: hours")
    parser.add_argument("--budget", type=seconds_of, help="such as 90s, 27m or 5h")
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), metavar="FIGURE")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    parser.add_argument("--measure", action="store_true", help="draw nothing")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--rows", type=Path, default=ROWS)
    parser.add_argument("--part", type=part_of, help=argparse.SUPPRESS)  # see harness.beside
    return parser.parse_args()


def seconds_of(text: str) -> float:
    """Return how many seconds a text such as 90s, 27m or 5h means."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90s, 27m or 5h")
    return float(found[1]) * UNITS[found[2]]


def part_of(text: str) -> Part:
    """Return which part of how many a text such as 1/2 means, counted from 0."""
    which, _, of = text.partition("/")
    return int(which), int(of)


def measure(options: argparse.Namespace) -> None:
    """Run the experiments and gather their rows."""
    chosen = [EXPERIMENTS[name] for name in options.only or EXPERIMENTS]
    usual = UNITS["h"] * 12 if options.full else UNITS["m"] * 27
    budget = usual if options.budget is None else options.budget
    beside = rows_beside(options.rows)
    if options.part is not None:
        run(chosen, Store(beside, [options.rows]), budget, options.full, options.part)
        return
    began, store = time.monotonic(), Store(options.rows, [beside])
    two_at_once(chosen, store, budget, options.full)
    rows, left = run(chosen, store, budget - (time.monotonic() - began), options.full)
    before = json.loads(options.results.read_text("utf-8")) if options.results.exists() else None
    write_document(options.results, gathered(before, rows, about(options.full, left)))
    if left:
        print(f"experiments: {len(left)} measurements left for want of time", file=sys.stderr)


def about(full: bool, left: list[Any]) -> dict[str, Any]:
    """Return what is said of the whole: where, when, with what, and what is missing."""
    return {
        "scale": "full" if full else "quick",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC",
        "commit": commit(),
        "machine": machine(),
        "version": version(),
        "packages": packages(),
        "systems": about_systems(),
        "sets": {
            name: {"about": each.about, "ranks": list(each.ranks), "here": each.is_here}
            for name, each in SETS.items()
        },
        "left": dict(Counter(figure for figure, _ in left)),
        "timed": [each.name for each in EXPERIMENTS.values() if each.timed],
        "full": beyond(EXPERIMENTS.values()),
    }


if __name__ == "__main__":
    main()
