"""What each part of a model carries, as a table: the error without it, its share, its size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.public import public
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.reading.captions import percent
from vest_tucker.reading.relations import Reading

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

SHOWN = 20  # relations that print shows


class ImportanceRow(NamedTuple):
    """What one part carries.

    ``kind`` is "mean", "biases", "component" or "relation"; ``component`` is a number, or those of
    all modes for a relation; ``growth`` that of the squared error without the part,
    ``error_without`` the relative error without it, ``share`` the growth over what always
    predicting the mean leaves.
    """

    kind: str
    mode: str
    component: str
    name: str
    growth: float
    error_without: float
    share: float
    n_nonzero: int


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

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return the rows as a frame; see `TuckerModel.importance_frame`."""
        columns = {
            name: np.array([getattr(row, name) for row in self.rows])
            for name in ImportanceRow._fields
        }
        return make_frame(columns, backend)

    def __repr__(self) -> str:
        return f"ImportanceTable(rows={len(self.rows)})"

    def _repr_html_(self) -> str:
        from vest_tucker.reading.html import importance_html

        return importance_html(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def importance_of(model: TuckerModel) -> ImportanceTable:
    """Return what each part of a model carries; raise if nobody measured it."""
    measured = model.measured
    if measured is None:
        raise OptionError(
            "nobody has measured what the parts of this model carry; "
            "model = model.measure_importance(X) does, with the entries that it was fitted to"
        )
    rows = [*_base_rows(model, measured), *_component_rows(model, measured)]
    return ImportanceTable([*rows, *_relation_rows(model, measured)], measured)


def _row(
    measured: Importance, kind: str, mode: str, component: str, name: str, growth: float, n: int
) -> ImportanceRow:
    share, without = float(measured.share(growth)), float(measured.error_without(growth))
    return ImportanceRow(kind, mode, component, name, growth, without, share, n)


def _base_rows(model: TuckerModel, measured: Importance) -> Iterator[ImportanceRow]:
    first = (0,) * model.order
    if model.constant and model.core[first] != 0.0:
        yield _row(measured, "mean", "", "", "mean", float(measured.core[first]), 1)
    if model.offset is None:
        return
    if not math.isnan(measured.mean):
        yield _row(measured, "mean", "", "", "mean", measured.mean, 1)
    for mode, (growth, biases) in enumerate(
        zip(measured.offset, model.offset.biases, strict=False)
    ):
        name = model.modes[mode]
        n = int(np.count_nonzero(biases))
        yield _row(measured, "biases", name, "", f"biases of {name}", growth, n)


def _component_rows(model: TuckerModel, measured: Importance) -> Iterator[ImportanceRow]:
    first = 1 if model.constant else 0
    for mode, (growths, factor) in enumerate(zip(measured.components, model.factors, strict=True)):
        used = np.count_nonzero(factor, axis=0)
        order = np.argsort(-growths, kind="stable").tolist()
        for j in (j for j in order if j >= first and used[j]):
            yield _row(
                measured, "component", model.modes[mode], str(j), model.title(mode, j),
                float(growths[j]), int(used[j]),
            )  # fmt: skip


def _relation_rows(model: TuckerModel, measured: Importance) -> Iterator[ImportanceRow]:
    reading = Reading(model)
    for index in reading.places:
        relation = reading.relation(index)
        n = sum(len(group) for group in relation.told)
        yield _row(
            measured, "relation", " × ".join(group.mode_name for group in relation.told),
            ",".join(map(str, index)), relation.title, relation.growth, n,
        )  # fmt: skip


def _lines(table: ImportanceTable) -> Iterator[str]:
    measured = table.measured
    error = float(measured.error_without(0.0))
    yield f"error {error:.4f}; without a part it would be"
    kinds = [row for row in table.rows if row.kind != "relation"]
    relations = [row for row in table.rows if row.kind == "relation"]
    for row in [*kinds, *relations[:SHOWN]]:
        name = row.name
        yield f"  {row.error_without:.4f}  {percent(row.share):>7}  {row.n_nonzero:>7,}  {name}"
    if len(relations) > SHOWN:
        yield f"  and {len(relations) - SHOWN:,} more relations"
    yield (
        "  (error; growth of the squared error, relative to what the mean leaves; non-zeros; part)"
    )
    yield f"nobody explains {percent(measured.unexplained)} of what the mean leaves"
