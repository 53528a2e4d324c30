"""Which cases `make bench` runs, and with what; vest_bench itself knows what each one is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Selected:
    """A case of vest_bench (`vest_bench --list`) as it is run here."""

    label: str
    case: str
    arguments: tuple[str, ...] = ()
    file: str = ""  # in $VEST_DATA, gzipped; the case is skipped without it


CASES = [
    Selected("ml-small, 1 thread", "ml-small", ("--threads", "1"), "ML_small.tns"),
    Selected("ml-small", "ml-small", (), "ML_small.tns"),
    Selected("ml-small-10", "ml-small-10", (), "ML_small.tns"),
    Selected("movielens20m", "movielens20m"),
    Selected("yelp", "yelp"),
    Selected("sparse", "sparse"),
    Selected("threads", "threads"),
    Selected("short-modes", "short-modes"),
    Selected("one-heavy-row", "one-heavy-row"),
    Selected("busy", "busy"),
    Selected("busy, more entries", "busy", ("--entries", "500000")),
    Selected("order", "order"),
    Selected("entries", "entries"),
    Selected("dimension", "dimension"),
]
