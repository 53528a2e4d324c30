"""A group of labels: poles, parts, and effects in the unit of the values."""

from __future__ import annotations

import numpy as np
import pytest

from small import made
from vest_tucker.reading.relations import relations


def test_parts_of_a_group_keep_what_belongs_to_each_label() -> None:
    model = made([[2.0]], [[[1.0], [-4.0], [0.0], [2.0]], [[1.0], [1.0]]], modes=("who", "hour"))
    (relation,) = relations(model)
    who = relation.groups[0]
    assert len(who) == 3
    assert not who.named
    assert who.effects == pytest.approx(who.weights * who.scale)
    for pole, sign in ((who.positive, 1.0), (who.negative, -1.0)):
        assert (np.sign(pole.weights) == sign).all()
        assert pole.effects.tolist() == [
            effect for effect, row in zip(who.effects, who.rows, strict=True) if row in pole.rows
        ]
    # The strongest labels of the first poles: who 3, of weight 2, and any hour.
    assert relation.peak == pytest.approx(2.0 * 2.0)
    # No size is above it, though who 1, on the second side, weighs more than both together.
    assert relation.size == relation.peak
    assert relation.opposite == pytest.approx(-2.0 * 4.0)
    assert [each.second for each in relation.strongest] == [(False, False), (True, False)]
    assert (relation.order, relation.title) == (2, "who 0 × hour 0")
    assert model.name("who", 0, "birds") is model
    (named,) = relations(model)
    assert named.groups[0].named
    assert named.title == "birds × hour 0"
