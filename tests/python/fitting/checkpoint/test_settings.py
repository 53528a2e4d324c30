"""A checkpoint belongs to one call of one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.errors import CheckpointError
from vest_tucker.fitting.checkpoint.settings import data_of, digest, require_same, settings_of


def tensor(seed: int = 0, nnz: int = 30) -> vt.SparseTensor:
    return vt.datasets.synthetic((6, 5, 4), 2, nnz=nnz, seed=seed)[0]


def about(**settings: Any) -> dict[str, Any]:
    call, X = settings.pop("call", "fit"), settings.pop("X", tensor())
    return {"call": call, "data": data_of(X), "settings": settings_of(settings)}


def test_how_a_call_runs_is_not_part_of_it() -> None:
    assert settings_of({"threads": 2, "progress": True, "lam": 1.0}) == {"lam": 1.0}
    require_same("run.ckpt", about(lam=1, threads=1), about(lam=1.0, threads=4))


def test_the_seed_may_be_left_to_the_file() -> None:
    require_same("run.ckpt", about(seed=None), about(seed=None))
    with pytest.raises(CheckpointError, match="seed=1 there, 2 here"):
        require_same("run.ckpt", about(seed=1), about(seed=2))


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ({"call": "path"}, {}, "written by path"),
        ({"X": tensor(nnz=31)}, {}, "nnz 31 there, 30 here"),
        ({"X": tensor(seed=1)}, {}, "same shape, but other entries"),
        ({"ranks": [3, 3, 3]}, {"ranks": 3}, r"ranks=\[3, 3, 3\] there, 3 here"),
        ({"lam": 1.0, "tol": None}, {"lam": 2.0, "tol": 0.1}, "lam=1.0 .*; tol=None there, 0.1"),
        ({"validation": tensor(1)}, {"validation": tensor(2)}, "validation=other content there"),
    ],
)
def test_what_differs_is_said(was: dict[str, Any], now: dict[str, Any], said: str) -> None:
    with pytest.raises(CheckpointError, match=said):
        require_same("run.ckpt", about(**was), about(**now))


def test_content_decides_and_not_identity() -> None:
    model = vt.TuckerModel(np.ones((1, 1)), [np.ones((2, 1)), np.ones((3, 1))])
    same = vt.TuckerModel(np.ones((1, 1)), [np.ones((2, 1)), np.ones((3, 1))])
    assert digest(model) == digest(same)
    assert digest(tensor()) == digest(tensor())
    assert digest({"user": [("ann", 1)]}) != digest({"user": [("ann", 2)]})
    assert digest([np.ones(2)]) != digest([np.ones((2, 1))])
