"""Warnings find the line of the program, which is the first one outside of the package."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import vest_tucker
from screens import Terminal
from vest_tucker.base import errors
from vest_tucker.base.errors import EmptyModelWarning
from vest_tucker.base.telling import steps
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.telling.warn import PACKAGE, warn

SOURCES = sorted(Path(PACKAGE).rglob("*.py"))


def inside(code: str) -> Callable[[], None]:
    """Return a function that seems to be one of the package."""
    names = {"warn": warn, "EmptyModelWarning": EmptyModelWarning}
    exec(compile(code, f"{PACKAGE}fitting/made_up.py", "exec"), names)
    return names["first"]  # type: ignore[return-value]


def test_the_line_is_that_of_the_caller_however_deep() -> None:
    first = inside(
        "def first(): second()\n"
        "def second(): third()\n"
        "def third(): warn('lower it', EmptyModelWarning)\n"
    )
    with pytest.warns(EmptyModelWarning, match="lower it") as caught:
        first()
    frame = inspect.currentframe()
    assert frame is not None
    assert (caught[0].filename, caught[0].lineno) == (__file__, frame.f_lineno - 3)


def test_what_is_shown_is_taken_away_first(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(steps, "sys", types.SimpleNamespace(stderr=screen))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with watched(True, "fit"):
        assert screen.getvalue().startswith("\r[0.0 s] fit")
        with pytest.warns(EmptyModelWarning):
            warn("lower it", EmptyModelWarning)
        assert screen.getvalue().endswith(" \r")


def test_outside_of_the_package_it_is_the_caller_itself() -> None:
    with pytest.warns(EmptyModelWarning) as caught:
        warn("lower it", EmptyModelWarning)
    assert caught[0].filename == __file__


def test_all_warnings_of_the_package_go_this_way_and_have_a_category_of_it() -> None:
    assert Path(PACKAGE) == Path(vest_tucker.__file__).parent
    found = []
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called == "warnings.warn":
                assert source.name == "warn.py", source
            elif called == "warn":
                found.append(ast.unparse(node.args[1]))
    assert len(found) >= 9
    for name in found:  # those of many fits are told again, as what they were
        assert name == "category" or issubclass(getattr(errors, name), Warning)


def test_the_library_prints_nothing() -> None:
    """What people type to see something may: the command line, the demo and show_config."""
    may = {"cli", "demo.py", "config.py"}
    for source in SOURCES:
        if may & set(source.relative_to(PACKAGE).parts):
            continue
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert called not in ("print", "sys.stdout.write", "sys.stderr.write"), source
