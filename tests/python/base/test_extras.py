"""Packages that only some functions need: what is said where one is missing."""

from __future__ import annotations

import importlib
import signal
import sys

import pytest

import vest_tucker as vt
from vest_tucker.base.extras import Later, needed_for


def test_a_missing_package_is_named_with_the_way_to_get_it() -> None:
    with (
        pytest.raises(vt.errors.MissingPackageError) as caught,
        needed_for("reading tea leaves", "all"),
    ):
        importlib.import_module("no_such_package.inside")
    for fragment in ("reading tea leaves", "no_such_package,", "pip install 'vest-tucker[all]'"):
        assert fragment in str(caught.value)
    assert caught.value.name == "no_such_package"


def test_other_errors_are_passed_on() -> None:
    with pytest.raises(ZeroDivisionError), needed_for("counting", "all"):
        _ = 1 // 0


def test_ctrl_c_waits_until_a_package_is_loaded() -> None:
    done = []

    def load() -> None:
        with needed_for("waiting"):
            signal.raise_signal(signal.SIGINT)
            done.append("loaded")
        done.append("used")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert done == ["loaded"]


def test_a_module_is_loaded_when_something_of_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    later = Later("this")
    assert not hasattr(later, "__wrapped__")
    assert "this" not in sys.modules
    assert later.d["A"] == "N"
    assert "this" in sys.modules
    with pytest.raises(AttributeError, match="nothing"):
        _ = later.nothing


def test_a_module_that_is_missing_can_be_asked_for_again() -> None:
    later = Later("vest_tucker.base.nowhere")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            _ = later.anything
