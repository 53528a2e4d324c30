"""The script that sets up .venv, run among stand-ins for the system's commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[3] / ".ci" / "setup.sh"
BASH = shutil.which("bash")

# A Python that has ensurepip once apt-get has brought it, and makes a .venv of itself.
PYTHON = """
case "$*" in
  *ensurepip*) [ -e python3-venv ] ;;
  "-m venv "*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  "-c ") [ -d .venv ] ;;
esac
"""
APT = 'echo "apt-get $*" >> asked; for package in "$@"; do touch -- "$package"; done'

pytestmark = pytest.mark.skipif(BASH is None, reason="no bash")


def set_up(
    where: Path, part: str = "test", **commands: str
) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run the script in a system of these commands; return how it went, and what apt-get heard."""
    bin_ = where / "bin"
    bin_.mkdir()
    (where / ".ci").mkdir()
    shutil.copy(SETUP, where / ".ci")
    for name in ("cat", "cp", "dirname", "mkdir", "touch"):
        (bin_ / name).symlink_to(shutil.which(name) or name)
    for name, body in ({"python3": PYTHON} | commands).items():
        (bin_ / name.replace("_", "-")).write_text(f"#!{BASH}\n{body}\n", "utf-8")
        (bin_ / name.replace("_", "-")).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHON"}
    done = subprocess.run(
        [str(BASH), str(where / ".ci" / "setup.sh"), part],
        check=False, capture_output=True, text=True, env=environment | {"PATH": str(bin_)},
    )  # fmt: skip
    asked = where / "asked"
    return done, asked.read_text("utf-8") if asked.exists() else ""


def test_root_gets_the_venv_module(tmp_path: Path) -> None:
    done, asked = set_up(tmp_path, apt_get=APT, id="echo 0")
    assert done.returncode == 0, done.stderr
    assert "install -y --no-install-recommends python3-venv" in asked
    assert (tmp_path / ".venv" / ".has-test").exists()


def test_sudo_user_gets_the_venv_module(tmp_path: Path) -> None:
    done, asked = set_up(tmp_path, apt_get=APT, id="echo 1000", sudo='[ "$1" = -n ] || "$@"')
    assert done.returncode == 0, done.stderr
    assert "python3-venv" in asked


def test_other_users_are_told_what_to_type(tmp_path: Path) -> None:
    done, asked = set_up(tmp_path, apt_get=APT, id="echo 1000", sudo="exit 1")
    assert done.returncode == 1
    assert asked == ""
    assert "sudo apt-get install -y --no-install-recommends python3-venv" in done.stderr


def test_a_python_that_the_venv_package_does_not_mend(tmp_path: Path) -> None:
    done, _ = set_up(tmp_path, apt_get="true", id="echo 0")
    assert done.returncode == 1
    assert "-venv" in done.stderr


def test_a_system_without_apt(tmp_path: Path) -> None:
    done, _ = set_up(tmp_path, pacman="true", id="echo 0")
    assert done.returncode == 1
    assert "make PYTHON=" in done.stderr


def test_an_installed_venv_module_is_not_installed_again(tmp_path: Path) -> None:
    (tmp_path / "python3-venv").touch()
    done, asked = set_up(tmp_path, apt_get=APT, id="echo 0")
    assert done.returncode == 0, done.stderr
    assert asked == ""


def test_root_gets_a_browser(tmp_path: Path) -> None:
    (tmp_path / "python3-venv").touch()
    done, asked = set_up(tmp_path, "browser", apt_get=APT, id="echo 0")
    assert done.returncode == 0, done.stderr
    assert "install -y --no-install-recommends chromium" in asked
    assert (tmp_path / ".venv" / ".has-browser").exists()


def test_an_installed_browser_is_not_installed_again(tmp_path: Path) -> None:
    (tmp_path / "python3-venv").touch()
    done, asked = set_up(tmp_path, "browser", apt_get=APT, id="echo 0", google_chrome="true")
    assert done.returncode == 0, done.stderr
    assert asked == ""


def test_without_a_browser_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "python3-venv").touch()
    done, asked = set_up(tmp_path, "browser", apt_get=APT, id="echo 1000", sudo="exit 1")
    assert done.returncode == 0, done.stderr
    assert asked == ""
    assert "sudo apt-get install -y --no-install-recommends chromium" in done.stderr
    assert "will be skipped" in done.stdout
    assert (tmp_path / ".venv" / ".has-browser").exists()


def test_the_script_lists_every_part() -> None:
    makefile = (SETUP.parents[1] / "Makefile").read_text("utf-8")
    usage = SETUP.read_text("utf-8").splitlines()[1]
    parts = {word.partition(".has-")[2] for word in makefile.split() if ".has-" in word} - {"%:"}
    assert parts
    for part in parts:
        assert part in usage.split(), part


@pytest.mark.parametrize("part", ["test", "lint", "all"])
def test_extras_of_extras_are_unfolded(part: str) -> None:
    shown = subprocess.run(
        [sys.executable, str(SETUP.with_name("requirements.py")), part],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    assert {"narwhals", "numpy", "pooch", "pyarrow"} <= {line.partition(">")[0] for line in shown}
    assert not any(line.startswith("vest-tucker") for line in shown)


def test_experiments_go_on_without_a_package_that_cannot_be_had(tmp_path: Path) -> None:
    python = """
case "$*" in
  "-m venv "*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  "-c ") [ -d .venv ] ;;
  *requirements.py*) echo one; echo two; echo three ;;
  *" -r "*|*" two") false ;;
  *"pip install"*) echo "$*" >> asked ;;
esac
"""
    done, asked = set_up(tmp_path, "experiments", python3=python)
    assert done.returncode == 0, done.stderr
    assert [line.split()[-1] for line in asked.splitlines()] == ["one", "three"]
    assert "going on without two" in done.stdout
    assert (tmp_path / ".venv" / ".has-experiments").exists()
