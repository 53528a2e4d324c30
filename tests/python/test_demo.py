"""The demo runs, and what it shows is worth showing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from vest_tucker import demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "new"


@pytest.fixture(scope="module")
def shown(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vest_tucker.demo", str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")


def test_the_demo_tells_every_habit(shown: subprocess.CompletedProcess[str]) -> None:
    assert "fit > comparing structures" in shown.stderr
    group = r"(.*)\n +{} +".format
    modes = "".join(map(group, ("person", "dish", "hour"))) + r"(.*)"
    found = re.findall(
        rf"^ +\+[\d.]+ times, up to \+[\d.]+, \d+ %{modes}$", shown.stdout, re.MULTILINE
    )
    told = {
        (*set(re.findall(r"\((.*?)\)", people)), dishes.split(", ")[0], hours)
        for _, people, dishes, hours in found
    }
    assert told == {
        ("clerk", "muesli", "7 to 10"),
        ("clerk", "club sandwich", "11 to 14"),
        ("student", "chips", "19 to 23"),
        ("parent", "ice cream", "15 to 18"),
        ("retiree", "ice cream", "7 to 10"),
    }
    errors = re.search(r"error ([0-9.]+) on .* the mean ([0-9.]+)", shown.stdout)
    assert errors is not None
    assert float(errors[1]) < 0.3 * float(errors[2])


def test_the_demo_says_where_its_files_are(
    shown: subprocess.CompletedProcess[str], folder: Path
) -> None:
    report = folder / "demo.html"
    assert str(report) in shown.stdout
    assert "Who orders what when" in report.read_text("utf-8")
    pytest.importorskip("matplotlib")
    assert str(folder / "demo.png") in shown.stdout
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_is_a_report_and_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / prefix))
    demo.main()
    shown = capsys.readouterr().out
    assert (tmp_path / "vest-tucker-" / "demo.html").exists()
    assert "There is no picture" in shown
    assert "vest-tucker[plot]" in shown
