"""Figure 7 on the page: planted patterns, ranks, intervals."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from experiments.page.comparison import values_made_small
from experiments.page.pictures import PICTURES
from experiments.page.text import NOTHING, listed, number, table
from experiments.summary.recovery import hits, together
from experiments.summary.rows import Document, Spread, ok, pick, spread

FIGURE = "figure7"
SPIKE = "smurff-spike-and-slab"
NAMES = {
    SPIKE: "SMURFF, spike and slab",
    f"{SPIKE}-one": "SMURFF, in one mode",
    f"{SPIKE}-all": "SMURFF, in every mode",
}
FAR = 0.4  # an error to the truth that says that a fit has failed: others end far below
FOUND = 0.9  # an F1 of patterns that are found for the most part


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["recovery"].line
    yield ""
    yield (
        "Planted truths of 60 x 50 x 40 cells, ranks 3, 60 % zeros, 8,000 entries and 20 % noise, "
        "with one of these changed at a time. F1 is that of the non-zeros, components matched; the "
        "error is that to the truth on random cells, over its deviation, and its median over the "
        "seeds, for a fit that fails may be off by any factor; coverage is the share of new values "
        "inside of intervals for 90 %. VeST is given the true ranks, the plain call is not."
    )
    yield from table(
        ["full cores", "over", "value", "F1", "error to the truth", "ranks found", "coverage"],
        _lines(document, diagonal=False),
    )
    small = ", values made small for the reason told above" if values_made_small(document) else ""
    yield (
        "With diagonal cores, which SMURFF's model can be, too. It is given the true rank, and has "
        f"its spike-and-slab prior in all modes but the first{small}. In a second line one mode "
        "alone has it, as in the comparison above. Noise is learned or fixed, the mode is one of "
        f"the two shortest: all are tried with several chains{_chains(document)}, and the chain "
        "that fits its entries best counts."
    )
    head = ["diagonal cores", "over", "value", "F1, factors", "F1, sparse factors"]
    head += ["error to the truth", "ranks found", "coverage"]
    yield from table(head, _lines(document, diagonal=True))
    yield (
        "Sparse factors are those where SMURFF has its sparse prior: for the plain call, all but "
        "the first."
    )
    yield from failed(document)
    yield from _together(document)


def _chains(document: Document) -> str:
    """Say how many chains a fit has."""
    counts = {
        row["found"]["chains"]
        for who in (SPIKE, f"{SPIKE}-one")
        for row in ok(pick(document, FIGURE, system=who))
        if "chains" in row["found"]
    }
    return f", {listed([str(each) for each in sorted(counts)])} in all" if counts else ""


def failed(document: Document) -> Iterator[str]:
    """Say how often fits have failed, and whether their patterns show it."""
    said = []
    for who in ("vest-tucker", SPIKE, f"{SPIKE}-one"):
        rows = ok(pick(document, FIGURE, system=who, diagonal=True))
        if not rows:
            continue
        far = [row["found"] for row in rows if row["found"]["to_truth"] > FAR]
        words = f"{len(far)} of {len(rows)} fits of {_title(document, who)}"
        if far:
            fine = sum(found["spiked_f1"] >= FOUND for found in far)
            errors = sorted(found["to_truth"] for found in far)
            words += f" (from {number(errors[0], 2)} to {number(errors[-1], 2)}"
            words += (
                f"; in {fine} of them F1 of the sparse factors is {FOUND} or more)" if fine else ")"
            )
        said.append(words)
    yield f"Errors to the truth above {FAR}, so that a fit has failed: {listed(said)}."
    rows = [
        row for who in (SPIKE, f"{SPIKE}-one") for row in ok(pick(document, FIGURE, system=who))
    ]
    of = sum(row["found"].get("chains", 0) for row in rows)
    if of:
        stuck = sum(row["found"].get("stuck", 0) for row in rows)
        yield (
            f"Of SMURFF's single chains {100 * stuck / of:.0f} % are as far off. They get stuck: a "
            "component is missing, or a few rows are far too large in all of their samples, which "
            "the pattern hardly shows. Where every chain of a fit does, none of them is any good."
        )
    yield ""


def _cases(document: Document) -> list[tuple[str, float]]:
    """Return what is varied in the cases that both meet, and to which value."""
    settings = [row["settings"] for row in pick(document, FIGURE, system=SPIKE)]
    return list(dict.fromkeys((each["over"], each[each["over"]]) for each in settings))


def _mean(document: Document, who: str, over: str, value: float) -> float:
    """Return the mean F1 in the factors with a sparse prior in one case."""
    wanted = {over: value}
    rows = pick(document, FIGURE, system=who, diagonal=True, over=over, **wanted)
    found = spread(rows, "spiked_f1")
    return found.mean if found else 0.0


def _title(document: Document, who: str) -> str:
    return NAMES.get(who) or str(document["systems"][who]["title"])


def _lines(document: Document, *, diagonal: bool) -> list[list[str]]:
    """Return a line for each case and system."""
    cases: dict[tuple[str, str, float], list[dict[str, object]]] = {}
    for row in pick(document, FIGURE, diagonal=diagonal):
        settings = row["settings"]
        key = (settings["system"], settings["over"], settings[settings["over"]])
        cases.setdefault(key, []).append(row)
    lines = []
    for (who, over, value), rows in cases.items():
        good = ok(rows)
        means = {
            name: Spread.of(row["found"].get(name) for row in good)
            for name in ("f1", "factors_f1", "spiked_f1", "cover")
        }
        shown = {name: number(each.mean, 3) if each else NOTHING for name, each in means.items()}
        if good:
            shown["to_truth"] = number(median(row["found"]["to_truth"] for row in good), 3)
        found = sum(bool(row["found"].get("hit")) for row in good)
        ranks = f"{found} of {len(good)}" if who == "vest-tucker" else "given"
        patterns = [shown["factors_f1"], shown["spiked_f1"]] if diagonal else [shown["f1"]]
        lines.append(
            [_title(document, who), over, f"{value:g}", *patterns, shown["to_truth"], ranks,
             shown["cover"]]
        )  # fmt: skip
    return lines


def _together(document: Document) -> Iterator[str]:
    """Say what all cases come to."""
    found, of = hits(document, "vest-tucker")
    cover = together(document, "vest-tucker", "cover")
    ours = together(document, "vest-tucker", "spiked_f1", diagonal=True)
    theirs = together(document, SPIKE, "spiked_f1")
    if cover:
        yield (
            f"Over all cases, the plain call finds all ranks in {found} of {of} fits, and its "
            f"intervals for 90 % cover {100 * cover.mean:.1f} %."
        )
    if ours and theirs:
        who = "the plain call" if ours.mean > theirs.mean else "SMURFF"
        yield (
            "In all factors but the first, where SMURFF has its sparse prior, F1 is "
            f"{number(ours.mean, 3)} for the plain call and {number(theirs.mean, 3)} for SMURFF: "
            f"{who} recovers more."
        )
    one = together(document, f"{SPIKE}-one", "spiked_f1", diagonal=True)
    if one:
        yield f"Where one mode alone has it, SMURFF's F1 in that mode is {number(one.mean, 3)}."
    lost = [
        f"{over} {value:g}"
        for over, value in _cases(document)
        if _mean(document, SPIKE, over, value) > _mean(document, "vest-tucker", over, value)
    ]
    if theirs:
        cases = listed(lost) or "none of the cases"
        yield f"In all factors but the first, SMURFF's F1 is higher with: {cases}."
    wide = together(document, f"{SPIKE}-all", "zeros")
    if wide:
        yield (
            "With that prior in every mode of the usual case, "
            f"{100 * wide.mean:.0f} % of SMURFF's elements are zero in most samples."
        )
    yield ""
