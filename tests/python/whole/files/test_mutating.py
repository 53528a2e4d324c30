"""Damaged and forged files: refused by name, quickly and in little memory, or read as they were."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from mutating import model_content, tensor_content
from small import made

ROOT = Path(__file__).parents[4]


def test_some_hundred_files() -> None:
    command = [sys.executable, "-W", "error::ResourceWarning", "tests/mutating.py", "300"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n0 bad" in done.stdout


def small_files(folder: Path) -> list[tuple[Path, Any, Any]]:
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.5, 2.0], modes=["a", "b"], labels={"a": ["é", "x"]})
    vt.write(X, folder / "tensor.npz")
    model = made([[1.5]], [[[1.0], [0.5]], [[2.0]]], modes=("a", "b"), labels=(["é", "x"], None))
    model.save(folder / "model.npz")
    return [
        (folder / "tensor.npz", vt.read, tensor_content),
        (folder / "model.npz", vt.TuckerModel.load, model_content),
    ]


def test_no_changed_byte_and_no_cut_goes_unnoticed(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for path, read, content in small_files(tmp_path):
        whole = path.read_bytes()
        wanted = content(read(path))
        flips = [(at, int(rng.integers(1, 256))) for at in range(len(whole))]
        changed = [whole[:at] + bytes([whole[at] ^ by]) + whole[at + 1 :] for at, by in flips]
        unnoticed = 0
        for damaged in changed + [whole[:length] for length in range(len(whole))]:
            path.write_bytes(damaged)
            try:
                found = read(path)
            except vt.errors.FileFormatError:
                continue
            assert len(damaged) == len(whole), "a file that was cut is never read"
            assert content(found) == wanted
            unnoticed += 1
        # Times, versions and padding of zip's, which nobody reads.
        assert unnoticed < 0.2 * len(whole)


@pytest.mark.parametrize("word", [b"vest-tucker", b'"a"', b"0.0", b'"error"', b"shape"])
def test_a_changed_header_is_noticed_though_its_zip_sum_is_right(
    tmp_path: Path, word: bytes
) -> None:
    for path, read, _ in small_files(tmp_path):
        with zipfile.ZipFile(path) as old:
            members = {name: old.read(name) for name in old.namelist()}
        header = members["header.json"]
        if word not in header:
            continue
        changed = word[:-2] + bytes([word[-2] ^ 1]) + word[-1:]
        members["header.json"] = header.replace(word, changed, 1)
        with zipfile.ZipFile(path, "w") as new:
            for name, member in members.items():
                new.writestr(name, member)
        with pytest.raises(vt.errors.FileFormatError):
            read(path)
