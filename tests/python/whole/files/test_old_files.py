"""Files that earlier versions wrote are read for ever, and say what they said then."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import old_files
import vest_tucker as vt

FILES = [path for folder in sorted(old_files.FOLDER.iterdir()) for path in old_files.files(folder)]


def close(found: Any, wanted: Any) -> bool:
    """Whether all is the same, but for the last digits of sums, which machines add differently."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(close(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    if isinstance(wanted, float):
        return bool(found == pytest.approx(wanted, rel=1e-12))
    return bool(found == wanted)


def called(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix == ".ckpt"], ids=called)
def test_a_checkpoint_of_another_form_is_refused_by_name(file: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(file, tmp_path))
    with pytest.raises(vt.errors.CheckpointError, match=r"written by vest-tucker 0\.1\.0, from"):
        old_files.content(copy)
    assert copy.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix != ".ckpt"], ids=called)
def test_an_old_file_is_read_and_says_the_same(file: Path) -> None:
    expected = json.loads((file.parent / old_files.EXPECTED).read_text("ascii"))[file.name]
    assert close(old_files.content(file), expected)


def test_the_files_of_every_version_are_all_there() -> None:
    folders = {path.parent.name for path in FILES}
    assert vt.__version__ in folders, "python tests/old_files.py --write adds those of this version"
    for folder in folders:
        expected = json.loads((old_files.FOLDER / folder / old_files.EXPECTED).read_text("ascii"))
        assert set(expected) == {path.name for path in FILES if path.parent.name == folder}
        assert {f"model-{kind}.npz" for kind in ("plain", "paper", "zones")} < set(expected)


def test_they_are_never_written_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / vt.__version__).mkdir()
    monkeypatch.setattr(old_files, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["old_files.py", "--write"])
    assert old_files.main() == 1
    assert "never written again" in capsys.readouterr().err
    with pytest.raises(FileExistsError):
        old_files.write(tmp_path / vt.__version__)
    assert list((tmp_path / vt.__version__).iterdir()) == []
