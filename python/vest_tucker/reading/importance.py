"""What each part of a model carries, as a table: the error without it, its share, its size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.extras import Later
from vest_tucker.base.options import check_whole
from vest_tucker.base.public import public
from vest_tucker.base.text_table import shown_lines
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.reading.captions import TIMES, labels_text, percent, relation_caption
from vest_tucker.reading.relations import Reading

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.reading import html
else:
    html = Later("vest_tucker.reading.html")  # imports this

LABELS = 2  # labels of a group
CUT = ("component", "relation")  # the kinds of which print shows the strongest


class ImportanceRow(NamedTuple):
    """What one part carries.

    ``kind`` is "mean", "biases", "component" or "relation"; ``component`` is a number, or those of
    all modes for a relation; ``growth`` that of the squared error without the part,
    ``error_without`` the relative error without it, ``share`` the growth over what always
    predicting the mean leaves, and ``labels`` the first labels of its groups.
    """

    kind: str
    mode: str
    component: str
    name: str
    growth: float
    error_without: float
    share: float
    n_nonzero: int
    labels: str = ""

    @property
    def text(self) -> str:
        """What it is in words: the name if it was given one, else labels."""
        return f"{self.name}: {self.labels}" if self.kind == "component" else self.labels


@public
@dataclass(frozen=True, eq=False, repr=False)
class ImportanceTable:
    """What each part of a model carries; `TuckerModel.importance` makes it, printing it tells it.

    What two parts explain together is missed without either, and one may make up for another. So
    shares need not add up to what is explained in all.

    Attributes
    ----------
    rows : list of ImportanceRow
        Mean and biases, then the components of each mode, then the relations; the components of a
        mode and the relations with the largest growth first.
    measured : Importance
        What they are made from.
    n : int
        How many relations, and how many components, print shows; ``rows`` has all.
    library : str
        The library of the frame that the entries came in, as "polars"; "" if in none.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
    >>> model = vt.TuckerModel([[1.0]], [[[3.0], [3.0]], [[1.0]]]).measure_importance(X)
    >>> model.importance().rows[-1].error_without
    1.0
    """

    rows: list[ImportanceRow]
    measured: Importance
    n: int = 10
    library: str = ""

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return the rows as a frame; see `TuckerModel.importance_frame`."""
        columns = {
            name: np.array([getattr(row, name) for row in self.rows])
            for name in ImportanceRow._fields
        }
        return make_frame(columns, backend, self.library)

    def shown(self) -> list[ImportanceRow]:
        """Return the rows that print shows: of components and of relations the strongest n."""
        kept: set[int] = set()
        for kind in CUT:
            own = [k for k, row in enumerate(self.rows) if row.kind == kind]
            kept.update(sorted(own, key=lambda k: -self.rows[k].growth)[: self.n])
        return [row for k, row in enumerate(self.rows) if k in kept or row.kind not in CUT]

    def rest(self) -> str:
        """Say how many components and relations print does not show; "" if it shows all."""
        left = [(kind, sum(row.kind == kind for row in self.rows) - self.n) for kind in CUT]
        told = [
            f"{more:,} more {kind}{'' if more == 1 else 's'}" for kind, more in left if more > 0
        ]
        return " and ".join(told)

    def __repr__(self) -> str:
        return f"ImportanceTable(rows={len(self.rows)})"

    def _repr_html_(self) -> str:
        return html.importance_html(self)

    def __str__(self) -> str:
        return shown_lines(_lines(self))


def importance_of(model: TuckerModel, n: int) -> ImportanceTable:
    """Return what each part of a model carries; raise if nobody measured it."""
    n, measured = check_whole("n", n, at_least=0), model.measured
    if measured is None:
        raise OptionError(
            "nobody has measured what the parts of this model carry; "
            "model = model.measure_importance(X) does, with the entries that it was fitted to"
        )
    reading = Reading(model)
    rows = [*_base_rows(model, measured), *_component_rows(reading, measured)]
    return ImportanceTable(
        [*rows, *_relation_rows(reading, measured)], measured, n, model.mode_labels.library
    )


def _row(
    measured: Importance, growth: float, n: int, kind: str, *, mode: str = "", component: str = "",
    name: str, labels: str | None = None,
) -> ImportanceRow:  # fmt: skip
    share, without = float(measured.share(growth)), float(measured.error_without(growth))
    told = name if labels is None else labels
    return ImportanceRow(kind, mode, component, name, growth, without, share, n, told)


def _base_rows(model: TuckerModel, measured: Importance) -> Iterator[ImportanceRow]:
    first = (0,) * model.order
    if model.constant and model.core[first] != 0.0:
        yield _row(measured, float(measured.core[first]), 1, "mean", name="base level")
    if model.offset is None:
        return
    if not math.isnan(measured.mean):
        yield _row(measured, measured.mean, 1, "mean", name="mean")
    pairs = zip(measured.offset, model.offset.biases, strict=False)
    for mode, (growth, biases) in enumerate(pairs):
        own, n = model.modes[mode], int(np.count_nonzero(biases))
        yield _row(measured, growth, n, "biases", mode=own, name=f"biases of {own}")


def _component_rows(reading: Reading, measured: Importance) -> Iterator[ImportanceRow]:
    model = reading.model
    first = 1 if model.constant else 0
    for mode, (growths, factor) in enumerate(zip(measured.components, model.factors, strict=True)):
        used = np.count_nonzero(factor, axis=0)
        order = np.argsort(-growths, kind="stable").tolist()
        for j in (j for j in order if j >= first and used[j]):
            yield _row(
                measured, float(growths[j]), int(used[j]), "component", mode=model.modes[mode],
                component=str(j), name=model.title(mode, j),
                labels=labels_text(reading.group(mode, j), LABELS),
            )  # fmt: skip


def _relation_rows(reading: Reading, measured: Importance) -> Iterator[ImportanceRow]:
    for index in reading.places:
        relation = reading.relation(index)
        yield _row(
            measured, relation.growth, sum(map(len, relation.told)), "relation",
            mode=TIMES.join(group.mode_name for group in relation.told),
            component=",".join(map(str, index)), name=relation.title,
            labels=relation_caption(relation, LABELS),
        )  # fmt: skip


def _lines(table: ImportanceTable) -> Iterator[str]:
    measured = table.measured
    error = float(measured.error_without(0.0))
    yield f"error {error:.4f}; without a part it would be"
    for row in table.shown():
        share, n = percent(row.share), f"{row.n_nonzero:,}"
        yield f"  {row.error_without:.4f}  {share:>7}  {n:>7}  {row.text}"
    if table.rest():
        yield f"  and {table.rest()}"
    yield (
        "  (error; growth of the squared error, relative to what the mean leaves; non-zeros; part)"
    )
    yield f"unexplained: {percent(measured.unexplained)} of what the mean leaves"
