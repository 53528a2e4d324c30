"""Whole jobs: in this process, in pipes of other processes, and on a terminal."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from command_line import TABLE, run, small_model
from vest_tucker.cli.streams import save_model

PROGRAM = [sys.executable, "-m", "vest_tucker"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pytest.importorskip("pyarrow")
    path = tmp_path / "meals.csv"
    path.write_text(TABLE)
    return path


def test_errors_of_data_are_1_and_one_sentence(table: Path) -> None:
    for words, said in (
        (f"fit {table} --value moons", "no column 'moons'; there are 'who'"),
        ("fit no.csv", "there is no file"),
        (f"show {table}", "is not a file that vest-tucker wrote, where one of a model is wanted"),
        (f"check {table} --value who", "--value and --modes if"),
    ):
        shown = run(*words.split())
        assert (shown.code, shown.out) == (1, "")
        assert shown.err.startswith("vest-tucker: error: ")
        assert said in shown.err
        assert shown.err.count("\n") == 1


def test_mistyped_options_are_2_and_found_before_the_work(table: Path, tmp_path: Path) -> None:
    small_model().save(tmp_path / "model.npz")
    predict = f"predict {tmp_path / 'model.npz'} no.csv"
    for words, said in (
        (f"fit {table} --sparsity 7", 'sparsity is 7.0; choose "auto"'),
        (f"fit {table} --ranks 0", "ranks"),
        (f"fit {table} --preset paper", "(--ranks 8, "),
        ("fit no.csv --report page.txt", "does not end in .html"),
        ("fit no.csv -o model.pkl", "a model is written as .npz"),
        ("fit no.csv -o model.npz.gz", "a model is written as .npz"),
        (f"{predict} --interval 90", "interval is 90"),
        (f"{predict} --clip 5 1", "low first"),
        (f"{predict} --average hoor", "--average: "),
        (f"{predict} -o out.xlsx", "'out.xlsx' ends in '.xlsx'"),
        (f"{predict} -o out.jsonl", "or add --json"),
    ):
        shown = run(*words.split())
        assert (shown.code, shown.out) == (2, ""), words
        assert said in shown.err, words
        assert shown.err.count("\n") == 1
    shown = run("fit", "no.csv", "--report", tmp_path / "no" / "page.html")
    assert (shown.code, "there is no file" in shown.err) == (1, False)
    shown = run("fit", "no.csv", "-modes", "a")
    assert shown.code == 2
    assert shown.err.startswith("usage: vest-tucker fit ")
    assert "write --modes" in shown.err


def test_a_table_with_other_separators_is_told_so(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "x.csv").write_text("who;dish;stars\nann;soup;4\n")
    shown = run("describe", tmp_path / "x.csv")
    assert shown.code == 1
    assert "its separator seems to be ';'" in shown.err


def test_errors_say_what_to_type(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "twice.csv").write_text(f"{TABLE}ann,soup,12,1\n")
    shown = run("fit", tmp_path / "twice.csv", "--value stars")
    assert shown.code == 1
    assert "(--duplicates mean" in shown.err


def test_a_traceback_can_be_asked_for(table: Path) -> None:
    with pytest.raises(vt.errors.SparsityError):
        run("fit", table, "--sparsity", "7", "--traceback")


def test_mistakes_of_ours_are_not_hidden(monkeypatch: pytest.MonkeyPatch, table: Path) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a bug")

    monkeypatch.setattr("vest_tucker.cli.commands.fit.fit", broken)
    with pytest.raises(AssertionError, match="a bug"):
        run("fit", table)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, table: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    shown = run("describe", table)
    assert shown.code == 1
    assert "pip install 'vest-tucker[io]'" in shown.err
    monkeypatch.setitem(sys.modules, "shtab", None)
    shown = run("--print-completion", "bash")
    assert shown.code == 1
    assert "pip install 'vest-tucker[cli]'" in shown.err


def test_an_interrupted_fit_writes_the_model_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, table: Path, tmp_path: Path
) -> None:
    import dataclasses

    def interrupted(X: vt.SparseTensor, **options: Any) -> vt.TuckerModel:
        warnings.warn("interrupted after 3 sweeps", RuntimeWarning, stacklevel=2)
        return dataclasses.replace(small_model(), stopped="interrupted")

    monkeypatch.setattr("vest_tucker.cli.commands.fit.fit", interrupted)
    shown = run("fit", table, "-o", tmp_path / "model.npz")
    assert shown.code == 130
    assert "warning: interrupted after 3 sweeps" in shown.err
    assert vt.TuckerModel.load(tmp_path / "model.npz").stopped == "interrupted"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_before_there_is_a_model(
    monkeypatch: pytest.MonkeyPatch, table: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    def interrupted(X: vt.SparseTensor, **options: Any) -> vt.TuckerModel:
        signal.raise_signal(number)
        raise AssertionError("it was not heard")

    monkeypatch.setattr("vest_tucker.cli.commands.fit.fit", interrupted)
    shown = run("fit", table, "-o", tmp_path / "model.npz")
    assert (shown.code, shown.out) == (code, "")
    assert "there was nothing to write yet" in shown.err
    assert not (tmp_path / "model.npz").exists()


def test_an_interrupt_that_somebody_heard_is_told_by_the_code(
    monkeypatch: pytest.MonkeyPatch, table: Path, tmp_path: Path
) -> None:
    """A path returns what it has, and its models do not say that they were interrupted."""
    X = vt.read(table, value="stars")
    found = vt.path(X, 1, loss="lf", seed=0, step=0.3)

    def interrupted(X: vt.SparseTensor, **options: Any) -> Any:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr("vest_tucker.cli.commands.path.path", interrupted)
    shown = run("path", table, "--ranks 1", "-o", tmp_path / "model.npz")
    assert shown.code == 130
    assert (tmp_path / "model.npz").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def results(table: Path) -> dict[str, Any]:
    """What commands find, by their names."""
    X = vt.read(table, value="stars")
    return {"fit": small_model(), "path": vt.path(X, 1, loss="lf", seed=0, step=0.3)}


@pytest.mark.parametrize("command", ["fit", "path"])
def test_a_model_is_written_before_it_is_told(
    monkeypatch: pytest.MonkeyPatch, table: Path, tmp_path: Path, command: str
) -> None:
    found, model = results(table)[command], tmp_path / "model.npz"

    def interrupted(result: object) -> str:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("it was not heard")

    monkeypatch.setattr(f"vest_tucker.cli.commands.{command}.{command}", lambda X, **more: found)
    monkeypatch.setattr(type(found), "__str__", interrupted)
    shown = run(command, table, "--ranks 1", "-o", model)
    assert (shown.code, shown.out) == (130, "")
    assert f"interrupted: nothing was written after {model}" in shown.err
    assert vt.TuckerModel.load(model).modes == ("who", "dish", "hour")


@pytest.mark.parametrize("words", ["", "--json", "--curve -"])
def test_an_interrupt_waits_until_a_model_is_written(
    monkeypatch: pytest.MonkeyPatch, table: Path, tmp_path: Path, words: str
) -> None:
    found, model = results(table)["path"], tmp_path / "model.npz"

    def interrupted(result: vt.TuckerModel, path: str) -> None:
        signal.raise_signal(signal.SIGINT)
        save_model(result, path)

    monkeypatch.setattr("vest_tucker.cli.commands.path.path", lambda X, **more: found)
    monkeypatch.setattr("vest_tucker.cli.commands.fit.save_model", interrupted)
    shown = run("path", table, "--ranks 1", words, "-o", model)
    assert (shown.code, shown.err) == (130, f"wrote {model}\n")
    assert shown.out
    assert vt.TuckerModel.load(model).modes == ("who", "dish", "hour")


# --- Other processes ------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_in_a_real_fit(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """A fit of many iterations gets the signal when its first progress is shown."""
    X, _ = vt.datasets.synthetic((200, 150, 40), 4, nnz=60_000, seed=0)
    vt.write(X, tmp_path / "X.npz")
    words = "--ranks 8 --loss lf --max-iter 100000 --tol none --lam 0.01 --seed 0 --progress"
    with subprocess.Popen(
        [*PROGRAM, "fit", str(tmp_path / "X.npz"), "-o", str(tmp_path / "model.npz"), "--sparsity",
         "0", *words.split()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as program:  # fmt: skip
        assert program.stderr is not None
        assert any("iterating, random: 1 of 100,000" in line for line in program.stderr)
        program.send_signal(number)
        out, err = program.communicate(timeout=60)
    assert program.returncode == code, err
    assert "warning: interrupted after" in err
    assert "Tucker model" in out
    model = vt.TuckerModel.load(tmp_path / "model.npz")
    assert model.stopped == "interrupted"
    assert model.n_iter >= 1


def test_a_pipe_from_and_to_other_programs(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    small_model().save(tmp_path / "model.npz")
    many = "who,dish,hour\n" + "bob,rice,12\n" * 200_000
    command = f"{' '.join(PROGRAM)} predict {tmp_path / 'model.npz'} - | head -n 3; "
    command += "echo ${PIPESTATUS[0]}"
    shown = subprocess.run(
        ["bash", "-c", command], input=many, capture_output=True, text=True, check=True
    )
    *lines, code = shown.stdout.splitlines()
    assert lines == ["who,dish,hour,predicted", "bob,rice,12,8", "bob,rice,12,8"]
    assert (code, shown.stderr) == ("141", "")


def test_long_tables_take_little_memory(tmp_path: Path) -> None:
    """Ten times as many lines, the same memory, but for what Arrow keeps for later."""
    pytest.importorskip("pyarrow")
    small_model().save(tmp_path / "model.npz")
    program = (
        "import resource, sys; from vest_tucker.cli.main import main;"
        "code = main(sys.argv[1:]);"
        "print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    peaks = []
    for lines in (100_000, 1_000_000):
        cells = "who,dish,hour\n" + "bob,rice,12\n" * lines
        words = ["predict", str(tmp_path / "model.npz"), "-", "-o", str(tmp_path / "out.csv")]
        shown = subprocess.run(
            [sys.executable, "-c", program, *words], input=cells.encode(), capture_output=True,
            check=True,
        )  # fmt: skip
        code, peak = shown.stderr.split()
        assert code == b"0"
        peaks.append(int(peak) / (1 << 20 if sys.platform == "darwin" else 1 << 10))
    with (tmp_path / "out.csv").open("rb") as file:
        assert sum(1 for _ in file) == 1_000_001
    assert peaks[1] < peaks[0] + 40  # MiB; the table in memory would take far more


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_on_a_terminal(tmp_path: Path) -> None:
    """Progress is rewritten in place, an error is red, and NO_COLOR is heard."""
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=800, seed=0)
    vt.write(X, tmp_path / "X.npz")
    fit = f"{' '.join(PROGRAM)} fit {tmp_path / 'X.npz'} --ranks 2 --loss lf --lam 0.01 --seed 0"
    fit += " --progress"
    bad = f"{' '.join(PROGRAM)} show {tmp_path / 'no.npz'}"
    script = tmp_path / "job.sh"
    script.write_text(f"{fit}\necho code $?\n{bad}\nNO_COLOR=1 {bad}\necho done\n")
    name = f"vest-tucker-{os.getpid()}"
    tmux = ["tmux", "-L", name, "-f", "/dev/null"]
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    start = ["new-session", "-d", "-x", "120", "-y", "50", f"bash {script}; sleep 300"]
    try:
        subprocess.run([*tmux, *start], check=True, env=environment)
        screen = ""
        for _ in range(1200):  # far more than it takes, for machines with much else to do
            time.sleep(0.1)
            show = ["capture-pane", "-p", "-e"]
            screen = subprocess.run(
                [*tmux, *show], check=True, capture_output=True, text=True
            ).stdout
            if "done" in screen:
                break
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    lines = screen.splitlines()
    last = re.compile(r"\] fit, \d+ % zeros|fit \[\d+:\d+, \d+ % zeros\]")  # without and with tqdm
    assert sum(last.search(line) is not None for line in lines) == 1, screen
    assert "iterating" not in screen
    assert "code 0" in screen
    red, plain = (line for line in lines if "there is no file" in line)
    assert "\x1b[1m\x1b[31merror:" in red or "\x1b[1;31merror:" in red
    assert "\x1b[" not in plain.removeprefix("\x1b[0m").removeprefix("\x1b[39m")


def test_quiet_leaves_results_and_errors(tmp_path: Path, table: Path) -> None:
    model = tmp_path / "model.npz"
    words = ("fit", table, "--ranks 50 --seed 0", "-o", model)
    loud = run(*words, "--progress")
    assert "] reading " in loud.err
    assert "] fit, " in loud.err
    assert f"wrote {model}" in loud.err
    quiet = run(*words, "--progress --quiet")
    assert quiet.err == ""
    assert quiet.out.startswith("Tucker model")
    assert "no.npz" in run("show", tmp_path / "no.npz", "--quiet").err


def test_predicting_tells_how_much_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    small_model().save(tmp_path / "model.npz")
    (tmp_path / "cells.csv").write_text("who,dish,hour\n" + "bob,rice,12\n" * 1000)
    words = ("predict", tmp_path / "model.npz", tmp_path / "cells.csv", "-o", tmp_path / "out.csv")
    assert run(*words).err == ""
    last = run(*words, "--progress").err.splitlines()[-1]
    assert last.endswith("predicting cells.csv: 0.0 of 0.0 MB")


def test_the_module_is_the_command() -> None:
    shown = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"vest-tucker {vt.__version__}\n"
    assert np.isfinite(float(vt.__version__.rpartition(".")[0]))
