"""The first screen: in plain words what was found, how sure that is, and what is unexplained."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from vest_tucker.reading.effects import Effects
from vest_tucker.reading.groups import Relation
from vest_tucker.report import svg
from vest_tucker.report.html import Html, join, tag
from vest_tucker.report.numbers import count, percent, shown
from vest_tucker.report.sections.effects import address as effects_address
from vest_tucker.report.sections.effects import effects_sentence
from vest_tucker.report.sections.words import address, sentence
from vest_tucker.report.tables import ModelTables
from vest_tucker.report.tabular import section

MOST = 6  # sentences
MOST_EFFECTS = 3  # of them, about single labels


def short(tables: ModelTables) -> Html:
    """Return the first section of a page about a model."""
    found = tag("div", tag("h3", "What it found"), *_found(tables))
    sure = tag(
        "div", tag("h3", "How sure that is"), *_sure(tables),
        tag("h3", "What remains unexplained"), *_unexplained(tables),
    )  # fmt: skip
    return section("short", "In short", _figures(tables), tag("div", found, sure, class_="short"))


def _figures(tables: ModelTables) -> Html:
    figures = [tag("div", tag("dt", big), tag("dd", text)) for big, text in _facts(tables)]
    return tag("dl", *figures, class_="figures")


def _facts(tables: ModelTables) -> Iterator[tuple[str, str]]:
    model, quality = tables.model, tables.quality
    if math.isfinite(quality.explained):
        where = "the values it was fitted to"
        if quality.is_held_out and math.isfinite(quality.held_mean):
            n = f"{quality.n_held:,} " if quality.n_held else ""
            where = f"{n}values held out while it was chosen"
        yield (
            percent(max(0.0, quality.explained)),
            f"of the variation in {where} is explained by the model",
        )
    else:
        yield "not known", "how much of the variation the model explains"
    n_groups = sum(len(tables.groups(mode)) for mode in range(model.order))
    yield (
        f"{tables.n_relations:,}",
        f"relation{'' if tables.n_relations == 1 else 's'} between {count(n_groups, 'group')} of "
        f"labels{', beside what single labels do' if tables.effects else ''}",
    )
    yield (
        percent(model.sparsity),
        f"of its numbers are zero: {model.n_nonzero:,} are left to read",
    )


def _found(tables: ModelTables) -> Iterator[Html]:
    if not tables.relations and not tables.effects:
        yield tag(
            "p", "Nothing beyond ", _baseline(tables),
            ": no groups of labels that belong together were found in these values.",
        )  # fmt: skip
        return
    found: list[Effects | Relation] = [*tables.effects[:MOST_EFFECTS], *tables.relations]
    if all(math.isfinite(each.growth) for each in found):
        found.sort(key=lambda each: -each.growth)
    items, told = [], 0
    for each in found[:MOST]:
        if isinstance(each, Effects):
            text, anchor = effects_sentence(each, tables.unit), effects_address(each)
        else:
            text, anchor = sentence(each, tables.unit), address(each)
            told += 1
        items.append((text, anchor, each.index))
    yield tag(
        "ol",
        *(
            tag("li", text, " ", *_came_back(tables, index),
                tag("a", "more", href=f"#{anchor}", aria_label="more about this"))
            for text, anchor, index in items
        ),
        class_="found",
    )  # fmt: skip
    rest = tables.n_relations - told
    if rest:
        more = "weaker relation" if told else "relation"
        weaker = f"{count(rest, more)} {'follows' if rest == 1 else 'follow'}"
        yield tag("p", weaker, tag("a", " below", href="#relations"), ".", class_="quiet")
    if tables.model.constant and tables.model.shares:
        words = ("single modes", "pairs of modes", "triples of modes")
        parts = [
            f"{words[k] if k < len(words) else f'{k + 1} modes together'} {percent(share)}"
            for k, share in enumerate(tables.model.shares)
        ]
        yield tag("p", f"Of what is explained, {', '.join(parts)}.")


def _came_back(tables: ModelTables, index: tuple[int, ...] | None) -> Iterator[Html]:
    """Yield whether a relation came back in other fits, if there are any."""
    text = tables.came_back(index)
    if text:
        yield tag("span", f"It {text}. ", class_="quiet")


def _baseline(tables: ModelTables) -> str:
    offset = tables.model.offset
    if offset is not None and offset.biases:
        return "a mean and one bias per label"
    return "the mean" if offset is not None or tables.model.constant else "zero"


def _sure(tables: ModelTables) -> Iterator[Html]:
    quality = tables.quality
    if quality.is_held_out:
        n = f"{quality.n_held:,} entries" if quality.n_held else "entries"
        better = quality.better
        if not math.isfinite(better):
            verdict = f"is {shown(quality.held)}"
        elif abs(better) < 0.005:
            verdict = f"is no lower than that of {quality.rival}: do not rely on these groups"
        elif better < 0.0:
            verdict = (
                f"is {percent(-better)} higher than that of {quality.rival}: do not rely on "
                "these groups"
            )
        else:
            verdict = f"is {percent(better)} lower than that of {quality.rival}"
        yield tag(
            "p", f"Its error on {n} that were held out {verdict}. ",
            tag("a", "How good it is", href="#quality"), ".",
        )  # fmt: skip
    else:
        yield tag(
            "p",
            "No entries were held out, so how good it is on values that it has not seen was not "
            "measured.",
        )
    text = _certainty(tables)
    if text:
        yield tag("p", text)


def _certainty(tables: ModelTables) -> str:
    """Say whether what was found comes back in other fits, or that nobody looked."""
    if not tables.n_relations:
        return ""
    if tables.returned is None:
        return (
            "All this was found from one start. Whether the groups come back from other starts was "
            "not measured; vt.stability(X) measures it."
        )
    found = tables.returned[tuple(np.array(tables.places).T)]
    half = int(np.count_nonzero(2 * found >= tables.others))
    return (
        f"Of {count(tables.n_relations, 'relation')}, {half:,} came back in at least half of "
        f"{count(tables.others, 'other fit')} from other starts."
    )


def _unexplained(tables: ModelTables) -> Iterator[Html]:
    quality = tables.quality
    share = quality.explained
    if math.isfinite(share):
        share = min(1.0, max(0.0, share))
        parts = [
            (f"explained {percent(share)}", share, "plus"),
            (f"unexplained {percent(1.0 - share)}", 1.0 - share, "rest"),
        ]
        title = f"{percent(share)} of the variation explained, {percent(1.0 - share)} not"
        keys = [
            tag("span", tag("span", class_=f"key {kind}", aria_hidden="true"), text)
            for text, _, kind in parts
        ]
        yield join([svg.shares(parts, title), tag("p", *keys, class_="legend")])
    scatter = tables.scatter()
    if scatter:
        text = f"{scatter[:1].upper()}{scatter[1:]} around what the model says"
        yield tag("p", f"{text}: noise, or structure that it does not see.")
    elif not math.isfinite(share):
        yield tag("p", "That was not measured.")
