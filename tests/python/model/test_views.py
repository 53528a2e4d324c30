"""What a model shows; its frames are in test_tidy.py, other packages in test_exports.py."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, labelled


def test_top_is_the_strongest_first_and_never_zero(model: vt.TuckerModel) -> None:
    named = labelled(model)
    users = named.top("user", component=1)
    column = named.factors[0][:, 1]
    assert users == sorted(users, key=lambda pair: -abs(pair[1]))
    assert {user for user, _ in users} == {"ann", "Zoë", ""}
    assert users[0] == (LABELS[0][column.argmax()], column.max())
    assert named.top(0, 1, n=1) == users[:1]
    assert named.top("user", 1, n=0) == []
    with pytest.raises(vt.errors.OptionError, match="component is 2; there are those from 0 to 1"):
        named.top("user", 2)
    with pytest.raises(vt.errors.ModeError, match="no mode 'movie'"):
        named.top("movie", 0)


def test_a_constant_column_has_no_strongest_labels() -> None:
    ones = np.array([[1.0, 0.5], [1.0, -1.0]])
    model = vt.TuckerModel(np.array([[3.0, 1.0], [1.0, 0.0]]), [ones, ones], constant=True)
    with pytest.raises(vt.errors.OptionError, match=r"constant column.*bias_frame\(1\)"):
        model.top(1, 0)
    assert model.top(1, 1) == [(1, -1.0), (0, 0.5)]
