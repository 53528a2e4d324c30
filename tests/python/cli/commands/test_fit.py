"""``fit``: a file becomes a model, which is that of `vt.fit`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from command_line import TABLE, run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=1500, noise=0.1, seed=0)
    train, test = vt.train_test_split(X, test=0.2, seed=0)
    vt.write(train, tmp_path / "train.npz")
    vt.write(test, tmp_path / "test.npz")
    return tmp_path


def test_the_model_is_that_of_python(files: Path) -> None:
    words = "--ranks 2 2 2 --preset paper --lam 0.01 --sparsity 0.3 --seed 1"
    shown = run("fit", files / "train.npz", "-o", files / "model.npz", words)
    assert shown.code == 0, shown.err
    assert shown.err == f"wrote {files / 'model.npz'}\n"
    X = vt.read(files / "train.npz")
    expected = vt.fit(X, ranks=(2, 2, 2), preset="paper", lam=0.01, sparsity=0.3, seed=1)
    model = vt.TuckerModel.load(files / "model.npz")
    assert np.array_equal(model.core, expected.core)
    assert shown.out.splitlines()[0] == str(expected).splitlines()[0]


def test_a_plain_call_with_json(files: Path) -> None:
    told = run("fit", files / "train.npz", "--seed", "0", "--json").json
    assert told["model"]["ranks"] == [2, 2, 2]
    assert told["model"]["validation_error"] < 0.3
    assert told["output"] is None


def test_a_model_that_is_not_saved_is_told(files: Path) -> None:
    words = "--ranks 2 --loss lf --lam 0.01 --seed 0"
    shown = run("fit", files / "train.npz", words)
    assert (shown.code, shown.err) == (0, "no model was saved; -o model.npz keeps it\n")
    assert run("fit", files / "train.npz", words, "--quiet").err == ""


def test_files_in_place_of_tensors_and_models(files: Path) -> None:
    words = "--ranks 2 --loss lf --lam 0.01 --seed 0 --json"
    outputs = f"-o {files / 'first.npz'} --validation {files / 'test.npz'}"
    first = run("fit", files / "train.npz", outputs, words).json["model"]
    assert first["validation_error"] < 0.5
    words += f" --warm-start {files / 'first.npz'} --max-iter 1"
    second = run("fit", files / "train.npz", words).json["model"]
    assert second["n_iter"] == 1
    assert second["error"] < 0.5


def test_validation_of_a_table_is_read_alike(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.csv").write_text(TABLE.replace("stars", "moons"))
    (tmp_path / "b.csv").write_text("moons,dish,who,hour\n3,soup,eve,8\n2,tea,ann,18\n")
    options = "--modes who dish hour --value moons --ranks 1 --loss lf --seed 0 --json"
    files = f"{tmp_path / 'a.csv'} --validation {tmp_path / 'b.csv'}"
    assert run("fit", files, options).json["model"]["validation_error"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [("-o - --report -", "-o - and --report -"), ("-o - --json", "-o - and --json"),
     ("--report - --json", "--report - and --json")],
)  # fmt: skip
def test_two_results_in_one_stream_are_refused(files: Path, words: str, said: str) -> None:
    shown = run("fit", files / "train.npz", words)
    assert (shown.code, shown.out) == (2, "")
    assert f"error: {said} cannot share standard output" in shown.err


def test_a_page_in_a_pipe_is_alone(files: Path) -> None:
    shown = run("fit", files / "train.npz", "--ranks 2 --loss lf --lam 0.01 --seed 0 --report -")
    assert shown.code == 0
    assert shown.out.startswith("<!")
    assert "Tucker model" in shown.err


def test_a_checkpoint_of_another_call_says_what_can_be_typed(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "meals.csv").write_text(TABLE)
    words = f"fit {tmp_path / 'meals.csv'} --preset paper --ranks 1 --checkpoint {tmp_path / 'c'}"
    assert run(*f"{words} --max-iter 2 --lam 0.1 --seed 0".split()).code == 0
    shown = run(*f"{words} --max-iter 2 --lam 0.2 --seed 0".split())
    assert shown.code == 1
    assert "give those options, and it goes on" in shown.err
    assert "vt." not in shown.err


@pytest.mark.parametrize("command", ["fit", "path"])
def test_a_checkpoint_without_a_folder_is_told_before_anything_is_read(
    tmp_path: Path, command: str
) -> None:
    shown = run(command, tmp_path / "none.npz", "--checkpoint", tmp_path / "no" / "run.ckpt")
    assert shown.code == 1
    assert "there is no folder" in shown.err
    assert "for the checkpoint" in shown.err
