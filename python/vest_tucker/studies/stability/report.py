"""What a report says of stability: which components, labels and relations come back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.model.frames import top_rows
from vest_tucker.reading.relations import Reading
from vest_tucker.report import svg
from vest_tucker.report.csv import link
from vest_tucker.report.html import Html, join, label, tag
from vest_tucker.report.model_page import Extra, with_short_names
from vest_tucker.report.numbers import count, percent, shown
from vest_tucker.report.sections.words import group_cell
from vest_tucker.report.tables import Table, texts
from vest_tucker.report.tabular import fold, section, table
from vest_tucker.studies.stability.frames import (
    component_columns,
    interaction_columns,
    label_columns,
    mean_of_others,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vest_tucker.studies.stability.result import Stability

LABELS = 8  # of each component


def stability_section(result: Stability) -> Extra:
    """Return the section about what comes back in other fits."""
    result = dataclasses.replace(result, models=[*map(with_short_names, result.models)])
    others = len(result.models) - 1
    title = "Does it come back?"
    if not others:
        content = section("stability", title, tag("p", "There is no other fit to compare with."))
        return Extra("stability", title, content)
    content = section(
        "stability", title, *_sentences(result, others), _components(result, others),
        *(_labels(result, mode) for mode in range(result.reference.order)), _downloads(result),
    )  # fmt: skip
    core = result.core
    returned = core.returned.sum(axis=0).reshape(core.value.shape).astype(np.int64)
    return Extra("stability", title, content, returned, others)


def _sentences(result: Stability, others: int) -> Iterator[Html]:
    back = [
        found.returned[:, _components_of(result, mode)].sum(axis=0)
        for mode, found in enumerate(result.modes)
    ]
    returns = np.concatenate(back)
    always = int(np.count_nonzero(returns == others))
    groups = (
        f"All of its {count(len(returns), 'group')}"
        if always == len(returns)
        else f"Of its {count(len(returns), 'group')}, {always:,}"
    )
    errors = [model.error for model in result.models]
    yield tag(
        "p",
        f"The same fit was made {count(others + 1, 'time')} from different random starts; their "
        f"errors run from {shown(min(errors), 4)} to {shown(max(errors), 4)}. This page is about "
        f"the best of them. {groups} came back in all others: what comes back is in the data, what "
        f"does not may be chance.",
    )
    found = result.core.returned.sum(axis=0)[_relations(result)]
    yield tag(
        "p",
        f"Of {count(len(found), 'relation')}, {int(np.count_nonzero(found == others)):,} came back "
        f"in all others, and {int(np.count_nonzero(2 * found >= others)):,} in at least half.",
    )


def _relations(result: Stability) -> NDArray[np.intp]:
    """Return the places, in the flat core, of what the page tells as relations of several modes.

    The mean, effects of one mode, and elements that meet a column of zeros are none.
    """
    model = result.reference
    least = 2 if model.constant else 0  # a constant column stands for whatever label
    told = [place for place in Reading(model).places if np.count_nonzero(place) >= least]
    return np.array([np.ravel_multi_index(each, model.core.shape) for each in told], dtype=np.intp)


def _components(result: Stability, others: int) -> Html:
    rows: list[list[object]] = []
    reading = Reading(result.reference)
    for mode, found in enumerate(result.modes):
        similarity = mean_of_others(found.similarity)
        for component in _components_of(result, mode):
            returns = int(found.returned[:, component].sum())
            rows.append([
                group_cell(reading.group(mode, component)),
                tag("span", result.reference.modes[mode], dir="auto"),
                tag("span", svg.bar(returns, others)), f"{returns} of {others}",
                shown(float(similarity[component])), shown(found.chance),
            ])  # fmt: skip
    columns = ["group", "mode", "", "#comes back", "#similarity", "#by chance"]
    enough = f"a group comes back where its similarity is at least {result.threshold:g}"
    return table(f"In how many other fits each group comes back; {enough}", columns, rows)


def _components_of(result: Stability, mode: int) -> list[int]:
    """Return the components of a mode that have elements, a constant column left out."""
    found: list[int] = np.flatnonzero(result.modes[mode].exists).tolist()
    return [each for each in found if each or not result.reference.constant]


def _labels(result: Stability, mode: int) -> Html:
    found, name = result.modes[mode], result.reference.modes[mode]
    rows = []
    for component in _components_of(result, mode):
        at = top_rows(found.loading, component, LABELS)
        named = texts(result.reference.mode_labels.decode(mode, at))
        shares = found.nonzero[at, component].tolist()
        told = [
            join([label(text), "" if math.isnan(share) else f" {percent(share)}"])
            for text, share in zip(named, shares, strict=True)
        ]
        rows.append([label(result.reference.title(mode, component)), join(told, ", ")])
    caption = "The strongest labels, and in which share of the fits with the group they are in it"
    return fold(f"Labels of {name} that come back", table(caption, ["group", "labels"], rows))


def _downloads(result: Stability) -> Html:
    links = [link(each) for each in stability_tables(result)]
    return tag("p", "All of it: ", join(links, ", "), class_="downloads-part")


def stability_tables(result: Stability) -> Iterator[Table]:
    """Yield what there is to download: groups, relations, and the labels of each mode."""
    yield _as_table("stability-groups", component_columns(result))
    yield _as_table("stability-relations", interaction_columns(result))
    for mode in range(result.reference.order):
        yield _as_table(f"stability-labels-{mode}", label_columns(result, mode, nonzero=True))


def _as_table(name: str, columns: dict[str, NDArray[np.generic]]) -> Table:
    lists = [
        texts(each) if each.dtype.kind in "OUMmT" else each.tolist() for each in columns.values()
    ]
    rows = [list(row) for row in zip(*lists, strict=True)]
    return Table(name, name, tuple(columns), rows)
