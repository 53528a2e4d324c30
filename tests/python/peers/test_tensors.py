"""The tensors of `make peers`: split so that no entry is fitted and judged."""

from __future__ import annotations

import pytest

from peers.tensors import TENSORS, available


@pytest.mark.parametrize("name", TENSORS)
def test_no_entry_is_fitted_and_judged(name: str) -> None:
    if not available(name):
        pytest.skip("$VEST_DATA has no such file")
    split = TENSORS[name]()
    fitted = set(map(tuple, split.coords.tolist()))
    judged = set(map(tuple, split.test_coords.tolist()))
    assert not fitted & judged
    assert 0.08 < len(judged) / (len(fitted) + len(judged)) < 0.12
    assert len(split.ranks) == len(split.shape) == split.coords.shape[1]
    assert (split.coords.max(axis=0) < split.shape).all()
    assert (split.test_coords.max(axis=0) < split.shape).all()
