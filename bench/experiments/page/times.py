"""Figure 3 on the page: how long until a test error is reached."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page.pictures import PICTURES
from experiments.page.text import NOTHING, number, table, with_spread
from experiments.summary.rows import Document, Spread, ok, pick, values
from experiments.summary.times import ABOVE, best_ends, reached

FIGURE = "figure3"


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["times"].line
    yield ""
    yield (
        "One thread each, run in turns; the clock stands still while predictions are made. The "
        "plain call tries several structures, one after the other, and fits the best one at last: "
        "its curve shows all of them. The columns are the seconds from which on the error held out "
        "stays at most so far above the lowest that anybody ends with on the same split; never: "
        "not in every run."
    )
    for tensor in values(pick(document, FIGURE), "set"):
        rows = []
        best = best_ends(document, tensor)
        for name in values(pick(document, FIGURE, set=tensor), "system"):
            some = pick(document, FIGURE, set=tensor, system=name)
            runs = [row["found"] for row in ok(some)]
            title = document["systems"][name]["title"]
            if not runs:
                why = next(row["found"]["error"] for row in some)
                rows.append([title, why, NOTHING, *(NOTHING for _ in ABOVE)])
                continue
            final = Spread.of(run["curve"][-1][1] for run in runs)
            total = Spread.of(run["fit_seconds"] for run in runs)
            cells = []
            for factor in ABOVE.values():
                times = [
                    reached(row["found"]["curve"], factor * best[row["seed"]]) for row in ok(some)
                ]
                found = Spread.of(times)
                all_did = found is not None and found.runs == len(runs)
                cells.append(number(found.mean, 2) if found and all_did else "never")
            rows.append(
                [title, with_spread(final), number(total.mean if total else None, 1), *cells]
            )
        yield from table([tensor, "error at the end", "seconds in all", *ABOVE], rows)
