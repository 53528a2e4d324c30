"""What a model shows; its frames are in test_tidy.py, other packages in test_exports.py."""

from __future__ import annotations

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
    with pytest.raises(vt.OptionError, match="component is 2; there are those from 0 to 1"):
        named.top("user", 2)
    with pytest.raises(vt.ModeError, match="no mode 'movie'"):
        named.top("movie", 0)
