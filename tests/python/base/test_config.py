"""What an installation says of itself."""

from __future__ import annotations

import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.base.config import config


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
