"""Packages that only some functions need: what is said where one is missing."""

from __future__ import annotations

import importlib
import signal

import pytest

import vest_tucker as vt
from vest_tucker.base.extras import needed_for


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
