"""``path``: the curve, and the model at its knee."""

from __future__ import annotations

from pathlib import Path

import pytest

import vest_tucker as vt
from command_line import run


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=1500, sparsity=0.5, seed=0)
    path = tmp_path_factory.mktemp("path") / "X.npz"
    vt.write(X, path)
    return path


WORDS = "--ranks 2 --seed 0 --step 0.2"


def test_the_curve_and_the_model_at_the_knee(file: Path, tmp_path: Path) -> None:
    outputs = f"-o {tmp_path / 'model.npz'} --curve {tmp_path / 'curve.csv'}"
    shown = run("path", file, WORDS, outputs)
    assert shown.code == 0, shown.err
    assert shown.out
    names, *rows = (tmp_path / "curve.csv").read_text().splitlines()
    assert names.startswith("sparsity,n_nonzero,n_parameters,error")
    assert len(rows) > 3
    model = vt.TuckerModel.load(tmp_path / "model.npz")
    told = run("path", file, WORDS, "--json").json
    assert told["model"]["error"] == model.error
    assert len(told["steps"]) == len(rows)
    assert told["steps"][told["best"]]["error"] == model.error


def test_the_curve_alone_goes_into_a_pipe(file: Path, tmp_path: Path) -> None:
    shown = run("path", file, WORDS, "--curve", "-", "-o", tmp_path / "model.npz")
    assert shown.out.startswith("sparsity,")
    assert "Path" not in shown.out
    assert (tmp_path / "model.npz").is_file()
