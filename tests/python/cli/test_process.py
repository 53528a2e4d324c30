"""How the command begins and ends: at once and without a traceback, whatever its threads do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import run
from vest_tucker.cli import process
from vest_tucker.cli.output import said_by, wrote

NOTHING = b"vest-tucker: interrupted: there was nothing to write yet\n"
# Sends Ctrl-C when a module begins to be loaded.
INTERRUPTED_AT = """
import os, signal, sys

class At:
    def find_spec(self, name, *rest):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, At())
"""


def ran_with(folder: Path, word: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process that loads a module of the folder at its beginning."""
    paths = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "vest_tucker", word],
        capture_output=True, check=False, env=os.environ | {"PYTHONPATH": paths} | more,
    )  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="signals of other systems are others")
@pytest.mark.parametrize(
    "module", ["numpy", "vest_tucker._core", "vest_tucker.fitting.fit", "vest_tucker.cli.parser"]
)
def test_ctrl_c_while_it_loads(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_AT)
    shown = ran_with(tmp_path, "--version", INTERRUPTED_AT=module)
    assert (shown.returncode, shown.stdout, shown.stderr) == (130, b"", NOTHING)


AT_THE_END = """
import atexit, os, signal

signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(os.kill, os.getpid(), signal.SIGINT)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of other systems are others")
@pytest.mark.parametrize(("word", "told"), [("--version", b"vest-tucker "), ("config", b"kernels")])
def test_ctrl_c_after_all_is_done_changes_nothing(tmp_path: Path, word: str, told: bytes) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_THE_END)
    shown = ran_with(tmp_path, word)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert told in shown.stdout


def test_one_after_a_file_is_written_tells_of_it(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Before the exit code is known: the second Ctrl-C of a fit, say, whose model is there."""
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    monkeypatch.setattr(process, "ENDS_WITH", [])
    interrupted: Callable[[int, None], object] = process.leave_at_once
    with said_by(quiet=True, progress=False):
        interrupted(2, None)
        wrote("model.npz")
        interrupted(2, None)
    told = b"vest-tucker: interrupted: nothing was written after model.npz\n"
    assert (codes, capfdbinary.readouterr().err) == ([130, 130], NOTHING + told)


def test_nor_does_one_between_the_command_and_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(process, "ENDS_WITH", [])
    monkeypatch.setattr(os, "_exit", left.append)
    before = signal.signal(signal.SIGINT, process.leave_at_once)
    try:
        assert run("config").code == 0
        assert signal.getsignal(signal.SIGINT) is process.leave_at_once
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert left == [0]


@pytest.mark.parametrize("code", [1, 130])
def test_an_end_with_a_fault_waits_for_no_thread(code: int) -> None:
    program = f"""
import threading
from vest_tucker.cli.process import leave
threading.Thread(target=threading.Event().wait).start()
print("told")
leave({code})
"""
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True, timeout=60
    )
    assert (shown.returncode, shown.stdout.strip(), shown.stderr) == (code, "told", "")


def test_programs_that_use_the_package_keep_their_ctrl_c() -> None:
    program = "import signal; before = signal.getsignal(2); import vest_tucker; "
    program += "assert signal.getsignal(2) is before"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert not process.is_command()


def test_the_command_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("/usr/bin/vest-tucker", "vest-tucker.exe"):
        monkeypatch.setattr(sys, "argv", [name, "fit"])
        assert process.is_command()


@pytest.mark.parametrize(
    ("words", "rest", "is_ours"),
    [
        ("-m vest_tucker", "fit", True), ("-mvest_tucker", "fit x.csv", True),
        ("-W error -uIm vest_tucker", "", True), ("-X dev -uImvest_tucker", "-m", True),
        ("-m pytest", "", False), ("-m mlapp", "--backend vest_tucker", False),
        ("-mmlapp", "-m vest_tucker", False), ("-mmvest_tucker", "", False),
        ("-m vest_tucker.cli.page", "", False),
    ],
)  # fmt: skip
def test_the_module_is_known_by_the_word_after_m(
    monkeypatch: pytest.MonkeyPatch, words: str, rest: str, is_ours: bool
) -> None:
    monkeypatch.setattr(sys, "argv", ["-m", *rest.split()])
    monkeypatch.setattr(sys, "orig_argv", ["python", *words.split(), *rest.split()])
    assert process.is_command() == is_ours


@pytest.mark.parametrize(("ends", "code"), [(SystemExit(2), 2), (KeyboardInterrupt(), 130)])
def test_codes_of_what_is_raised(
    monkeypatch: pytest.MonkeyPatch, ends: BaseException, code: int
) -> None:
    left: list[int] = []

    def raised() -> int:
        raise ends

    monkeypatch.setattr("vest_tucker.cli.main.main", raised)
    monkeypatch.setattr(process, "leave", left.append)
    start: Callable[[], object] = process.start  # which here comes back
    start()
    assert left == [code]
