"""Runs the benchmark's cases, keeps the results as JSON with a plot, and puts them in the README.

`python bench/run.py` runs vest_bench and writes bench/results/bench-TIME-COMMIT.json and .png, or
CASES-TIME-COMMIT with `--only CASES`; `python bench/run.py --readme` rewrites the figures in
bench/README.md from the newest complete run and the newest one of bench/peers.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from cases import CASES, Selected
from readme import rewrite_figures

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
RESULTS = BENCH / "results"
SCRATCH = ROOT / "build" / "bench"


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and do what it asks."""
    options = parse(arguments)
    if options.readme:
        sources = newest("bench"), newest("peers")
        rewrite_figures(BENCH / "README.md", *sources)
        print(f"bench: README.md has the figures of {' and '.join(one.name for one in sources)}")
        return
    if not options.binary.is_file():
        sys.exit(f"bench: there is no {options.binary}; `make bench` builds and runs it")
    SCRATCH.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    report: dict[str, Any] = {"date": f"{now():%Y-%m-%d %H:%M} UTC", "commit": commit()}
    kind = "-".join(options.only or ["bench"])
    where = RESULTS / f"{kind}-{now():%Y-%m-%d-%H%M%S}-{report['commit']}.json"
    run_cases(options, report, where)
    if not where.exists():
        sys.exit("bench: nothing was run")
    print(f"bench: wrote {where.relative_to(ROOT)}")
    draw(report, where.with_suffix(".png"))


def run_cases(options: argparse.Namespace, report: dict[str, Any], where: Path) -> None:
    """Run what was asked for; should a case fail, a file of its own has what was done before."""
    results: list[dict[str, Any]] = []
    partial = where.with_name(f"partial-{where.name}")
    for one in CASES:
        if options.only and one.case not in options.only:
            continue
        try:
            result = run_case(options.binary, one, options.extra)
        except (subprocess.CalledProcessError, KeyboardInterrupt):
            kept = f"; {partial.relative_to(ROOT)} has the cases before it" if results else ""
            sys.exit(f"bench: {one.label} did not get through{kept}")
        if result is None:
            continue
        results.append(result)
        report["results"] = results
        partial.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    if results:
        partial.rename(where)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; what follows ``--`` goes to every run of vest_bench."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--binary", type=Path, default=ROOT / "build/main/bench/cpp/vest_bench")
    cases = sorted({one.case for one in CASES})
    parser.add_argument("--only", nargs="+", metavar="CASE", choices=cases)
    parser.add_argument("--readme", action="store_true", help="rewrite bench/README.md's figures")
    parser.add_argument("extra", nargs="*", help="after --: options for every run of vest_bench")
    return parser.parse_args(arguments)


def run_case(binary: Path, selected: Selected, extra: Sequence[str]) -> dict[str, Any] | None:
    """Run one case in a process of its own, so that its peak of memory is its own too."""
    command = [str(binary), selected.case, *selected.arguments, *extra]
    arguments = command[1:]  # as kept: which file it was, not where it lay
    if selected.file:
        tensor = unpacked(selected.file)
        if tensor is None:
            print(f"bench: skipping {selected.label}: no {selected.file}.gz in $VEST_DATA\n")
            return None
        command += ["--tensor", str(tensor)]
        arguments += ["--tensor", tensor.name]
    out = SCRATCH / "case.json"
    out.unlink(missing_ok=True)
    subprocess.run([*command, "--json", str(out)], check=True)
    result: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return {"label": selected.label, "arguments": arguments, **result}


def unpacked(name: str) -> Path | None:
    """Return a data file as plain text, unpacked into the build folder, or None without it."""
    packed = Path(os.environ.get("VEST_DATA", ""), f"{name}.gz")
    if not packed.is_file():
        return None
    plain = SCRATCH / name
    with gzip.open(packed) as source, plain.open("wb") as target:
        shutil.copyfileobj(source, target)
    return plain


def commit() -> str:
    """Return the short name of the commit, with a mark if files have changed since."""
    try:
        name = git("rev-parse", "--short", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}-changed" if changed else name


def git(*arguments: str) -> str:
    """Return what a git command says about this repository."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def now() -> datetime:
    """Return the time, the same for everyone."""
    return datetime.now(timezone.utc)


def newest(kind: str) -> Path:
    """Return the JSON file of a kind that was begun last: names have the time in them."""
    files = sorted(RESULTS.glob(f"{kind}-*.json"))
    if not files:
        sys.exit(f"bench: there are no results yet; run `make {kind}` first")
    return files[-1]


def draw(report: dict[str, Any], where: Path) -> None:
    """Draw the report, if there is something to draw it with."""
    try:
        from plot import plot_report
    except ModuleNotFoundError as missing:
        print(f"bench: no plot without {missing.name}; pip install 'vest-tucker[bench]'")
        return
    plot_report(report, where)
    print(f"bench: wrote {where.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
