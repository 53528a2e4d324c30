"""``config``: what a bug report should say."""

from __future__ import annotations

import vest_tucker as vt
from command_line import run
from vest_tucker.base.config import config


def test_versions_and_kernels() -> None:
    assert run("config").out.splitlines()[0] == f"vest-tucker  {vt.__version__}"
    assert run("config", "--json").json["config"] == config()
