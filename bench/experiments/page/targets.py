"""Figure 2 on the page: targets, automatic points, and error against size."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page.comparison import COSTS
from experiments.page.pictures import PICTURES
from experiments.page.text import (
    NOTHING,
    beside,
    count,
    listed,
    number,
    sentence,
    share,
    table,
    with_spread,
)
from experiments.summary.rows import Document, paired, pick, spread, values
from experiments.summary.targets import of_seeds, shared_seeds, swept

FIGURE = "figure2"
PLAIN = "vest-tucker"
FLAT = 1.05  # an error so little above that without zeros counts as not affected
AUTOMATIC = ("vest-lf-auto", "vest-l1-auto")


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["targets"].line
    yield ""
    for tensor in values(pick(document, FIGURE), "set"):
        yield from _curves(document, tensor)
    yield PICTURES["sizes"].line
    yield ""
    yield (
        "Everyone in one picture: the numbers other than zero that a model keeps, each sample of a "
        "sampler counted, and its error on entries not fitted. Nobody below and to the left of a "
        "point: nothing is both smaller and better. Splits differ more than systems do: the "
        "picture, the order of the rows, sizes, and what is said of them are of the seeds that "
        "all have run with."
    )
    for tensor in values(pick(document, FIGURE), "set"):
        yield from _sizes(document, tensor)


def _curves(document: Document, tensor: str) -> Iterator[str]:
    """Say how far errors stay flat, and where the automatic versions end."""
    yield f"**{tensor}.** The paper: errors are hardly affected until 60 % are zero."
    for penalty, title in (("lf", "L_F"), ("l1", "L1")):
        zeros, errors = swept(document, tensor, f"vest-{penalty}-manual", "re")
        if not zeros:
            continue
        flat = [x for x, y in zip(zeros, errors, strict=True) if y <= FLAT * errors[0]]
        auto = pick(document, FIGURE, set=tensor, system=f"vest-{penalty}-auto", settings=None)
        x, y = spread(auto, "zeros"), spread(auto, "re")
        ended = (
            f"its automatic version ends at {share(x.mean)}, {number(y.mean)}" if x and y else ""
        )
        yield (
            f"Here, with {title} and the same share from every part, the error starts at "
            f"{number(errors[0])}, is at most {100 * (FLAT - 1):.0f} % above that up to "
            f"{share(max(flat))} zeros, and is {number(errors[-1])} at {share(zeros[-1])}; {ended}."
        )
    zeros, errors = swept(document, tensor, PLAIN, "test")
    rows = pick(document, FIGURE, set=tensor, system=PLAIN, settings=None)
    x, y = spread(rows, "zeros"), spread(rows, "test")
    if zeros and x and y:
        yield (
            f"The plain call, asked for targets, goes from {number(errors[0])} held out at "
            f"{share(zeros[0])} zeros to {number(errors[-1])} at {share(zeros[-1])}; by itself it "
            f"ends at {share(x.mean)}, {number(y.mean)}."
        )
    yield ""


def _sizes(document: Document, tensor: str) -> Iterator[str]:
    rows, points, without = [], [], []
    seeds = shared_seeds(document, tensor)
    every = {row["seed"] for row in pick(document, FIGURE, set=tensor, settings=None)}
    some_have_fewer = len(seeds) < len(every)
    for name, about in document["systems"].items():
        some = pick(document, FIGURE, set=tensor, system=name, settings=None)
        if not some:
            without.append(about["title"])
            continue
        test, same = spread(some, "test"), spread(of_seeds(some, seeds), "test")
        kept, zeros = (spread(of_seeds(some, seeds), each) for each in ("stored", "zeros"))
        if test is None or same is None or kept is None:
            why = next((row["found"]["error"] for row in some if row["found"].get("error")), "")
            rows.append((9.0, [about["title"], why, *[NOTHING] * (4 + some_have_fewer)]))
            continue
        seconds = spread(some, "fit_seconds")
        points.append((kept.mean, same.mean, about["title"]))
        title = f"**{about['title']}**" if name == PLAIN else about["title"]
        cells = [
            title, *([with_spread(same)] if some_have_fewer else []), with_spread(test),
            count(kept.mean), share(zeros.mean if zeros else None),
            number(seconds.mean if seconds else None, 1), f"{test.runs} of {len(some)}",
        ]  # fmt: skip
        rows.append((same.mean, cells))
    same_splits = f"error, held out, {_splits(seeds)}"
    head = [tensor, *([same_splits, "all runs"] if some_have_fewer else ["error, held out"])]
    head += ["numbers kept", "zeros", "seconds", "runs"]
    yield from table(head, [cells for _, cells in sorted(rows, key=lambda each: each[0])])
    best = [
        title
        for kept, test, title in sorted(points)
        if not any((k <= kept and t < test) or (k < kept and t <= test) for k, t, _ in points)
    ]
    there = f"With {_splits(seeds)}, which all have, nothing" if some_have_fewer else "Nothing here"
    yield f"{there} is both smaller and better than {listed(best)}, from small to large."
    if without:
        yield f"Not run on it: {listed(without)}."
    yield ""
    ours = pick(document, FIGURE, set=tensor, system=PLAIN, settings=None)
    for name, about in document["systems"].items():
        theirs = pick(document, FIGURE, set=tensor, system=name, settings=None)
        difference = paired(ours, theirs, "test")
        if name == PLAIN or difference is None or difference.mean >= 0.0:
            continue
        alike = of_seeds(ours, {row["seed"] for row in theirs})
        size, own = spread(theirs, "stored"), spread(alike, "stored")
        if size and own:
            cost = f" It keeps {size.mean / own.mean:,.1f} times as many numbers"
            words = f": {COSTS[name]}." if name in COSTS else "."
            yield sentence(beside(about["title"], difference)) + cost + words
    yield ""


def _splits(seeds: list[int]) -> str:
    return f"seed{'s' if len(seeds) > 1 else ''} {listed([str(seed) for seed in seeds])}"
