"""What an installation says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.base.config import config, versions


def test_the_chosen_kernels_are_named() -> None:
    assert config()["kernels"].startswith(_core.isas()[0])
    assert _core.isas()[-1] == "base"  # runs anywhere


def test_everything_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    vt.show_config()
    shown = capsys.readouterr().out
    for name, value in config().items():
        assert f"{name:<12} {value}\n" in shown
    assert vt.__version__ in shown
    assert _core.__compiler__ in shown


def test_packages_are_named_without_being_loaded() -> None:
    (found,) = versions(["no-such-package", "numpy"])
    assert found == f"numpy {np.__version__}"
    assert config()["packages"]


def test_what_changes_the_threads_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert config()["threads"].endswith("processors, OMP_NUM_THREADS=1")
