"""Ctrl-C while a call loads modules that nobody has needed before."""

from __future__ import annotations

import subprocess
import sys

import pytest

# In the middle of a class: before 3.12 Python makes a RuntimeError of whatever is raised there.
PROGRAM = """
import _thread, sys
import vest_tucker as vt

met = []

def look(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "__set_name__":
        met.append(frame.f_code)
        sys.setprofile(None)
        _thread.interrupt_main()

X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0])
sys.setprofile(look)
try:
    CALL
except KeyboardInterrupt:
    print(len(met))
"""


@pytest.mark.parametrize("call", ["vt.fit(X, on_interrupt='raise')", "vt.path(X)", "vt.Path"])
def test_an_interrupted_load_is_an_interrupt(call: str) -> None:
    program = PROGRAM.replace("CALL", call)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout.split() == ["1"], ended.stderr
