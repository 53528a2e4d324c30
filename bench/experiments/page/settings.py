"""The end of the page: what was reproduced, the systems, the data, settings, seeds and machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from experiments.page.text import listed, table
from experiments.summary.rows import Document, ok, pick

# What the paper shows, and which section is about the same; what could not be had is said there.
PAPERS = {
    "Figure 1, sparsity and error on Yelp-s and AmazonFood-s": (
        "figure1",
        "on other data",
        "on small tensors made in the same way from what is available, and on planted ones: Yelp's "
        "and Amazon's files may not be passed on, but are taken where `VEST_YELP` and "
        "`VEST_AMAZON` name them",
    ),
    "Figure 3, target sparsity on MovieLens, Yelp and AmazonFood": (
        "figure2",
        "on other data",
        "on a sample of MovieLens and on MovieTweetings: the paper's own splits of the large sets "
        "are not published, and 18 million ratings take longer than half an hour",
    ),
    "Figure 4, scalability": (
        "figure4",
        "yes, to smaller sizes",
        "the same series, to a million entries in a quick run; the largest ones are in a full run "
        "and in bench/README.md",
    ),
    "Figure 5, popular films": (
        "figure6",
        "in part",
        "against the number of ratings; titles need a MovieLens folder, and the magazine's list of "
        "100 films is not ours to copy",
    ),
}
BEYOND = {
    "figure3": "error over time",
    "figure5": "who chooses the zeros",
    "figure7": "recovery of planted truths",
    "figure8": "ablations",
}


def reproduced(document: Document) -> Iterator[str]:
    """Say which figures of the paper are here."""
    rows = []
    for title, (figure, status, how) in PAPERS.items():
        done = status if ok(pick(document, figure)) else "no, it was not measured"
        rows.append([title, done, how])
    yield from table(["in the paper", "reproduced", "how"], rows)
    extra = [words for figure, words in BEYOND.items() if pick(document, figure)]
    yield f"Beyond the paper: {listed(extra)}."
    yield ""


def systems(document: Document) -> Iterator[str]:
    """Say of each system what it is, how it is made fair, and where it departs from its paper."""
    rows = []
    for about in document["systems"].values():
        settings = ", ".join(f"{name}={value}" for name, value in about["settings"].items())
        here = "" if about["here"] else "**not installed here.** "
        checked = [about["checked"]] if "checked" in about else []  # documents of old have none
        rows.append(
            [about["title"], here + about["reference"], about["fair"], about["departs"], *checked,
             f"`{settings}`" if settings else ""]
        )  # fmt: skip
    tested = "what its tests hold it to"
    head = ["system", "from", "made fair by", "departs from its paper", tested, "settings"]
    if len(rows[0]) < len(head):
        head.remove(tested)
    yield "Each has tests of its own in `tests/python/peers`; the table says what they hold it to."
    yield from table(head, rows)


def where(document: Document) -> Iterator[str]:
    """Say where and when everything was measured, and what is missing."""
    packages = ", ".join(f"{name} {release}" for name, release in document["packages"].items())
    yield f"- vest-tucker {document['version']}; {packages}."
    rows = document["rows"]
    for name, title in (("commit", "Commits"), ("machine", "Machines")):
        found = Counter(row[name] for row in rows)
        parts = [f"{each} ({times:,} rows)" for each, times in found.most_common()]
        yield f"- {title}: {listed(parts)}."
    yield from load(document)
    seconds = sum(row["seconds"] for row in rows)
    dates = sorted(row["date"] for row in rows)
    yield (
        f"- {len(rows):,} measurements of {seconds / 60:.0f} minutes together, {dates[0]} to "
        f"{dates[-1]} UTC, scale: {document['scale']}."
    )
    seeds = sorted({row["seed"] for row in rows})
    yield f"- Seeds {seeds[0]} to {seeds[-1]}: each splits the entries and starts the fit."
    absent = [name for name, about in document["sets"].items() if not about["here"]]
    if absent:
        yield f"- Data that was not there: {listed(absent)}."
    wrong = Counter(
        f"{row['figure']}, {row['settings'].get('set', '')}, {_title(document, row)}: "
        f"{row['found']['error']}"
        for row in rows
        if row["found"].get("error")
    )
    for text, times in wrong.items():
        yield f"- Did not end, in {times} of its runs: {text}."
    for figure, times in document["left"].items():
        yield f"- Left out for want of time: {times} measurements of {figure}."
    if "timed" in document:
        rest = [row["load"] for row in rows if row["figure"] not in document["timed"]]
        most = f", and the load went up to {max(rest):.1f}" if rest else ""
        yield f"- Where no seconds are shown, something else may have run beside{most}."
    if document["scale"] == "quick" and "full" in document:
        yield from more_in_full(document["full"])
    yield ""


def load(document: Document) -> Iterator[str]:
    """Say what else ran, going by the rows whose seconds are shown: one process has made them."""
    timed = document.get("timed", ())
    rows = [row for row in document["rows"] if row["figure"] in timed]
    loads = sorted(row["load"] for row in rows if "load" in row)
    if not loads:
        return
    middle = loads[len(loads) // 2]
    words = f"{loads[0]:.1f} to {loads[-1]:.1f}, {middle:.1f} in the middle"
    cores = int(document["machine"].split(",")[1].split()[0])
    threads = max(row["found"].get("threads", 1) for row in rows)
    own = "one thread" if threads == 1 else f"one thread or, for scalability, {threads}"
    busy = (
        "others worked on it, so times are rough, and what was stopped at its limit of seconds "
        "might have ended elsewhere"
        if middle > cores
        else "little else ran"
    )
    yield (
        f"- The load of the machine where seconds are shown was {words}, on {cores} cores, {own} "
        f"of it what was measured: {busy}."
    )


def more_in_full(full: Document) -> Iterator[str]:
    """Say what a full run has more, of the jobs of both scales alone."""
    said = []
    for about in full["figures"].values():
        parts = []
        (few, many), sets = about["seeds"], about["sets"]
        if many > few:
            parts.append(f"{many} seeds in place of {few}")
        if sets:
            parts.append(f"{listed(sets)} as well")
        if about["most"]:
            parts.append(f"sizes up to {listed(about['most'])}")
        before, after = about["jobs"]
        if after > before:
            of = f" ({'; '.join(parts)})" if parts else ""
            said.append(f"{about['title']} {after:,} for {before:,}{of}")
        elif parts:
            said.append(f"{about['title']} {'; '.join(parts)}")
    yield (
        f"- `make experiments-full` has {full['jobs']:,} measurements and takes hours: "
        f"{', '.join(said)}. It has not been run to its end."
    )


def _title(document: Document, row: dict[str, object]) -> str:
    settings = row["settings"]
    assert isinstance(settings, dict)
    name = str(settings.get("system", ""))
    return str(document["systems"].get(name, {}).get("title", name))
