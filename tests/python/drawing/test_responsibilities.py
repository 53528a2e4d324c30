"""Curves of what elements carry, from most to least."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import finished, model_of, pyplot


def test_a_curve_per_part(sparse: vt.TuckerModel, entries: vt.SparseTensor, style: str) -> None:
    ax = pyplot.figure().subplots()
    assert finished(sparse.plot.responsibilities(entries, ax=ax)) is ax
    parts = sparse.responsibilities(entries)
    assert len(ax.get_lines()) == 4
    for line, part in zip(ax.get_lines(), parts, strict=True):
        expected = np.sort(part[part > 0])[::-1] / entries.norm**2
        np.testing.assert_allclose(line.get_ydata(), expected)
    looks = {(each.get_linestyle(), each.get_marker()) for each in ax.get_lines()}
    assert len(looks) == 4


def test_nothing_carries() -> None:
    model = model_of([[0.0]], [[[1.0], [1.0]], [[1.0]]])
    with pytest.raises(vt.errors.OptionError, match="no element carries"):
        model.plot.responsibilities(vt.SparseTensor([[0, 0]], [1.0], shape=(2, 1)))
