"""The parser: help with examples, usage errors, completion."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from command_line import run
from vest_tucker.cli.commands import COMMANDS
from vest_tucker.cli.parser import as_typed, make_parser, parser_of


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_shows_examples_that_can_be_parsed(command: object) -> None:
    from vest_tucker.cli.command import Command

    assert isinstance(command, Command)
    shown = run(command.name, "--help")
    assert shown.code == 0
    assert shown.out.startswith(f"usage: vest-tucker {command.name} ")
    for example in command.examples:
        assert example in shown.out
        (own,) = re.findall(r"vest-tucker ([^|<>]+)", example)
        assert make_parser().parse_args(shlex.split(own)).command is command


def test_help_lists_every_command() -> None:
    shown = run("--help")
    assert all(f"    {each.name} " in shown.out for each in COMMANDS)
    assert parser_of(COMMANDS[0]).prog == "vest-tucker describe"


@pytest.mark.parametrize(
    "words", [[], ["dance"], ["fit"], ["fit", "x.csv", "--loss", "l3"], ["fit", "x.csv", "--los"]]
)
def test_usage_errors_are_2(words: list[str]) -> None:
    shown = run(*words)
    assert (shown.code, shown.out) == (2, "")
    assert "usage:" in shown.err


def test_version() -> None:
    assert run("--version").out.startswith("vest-tucker 0")


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion(shell: str) -> None:
    pytest.importorskip("shtab")
    shown = run("--print-completion", shell)
    assert shown.code == 0
    assert "init-prune-rate" in shown.out
    assert "bayes" in shown.out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_the_names_of_files(tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    for name in ("ratings.csv", "rates.npz"):
        (tmp_path / name).touch()
    script = [run("--print-completion", "bash").out]
    for words in ("fit rat", "predict rates.npz rati", "fit x -o rat", "fit x --validation ratin"):
        given = f"vest-tucker {words}".split()
        script += [
            f"COMP_WORDS=({' '.join(given)}); COMP_CWORD={len(given) - 1}; COMPREPLY=()",
            f"_shtab_vest_tucker vest-tucker {given[-1]}; echo ${{COMPREPLY[*]}}",
        ]
    shown = subprocess.run(
        ["bash"], input="\n".join(script), capture_output=True, text=True, cwd=tmp_path, check=True
    )
    both, one = "rates.npz ratings.csv", "ratings.csv"
    found = [" ".join(sorted(line.split())) for line in shown.stdout.splitlines()]
    assert found == [both, one, both, one]


def test_messages_say_how_options_are_typed() -> None:
    fit = next(each for each in COMMANDS if each.name == "fit")
    said = as_typed('choose lam_rows="sqrt" or lam=0.01, not lam=0.01; other="x"', fit)
    assert said.endswith('other="x" (--lam-rows sqrt, --lam 0.01)')
    for other in ("no such file: a=b.csv", "data/loss=lf/x.csv is empty"):
        assert as_typed(other, fit) == other
