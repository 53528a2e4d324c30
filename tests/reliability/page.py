"""The table of what was tried, and the page of the documentation that has it."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

from reliability.case import Case, Tally

BEGINS = "<!-- what follows is written by make test-all -->"
ENDS = "<!-- and ends here -->"
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str) -> float:
    """Return how many seconds a text such as ``90s``, ``10m`` or ``1h`` means."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if found is None:
        raise ValueError(f"{text!r} is not a time such as 90s, 10m or 1h")
    return float(found[1]) * UNITS[found[2]]


def table(found: list[tuple[Case, Tally, float]]) -> str:
    """Return all cases as a table of Markdown."""
    lines = ["| what is done | what must hold | tried | held | notes |", "|---|---|---|---|---|"]
    for case, tally, seconds in found:
        notes = "; ".join(filter(None, [tally.told, f"{seconds:.0f} s"])).replace("|", "/")
        held = f"{tally.held:,}" if tally.held == tally.tried else f"**{tally.held:,}**"
        lines.append(f"| {case.title} | {case.promise} | {tally.tried:,} | {held} | {notes} |")
    return "\n".join(lines)


def write_page(page: Path, found: list[tuple[Case, Tally, float]], budget: float) -> None:
    """Put the table into a page, in the place of the one before."""
    text = page.read_text("utf-8")
    before, _, rest = text.partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    told = f"{made_by(budget)}\n\n{table(found)}"
    page.write_text(f"{before}{BEGINS}\n{told}\n{ENDS}{after}", "utf-8")


def made_by(budget: float) -> str:
    """Return the command, the day, the commit and the machine."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    commit = done.stdout.strip() or "not known"
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return (
        f"`make test-all BUDGET={budget / 60:g}m`, {today}, commit {commit}, {platform.system()} "
        f"on {os.cpu_count()} processors ({platform.machine()}; load {os.getloadavg()[0]:.1f}), "
        f"Python {platform.python_version()}:"
    )
