"""When two tensors are the same, which tests of every format ask."""

from __future__ import annotations

import vest_tucker as vt


def assert_same(got: vt.SparseTensor, want: vt.SparseTensor) -> None:
    """Compare all there is of two tensors, bit for bit; text may be held as it likes."""
    assert (got.shape, got.modes) == (want.shape, want.modes)
    assert got.coords.tobytes() == want.coords.tobytes()
    assert got.values.tobytes() == want.values.tobytes()
    for theirs, mine in zip(got.labels, want.labels, strict=True):
        assert (theirs is None) == (mine is None)
        if theirs is not None and mine is not None:
            assert theirs.dtype.kind == mine.dtype.kind
            assert theirs.tolist() == mine.tolist()
