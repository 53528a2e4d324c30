"""``path``: the curve, and the model at its knee."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt
from command_line import run
from vest_tucker.cli.commands.path import curve
from vest_tucker.studies.path.result import NoisyStep


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


@pytest.mark.parametrize("words", ["-o - --curve -", "--curve - --json", "-o - --json"])
def test_two_results_in_one_stream_are_refused(file: Path, words: str) -> None:
    shown = run("path", file, WORDS, words)
    assert (shown.code, shown.out) == (2, "")
    assert "cannot share standard output" in shown.err


def test_the_curve_has_all_that_the_stops_know() -> None:
    shared = {"sparsity": 0.5, "n_nonzero": 7, "n_parameters": 8, "error": 0.25}
    held = {"validation_error": 0.5, "validation_spread": 0.1, "criterion": -3.0}
    step = NoisyStep(**shared, **held, pruned=0.75, worthless=0.125)  # type: ignore[arg-type]
    found: Any = SimpleNamespace(steps=(step,))
    names, row = curve(found).splitlines()
    assert names.split(",")[-2:] == ["pruned", "worthless"]
    assert row.split(",")[-2:] == ["0.75", "0.125"]
