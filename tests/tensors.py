"""When two tensors are the same, which tests of every format ask; and one with few labels."""

from __future__ import annotations

from typing import Any

import numpy as np

import vest_tucker as vt

MODES = ("user", "film", "day")


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


def labelled(coords: Any, values: Any) -> vt.SparseTensor:
    """Make a tensor whose labels are just those of its entries."""
    labels, places = [], []
    modes = (*MODES, "hour")[: np.shape(coords)[1]]
    for name, column in zip(modes, np.asarray(coords).T, strict=True):
        used, at = np.unique(column, return_inverse=True)
        labels.append([f"{name} {i:02}" for i in used])
        places.append(at)
    return vt.SparseTensor(np.stack(places, axis=1), values, modes=modes, labels=labels)
