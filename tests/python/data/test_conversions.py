"""What tensors are made of gives tensors, of a subclass as well."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt

pd = pytest.importorskip("pandas")
sp = pytest.importorskip("scipy.sparse")


class Mine(vt.SparseTensor):
    __slots__ = ()


def test_constructors_of_a_subclass_return_the_subclass() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "value": [1.0, 2.0]})
    made = [
        Mine.from_frame(frame, ["a", "b"]),
        Mine.from_scipy(sp.eye_array(2, format="csr")),
        Mine.from_dense(np.eye(2)),
    ]
    assert all(type(each) is Mine for each in made)


def test_the_first_entries_as_a_frame() -> None:
    X = vt.SparseTensor([[0, 1], [1, 0]], [4, 2], labels=[["eve", "bob"], None], weights=[1, 3])
    assert X.head(1).to_dict("list") == {"mode_0": ["eve"], "mode_1": [1], "value": [4.0],
                                         "weight": [1.0]}  # fmt: skip
    assert X.head(9, value="stars").equals(X.to_frame(value="stars"))
    with pytest.raises(vt.errors.OptionError, match="n is 0"):
        X.head(0)
