"""A checkpoint belongs to one call of one tensor."""

from __future__ import annotations

from pathlib import Path
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


def test_what_lies_anywhere_is_refused() -> None:
    """Where an object lies is another number in every process: nothing would ever be resumed."""
    with pytest.raises(CheckpointError, match="cannot be recognized when it is made again"):
        digest([object()])


def test_iterators_are_read_to_be_recognized(tmp_path: Path) -> None:
    options: dict[str, Any] = {"preset": "paper", "max_iter": 2, "lam": 0.01, "seed": 0}
    path = tmp_path / "run.ckpt"
    whole = vt.fit(tensor(), [2, 2, 2], nonnegative=["mode_1"], **options)
    for _ in range(2):
        again = vt.fit(
            tensor(), iter([2, 2, 2]), nonnegative=iter(["mode_1"]), checkpoint=path, **options
        )
        assert again.core.tobytes() == whole.core.tobytes()
    with pytest.raises(CheckpointError, match="ranks"):
        vt.fit(tensor(), iter([2, 2, 1]), nonnegative=["mode_1"], checkpoint=path, **options)
