"""``describe``: what there is to know before a fit."""

from __future__ import annotations

import pytest

from command_line import TABLE, run


def test_what_there_is_to_know() -> None:
    pytest.importorskip("pyarrow")
    shown = run("describe", "-", "--value", "stars", stdin=TABLE)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("Tensor of order 3: 3 who x 3 dish x 3 hour")
    told = run("describe", "-", "--ranks", "2", "--json", stdin=TABLE).json
    assert (told["command"], told["schema_version"]) == ("describe", 1)
    assert told["tensor"]["nnz"] == 6
    assert told["tensor"]["ranks"] == [2, 2, 2]
