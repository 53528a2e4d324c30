"""Labels, names and paths that want to do harm: shown as text, wherever they are shown."""

from __future__ import annotations

import io
import re
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.text_table import DRIVING
from vest_tucker.cli.main import main

EVIL = [
    "\x1b]0;owned\x07\x1b[2J", "\u202egnp.exe", "<script>alert(1)</script>", "a\rb", "x\x9b31m",
    "\"><img src=x onerror='alert(1)'>", "\u2066\u2069", "{{7*7}}", "$\\frac{1}{0}$", "\u2028",
]  # fmt: skip
LONG = ["y" * 3_000_000, "y" * 2_999_999 + "z", "\x1b\u202e" * 1_000_000]
MODES = ["who\x1b[31m<b>", "what\u202e", "when"]


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    rng = np.random.default_rng(3)
    labels: list[Any] = [EVIL + LONG, [f"<i>{k}\x07" for k in range(4)], [0, 1, 2]]
    shape = tuple(map(len, labels))
    coords = np.argwhere(np.ones(shape))
    values = rng.normal(size=len(coords)) + coords[:, 0] * (1 + coords[:, 1]) / 5
    return vt.SparseTensor(coords, values, shape, modes=MODES, labels=labels)


@pytest.fixture(scope="module")
def model(tensor: vt.SparseTensor) -> vt.TuckerModel:
    fitted = vt.fit(tensor, preset="paper", ranks=2, sparsity=0.1, max_iter=4, seed=0)
    return fitted.name(0, 0, "warm <b>")


def shows(tensor: vt.SparseTensor, model: vt.TuckerModel) -> list[Any]:
    return [
        tensor, tensor.describe(), model, model.describe(), model.explain([[0, 0, 0], [10, 1, 1]]),
        model.recommend({MODES[1]: ["<i>0\x07"]}, along=MODES[0], k=12), model.residuals(tensor),
        model.importance(), vt.compare({"a\x1b[2J": model}, tensor),
    ]  # fmt: skip


def test_no_text_drives_a_terminal_and_none_is_without_end(
    tensor: vt.SparseTensor, model: vt.TuckerModel
) -> None:
    for each in shows(tensor, model):
        began = time.process_time()
        for text in (str(each), repr(each)):
            assert DRIVING.search(text) is None, type(each)
            assert len(text) < 100_000, type(each)
        assert time.process_time() - began < 10.0


def test_no_html_has_a_tag_of_a_label(tensor: vt.SparseTensor, model: vt.TuckerModel) -> None:
    for each in shows(tensor, model):
        if hasattr(each, "_repr_html_"):
            html = each._repr_html_()
            assert re.search(r"<(script|img|b|i)\b", html) is None, type(each)
            assert DRIVING.search(html) is None, type(each)
            assert len(html) < 200_000, type(each)


def test_the_report_and_pictures(
    tensor: vt.SparseTensor, model: vt.TuckerModel, tmp_path: Path
) -> None:
    model.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<img" not in page
    assert "<script>alert" not in page
    assert "\x1b" not in page
    pytest.importorskip("matplotlib")
    from xml.dom import minidom

    for ax in (model.plot.factor(0), model.plot.core()):
        picture = io.StringIO()
        ax.figure.savefig(picture, format="svg")
        minidom.parseString(picture.getvalue().encode())  # a control character is no XML
        assert DRIVING.search(picture.getvalue()) is None


def test_warnings_and_errors(model: vt.TuckerModel) -> None:
    for label in (EVIL[0], LONG[0]):
        cell = {MODES[0]: [label + "?"], MODES[1]: ["<i>0\x07"], MODES[2]: [0]}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.predict(cell)
        assert caught
        for each in caught:
            assert DRIVING.search(str(each.message)) is None
            assert len(str(each.message)) < 2000
        with pytest.raises(vt.errors.ModeError) as raised:
            model.top(label, 0)
        assert DRIVING.search(str(raised.value)) is None
        assert len(str(raised.value)) < 2000


def test_commands(
    tensor: vt.SparseTensor, model: vt.TuckerModel, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "m\x1b[2J.npz"
    model.save(path)
    assert main(["show", str(path)]) == 0
    assert main(["show", str(tmp_path / "missing\x1b[2J.npz")]) == 1
    path.write_bytes(b"PK\x03\x04")
    assert main(["show", str(path)]) == 1
    vt.write(tensor, tmp_path / "x\x1b.npz")
    assert main(["describe", str(tmp_path / "x\x1b.npz")]) == 0
    told = capsys.readouterr()
    assert DRIVING.search(told.out + told.err) is None
    assert "\\x1b[2J" in told.err


def test_the_data_are_unchanged(
    tensor: vt.SparseTensor, model: vt.TuckerModel, tmp_path: Path
) -> None:
    vt.write(tensor, tmp_path / "x.npz")
    back = vt.read(tmp_path / "x.npz")
    assert back.modes == tuple(MODES)
    assert back.labels[0] is not None
    assert back.labels[0].tolist() == EVIL + LONG
    assert model.factor_frame(0)[MODES[0]].tolist()[0] in EVIL + LONG
