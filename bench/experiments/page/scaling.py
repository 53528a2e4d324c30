"""Figure 4 on the page: slopes beside the paper's claims."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page.pictures import PICTURES
from experiments.page.text import number, table
from experiments.summary.rows import Document, ok, pick
from experiments.summary.scaling import FIXED_COSTS, last_slope, points, slopes

CLAIMS = {
    "order": "quadratic in the order, time per core element",
    "dimension": "near-linear in the dimensionality",
    "entries": "near-linear in the number of entries",
}
MOST = {"order": 2.0, "dimension": 1.2, "entries": 1.2}  # slopes up to these agree with claims


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["scaling"].line
    yield ""
    rows = ok(pick(document, "figure4"))
    times = len({row["seed"] for row in rows})
    repeats = "one run" if times == 1 else f"{times} repeats"
    loads = [row["found"]["load"] for row in rows]
    yield (
        f"`vest_bench` draws tensors at rank 3 as the paper does, on {rows[0]['found']['threads']} "
        f"threads; the best iteration of each point over {repeats}. "
        f"Slopes are those of lines on doubly logarithmic axes, from {FIXED_COSTS:,.0f} "
        f"entries on; the load of the machine was {min(loads):.1f} to {max(loads):.1f}, and times "
        "of few milliseconds feel whatever else it does."
    )
    fitted = slopes(document)
    lines = []
    for series, claim in CLAIMS.items():
        if series not in fitted:
            continue
        x, y, _ = points(document, series)
        verdict = "holds" if fitted[series] <= MOST[series] else "does not hold here"
        ends = f"{y[0]:.3g} s at {x[0]:,.0f}, {y[-1]:.3g} s at {x[-1]:,.0f}"
        last = "" if series == "order" else number(last_slope(document, series), 2)
        lines.append([series, claim, number(fitted[series], 2), verdict, last, ends])
    head = ["over", "the paper", "slope here", "", "slope of the last tenfold"]
    yield from table([*head, "seconds per iteration"], lines)
    x, y, _ = points(document, "threads")
    if x:
        gains = ", ".join(
            f"{y[0] / time:.2f} with {size:,.0f}" for size, time in zip(x, y, strict=True)
        )
        yield (
            f"Threads: times as fast as one, {gains}. The paper has 20 threads, this machine "
            f"{document['machine'].split(',')[1].strip()}; what more threads than cores gain says "
            "nothing of the claim."
        )
        yield ""
