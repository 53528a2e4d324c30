"""Commands run in this process, with what they read and write kept apart; files to try them on."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import vest_tucker as vt
from vest_tucker.cli.main import main

TABLE = """who,dish,hour,stars
ann,soup,12,4
ann,rice,18,2
bob,soup,12,5
bob,tea,8,1.5
eve,rice,18,3
eve,tea,8,2
"""


class Ran(NamedTuple):
    """What a command returned and wrote."""

    code: int
    out: str
    err: str
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(*words: str | Path, stdin: str | bytes = "") -> Ran:
    """Run a command as if typed; one that ends by itself, as --help does, returns as well.

    Texts are divided as a shell divides them, paths are not.
    """
    divided = [shlex.split(word) if isinstance(word, str) else [str(word)] for word in words]
    given = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = io.BytesIO(), io.BytesIO()
    with (
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given))),
        patch.object(sys, "stdout", io.TextIOWrapper(out, write_through=True)),
        patch.object(sys, "stderr", io.TextIOWrapper(err, write_through=True)),
    ):
        try:
            code = main([part for parts in divided for part in parts])
        except SystemExit as end:
            code = int(end.code or 0)
        raw = out.getvalue()
        return Ran(code, raw.decode("utf-8", "replace"), err.getvalue().decode(), raw)


def small_model() -> vt.TuckerModel:
    """A model of people, dishes and hours that predicts products of whole numbers."""
    core: Any = [[[2.0]]]
    factors: Any = [[[1.0], [2.0], [3.0]], [[1.0], [2.0]], [[1.0], [0.5]]]
    labels: Any = [["ann", "bob", "eve"], ["soup", "rice"], [12, 18]]
    return vt.TuckerModel(core, factors, modes=("who", "dish", "hour"), labels=labels)
