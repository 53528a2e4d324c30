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
model = vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]])
BEFORE
sys.setprofile(look)
try:
    CALL
except KeyboardInterrupt:
    print(len(met))
"""


@pytest.mark.parametrize(
    "call",
    [
        "vt.fit(X, on_interrupt='raise')", "vt.path(X)", "vt.Path",
        "str(model)", "model._repr_html_()", "model.describe()", "model.explain([(0, 1)])",
        "model.recommend({'mode_0': 0}, 'mode_1')", "model.importance()", "model.residuals(X)",
        "model.top(0, 0)", "model.groups_frame(0)", "model.similar(0, 0)",
        "model.report('page.html')", "model.plot", "model.fold_in(0, X)", "model.update(X)",
        "X._repr_html_()", "X.plot()",
    ],
)  # fmt: skip
def test_an_interrupted_load_is_an_interrupt(call: str) -> None:
    assert_interrupted(call)


def test_so_is_that_of_a_report_of_a_study() -> None:
    assert_interrupted(
        "found.report('page.html')",
        "from vest_tucker.studies.stability.result import compare\n"
        "found = compare([model, model], [0, 1], 0.9)",
    )


def assert_interrupted(call: str, before: str = "") -> None:
    program = PROGRAM.replace("CALL", call).replace("BEFORE", before)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout.split() == ["1"], ended.stderr
