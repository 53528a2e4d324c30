"""Studies that end anywhere go on from their checkpoints, by the same call or by `resume`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from killing import Killed, kill_at
from vest_tucker.base.errors import CheckpointError, OptionError

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "fit": (vt.fit, {"ranks": 2, "sparsity": 0.4, "offset": "mean", "holdout": 0.0}),
    "path": (vt.path, {"ranks": 2, "step": 0.2, "offset": "mean"}),
    "path, structure and ranks to be found": (vt.path, {"step": 0.1}),
    "a path of the paper's": (vt.path, {"ranks": 2, "loss": "lf", "step": 0.1, "n_starts": 2}),
    "stability": (vt.stability, {"n_seeds": 3, "ranks": 2, "loss": "lf", "lam": 0.1}),
    "stability of plain fits": (vt.stability, {"n_seeds": 2, "offset": "mean", "ranks": 2}),
    "cross_validate": (vt.cross_validate, {"k": 2, "ranks": 2, "loss": "lf", "lam": 0.1}),
}


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    rng = np.random.default_rng(0)
    X, _ = vt.datasets.synthetic((12, 10, 8), 2, nnz=500, noise=0.3, seed=1)
    labels = [[f"user {n}" for n in range(12)], None, rng.permutation(8)]
    return vt.SparseTensor(X.coords, X.values, shape=X.shape, labels=labels)


def bits(result: Any) -> list[Any]:
    if isinstance(result, vt.TuckerModel):
        arrays = [result.core, *result.factors]
        return [[each.tobytes() for each in arrays], result.error, str(result.labels)]
    if isinstance(result, vt.Path):
        steps = [repr(step) for step in result.steps]
        return [steps, [bits(result.at(sparsity=share)) for share in (0.1, 0.5, 0.9)]]
    return [bits(model) for model in result.models]


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * ("found" in each)) for each in CALLS]
)
def test_a_call_that_ends_anywhere_is_resumed_to_the_same_bits(
    name: str, tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, options = CALLS[name]
    path = tmp_path / "run.ckpt"
    whole = call(tensor, **options, seed=4)
    rounds = kill_at(monkeypatch, 10**9)
    assert bits(call(tensor, **options, seed=4, checkpoint=path)) == bits(whole)
    n_rounds = rounds()
    for at in np.random.default_rng(1).integers(1, n_rounds, size=3).tolist():
        path.unlink()
        kill_at(monkeypatch, at)
        with pytest.raises(Killed):
            call(tensor, **options, seed=4, checkpoint=path)
        rounds = kill_at(monkeypatch, 10**9)
        assert bits(vt.resume(path, tensor)) == bits(whole)
        assert rounds() <= n_rounds - at


# What is given again to go on, for the file has only a fingerprint of it.
GIVEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "constraints": (
        {"ranks": 2, "loss": "lf", "lam": 0.1, "nonnegative": ["mode_1", "core"],
         "support": {"mode_2": [([0, 1], [0]), (2, 1)]}, "keep": {"mode_1": [(0, 0)]}},
        {},
    ),
    "constraints of a plain call": (
        {"ranks": 2, "nonnegative": "mode_1", "support": {"mode_2": [(0, 0), (1, 1)]}},
        {},
    ),
    "a fixed factor": (
        {"ranks": (2, 2, 2), "loss": "lf", "lam": 0.1},
        {"fixed": {"mode_1": np.linspace(0.5, 1.5, 20).reshape(10, 2)}},
    ),
    "validation": (
        {"ranks": 2, "loss": "lf", "lam": 0.1, "patience": 3},
        {"validation": vt.datasets.synthetic((12, 10, 8), 2, nnz=60, noise=0.3, seed=2)[0]},
    ),
    "validation of a plain call": (
        {"ranks": 2},
        {"validation": vt.datasets.synthetic((12, 10, 8), 2, nnz=60, noise=0.3, seed=2)[0]},
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*of validation:vest_tucker.errors.OverlapWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GIVEN)
def test_what_is_given_again_goes_on_to_the_same_bits(
    name: str, weighted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = vt.datasets.synthetic((12, 10, 8), 2, nnz=500, noise=0.3, seed=1)
    if weighted:
        X = X.with_weights(np.linspace(0.5, 3.0, X.nnz))
    options, again = GIVEN[name]
    path = tmp_path / "run.ckpt"
    call: dict[str, Any] = {**options, **again, "seed": 4, "checkpoint": path}
    rounds = kill_at(monkeypatch, 10**9)
    whole = vt.fit(X, **call)
    at = np.random.default_rng(len(name)).integers(1, rounds())
    path.unlink()
    kill_at(monkeypatch, int(at))
    with pytest.raises(Killed):
        vt.fit(X, **call)
    kill_at(monkeypatch, 10**9)
    assert bits(vt.resume(path, X, **again)) == bits(whole)


def test_what_the_file_has_only_a_fingerprint_of_is_asked_for(
    tensor: vt.SparseTensor, tmp_path: Path
) -> None:
    train, test = vt.train_test_split(tensor, test=0.2, seed=0)
    path, options = tmp_path / "run.ckpt", {"ranks": 2, "loss": "lf", "lam": 0.1}
    model = vt.fit(train, **options, validation=test, seed=0, checkpoint=path)  # type: ignore[arg-type]
    with pytest.raises(CheckpointError, match=r"written with validation=, of which it has only"):
        vt.resume(path, train)
    with pytest.raises(CheckpointError, match="validation=other content"):
        vt.resume(path, train, validation=train)
    assert bits(vt.resume(path, train, validation=test, threads=2)) == bits(model)


def test_settings_are_those_of_the_file(tensor: vt.SparseTensor, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    vt.fit(tensor, 2, loss="lf", lam=0.1, seed=0, checkpoint=path)
    with pytest.raises(OptionError, match=r"lam is a setting of the file, 0\.1, and cannot"):
        vt.resume(path, tensor, lam=0.2)
    with pytest.raises(FileNotFoundError):
        vt.resume(tmp_path / "none.ckpt", tensor)


def test_a_checkpoint_that_is_not_there(tensor: vt.SparseTensor, tmp_path: Path) -> None:
    told = r"there is no checkpoint '.*nope\.ckpt'; look whether the name is right"
    with pytest.raises(vt.errors.MissingFileError, match=told):
        vt.resume(tmp_path / "nope.ckpt", tensor)
