"""Terms of many cells: in batches as at once, in the order that a reader builds a sum up."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.reading.terms import KINDS, ORDER


def test_many_cells_in_batches(town: vt.TuckerModel, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = vt.datasets.demo().coords[:50]
    whole = town.explain(cells)
    monkeypatch.setattr("vest_tucker.reading.terms.AT_ONCE", 30)
    parts = town.explain(cells)
    np.testing.assert_array_equal(whole.cells, parts.cells)
    np.testing.assert_array_equal(whole.values, parts.values)
    assert whole.texts.tolist() == parts.texts.tolist()


def test_terms_are_sorted_by_cell_kind_and_size(
    rated: vt.TuckerModel, ratings: vt.SparseTensor
) -> None:
    found = rated.explain(ratings.coords[:200])
    rank = ORDER[[KINDS.index(kind) for kind in found.kinds.tolist()]]
    keys = list(
        zip(found.cells.tolist(), rank.tolist(), (-abs(found.values)).tolist(), strict=True)
    )
    assert keys == sorted(keys)
    assert found.index[found.kinds == "mean"].tolist() == [[0, 0, 0]] * 200


def test_every_term_is_a_product_of_elements(rated: vt.TuckerModel) -> None:
    cells = np.argwhere(np.ones((5, 4, 3)))
    found = rated.explain(cells)
    for cell, index, value in zip(found.cells, found.index, found.values, strict=True):
        rows = [rated.factors[n][cells[cell, n], index[n]] for n in range(3)]
        assert value == pytest.approx(rated.core[tuple(index)] * np.prod(rows), rel=1e-12)
