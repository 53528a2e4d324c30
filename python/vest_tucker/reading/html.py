"""What notebooks show of tensors, models and what is asked of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.base.html import QUIET, Raw, escaped, paragraph, preformatted, table, whole
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.labels import some
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model.text import lines, times
from vest_tucker.reading.captions import amount, percent, relation_caption, size_text
from vest_tucker.reading.describe import strongest_relations
from vest_tucker.reading.ordinals import label_text, label_texts

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.reading.describe import Description
    from vest_tucker.reading.effects import Effects
    from vest_tucker.reading.explain import Explanation
    from vest_tucker.reading.groups import Relation
    from vest_tucker.reading.importance import ImportanceTable

UP, DOWN = "#2b7bba", "#d1495b"  # bars of what raises and what lowers, seen on dark and on light
BAR_WIDTH = 8.0  # of the longest bar, in em
SHOWN_CELLS, SHOWN_LABELS, SHOWN_ENTRIES = 10, 6, 5


def bar(value: float, largest: float) -> Raw:
    """Return a bar as long as the magnitude of a value, in the colour of its sign."""
    share = abs(value) / largest if largest > 0.0 and math.isfinite(value) else 0.0
    colour = UP if value >= 0.0 else DOWN
    return Raw(
        f'<span style="display:inline-block;height:0.7em;width:{BAR_WIDTH * share:.2f}em;'
        f'background:{colour}"></span>'
    )


def relations_table(relations: Sequence[Relation], labels: int, unit: str = "") -> str:
    """Return relations as a table: size, bar, share, error without, groups."""
    largest = max((abs(each.size) for each in relations), default=0.0)
    known = any(not math.isnan(each.share) for each in relations)
    head = ["size", "", *(["share", "error without"] if known else []), "relation"]
    rows = [
        [
            size_text(each, unit), bar(each.size, largest),
            *([percent(each.share), f"{each.error_without:.4f}"] if known else []),
            relation_caption(each, labels),
        ]
        for each in relations
    ]  # fmt: skip
    return table(head, rows, numbers=[0, 2, 3] if known else [0])


def description_html(told: Description) -> str:
    """Return a description as HTML."""
    parts = [paragraph(sentence) for sentence in told.sentences]
    for effects in told.effects:
        parts += _effects(effects, told.labels, told.unit)
    families = told.families
    for name, relations in families:
        if len(families) > 1 or told.effects:
            parts.append(f"<p><strong>{escaped(name)}</strong></p>")
        parts.append(relations_table(relations, told.labels, told.unit))
    more = told.n_relations - len(told.relations)
    if more:
        parts.append(paragraph(f"and {more:,} more relation{'' if more == 1 else 's'}", QUIET))
    return whole([*parts, *(paragraph(note, QUIET) for note in told.notes)])


def _effects(effects: Effects, labels: int, unit: str) -> list[str]:
    rows = [
        (label, f"{amount(effect)} {unit}".rstrip())
        for up in (True, False)
        for label, effect in effects.pole(up=up, n=labels)
    ]
    head = next(iter(effects.lines(0, unit)))
    name = effects.group.mode_name
    return [
        f"<p><strong>{escaped(head)}</strong></p>",
        table([name, "effect"], rows, numbers=[1]),
    ]


def explanation_html(explanation: Explanation) -> str:
    """Return explanations as HTML, a table per cell."""
    parts = []
    for number in range(min(len(explanation), SHOWN_CELLS)):
        one = explanation[number]
        total = amount(float(one.totals[0]), 4).removeprefix("+")
        parts.append(f"<p><strong>{escaped(f'{one.title()}: {total}')}</strong></p>")
        told = one.told()
        largest = max((abs(value) for value, _ in told), default=0.0)
        rows = [(amount(value), bar(value, largest), text) for value, text in told]
        parts.append(table(["adds", "", "term"], rows, numbers=[0]))
    if len(explanation) > SHOWN_CELLS:
        parts.append(paragraph(f"and {len(explanation) - SHOWN_CELLS:,} more cells", QUIET))
    return whole(parts)


def importance_html(found: ImportanceTable) -> str:
    """Return what each part carries as HTML."""
    rows = [
        (row.kind, row.text, f"{row.error_without:.4f}", percent(row.share), f"{row.n_nonzero:,}")
        for row in found.shown()
    ]
    head = ["kind", "part", "error without", "share", "non-zeros"]
    error = float(found.measured.error_without(0.0))
    parts = [paragraph(f"error {error:.4f} with all parts"), table(head, rows, numbers=[2, 3, 4])]
    rest = found.rest()
    return whole([*parts, paragraph(f"and {rest}", QUIET)] if rest else parts)


def model_html(model: TuckerModel) -> str:
    """Return the summary of a model as HTML, its strongest relations as a table."""
    parts = [preformatted(lines(model))]
    relations, more = strongest_relations(model)
    if relations:
        parts.append(relations_table(relations, labels=2))
    if more:
        parts.append(paragraph(f"and {more:,} more; model.describe() tells them", QUIET))
    return whole(parts)


def tensor_html(X: SparseTensor) -> str:
    """Return a tensor as HTML: its modes with some of their labels, and its first entries."""
    named = X.mode_labels
    modes = []
    for mode, (name, dim) in enumerate(zip(X.modes, X.shape, strict=True)):
        own = named.labels[mode]
        few = () if own is None else label_texts(listed(own[: SHOWN_LABELS + 1]))
        more = "" if own is None or dim <= SHOWN_LABELS else ", …"
        modes.append((name, f"{dim:,}", some(list(few)[:SHOWN_LABELS], SHOWN_LABELS) + more))
    size = f"{times(X.shape)} tensor, {X.nnz:,} entries, density {X.density:.3g}"
    first = np.arange(min(X.nnz, SHOWN_ENTRIES))
    labels = [listed(named.decode(mode, X.coords[first, mode])) for mode in range(X.order)]
    entries = [
        (*map(label_text, row), f"{value:.6g}")
        for *row, value in zip(*labels, X.values[first].tolist(), strict=True)
    ]
    rest = f"and {X.nnz - len(first):,} more entries" if len(first) < X.nnz else ""
    return whole(
        [
            f"<p><strong>{escaped(size)}</strong></p>",
            table(["mode", "rows", "labels"], modes, numbers=[1]),
            table([*X.modes, "value"], entries, numbers=[X.order]),
            paragraph(rest, QUIET),
        ]
    )
