"""Standard input and output in place of files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from command_line import TABLE, run, small_model
from vest_tucker.cli.streams import readable, writable


def test_a_file_is_read_where_it_is(tmp_path: Path) -> None:
    with readable(str(tmp_path / "x")) as path:
        assert path == str(tmp_path / "x")


def test_written_whole_and_compressed_by_its_suffix(tmp_path: Path) -> None:
    out = tmp_path / "x.csv.gz"
    with writable(str(out)) as file:
        file.write(b"a,b\n")
    assert gzip.decompress(out.read_bytes()) == b"a,b\n"
    with pytest.raises(TypeError), writable(str(tmp_path / "y")) as file:
        file.write("half")  # type: ignore[call-overload]
    assert not (tmp_path / "y").exists()


def test_models_through_pipes(tmp_path: Path) -> None:
    small_model().save(tmp_path / "model.npz")
    stored = (tmp_path / "model.npz").read_bytes()
    assert run("check", "-", stdin=stored).out.startswith("-: a model of")
    pytest.importorskip("pyarrow")
    made = run("fit", "-", "-o", "-", "--ranks", "1", "--loss", "lf", "--seed", "0", stdin=TABLE)
    assert made.code == 0
    (tmp_path / "made.npz").write_bytes(made.raw)
    assert vt.TuckerModel.load(tmp_path / "made.npz").modes == ("who", "dish", "hour")
    assert "Tucker model" in made.err  # the summary is not in the way of the model
    assert np.isfinite(vt.TuckerModel.load(tmp_path / "made.npz").core).all()


def test_nothing_on_standard_input() -> None:
    shown = run("describe", "-")
    assert (shown.code, shown.out) == (1, "")
    assert "standard input is empty; name a file" in shown.err


def test_errors_name_standard_input() -> None:
    pytest.importorskip("pyarrow")
    shown = run("describe", "-", stdin="a,b,c\nx,y,1\nx,y\n")
    assert shown.code == 1
    assert "standard input, line 3" in shown.err
    assert shown.err.count("\n") == 1
