"""Workers that make whole fits run the same kernels, those that join later, too."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt
from clustered import both

pytest.importorskip("distributed")
from vest_tucker.dask.fitting.builds import own_build
from vest_tucker.dask.whole import kernels, tasks


def norm(X: vt.SparseTensor, _: int) -> float:
    return X.norm


def test_the_best_kernels_of_all_must_be_the_same() -> None:
    own = own_build()
    fewer = own._replace(isas=own.isas[:1])
    assert not kernels.differing({"a": own, "b": fewer})
    assert not kernels.differing({})
    assert kernels.common({"a": own, "b": fewer}) == fewer
    assert kernels.common({}) == own
    many = dict.fromkeys("abcde", own) | {"f": own._replace(isas=("none",))}
    assert kernels.differing(many).endswith(f"({own.isas[0]} on a, b, c and others; none on f)")


@pytest.mark.parametrize(
    ("other", "message"),
    [({"isas": ("none",)}, "runs the kernels"), ({"numpy": "1.2"}, "other versions .*numpy")],
)
def test_a_worker_that_joins_later_is_refused(
    client: Any, other: dict[str, Any], message: str
) -> None:
    here, _ = both(client)
    wanted = own_build()._replace(**other)
    with pytest.raises(vt.errors.ClusterError, match=f"the worker inproc://.* {message}"):
        tasks.WholeTensor.of(here, client, 1, wanted).beside(norm, [1])(1)
