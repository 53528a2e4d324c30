"""What all long calls tell: steps where they are asked for, silence otherwise; and warnings."""

from __future__ import annotations

import inspect
import logging
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from command_line import small_model
from vest_tucker.model import cells, prediction

LONG: list[Any] = [
    vt.fit, vt.path, vt.stability, vt.cross_validate, vt.compare, vt.read, vt.TuckerModel.predict,
    vt.TuckerModel.to_dense, vt.TuckerModel.to_xarray, vt.TuckerModel.recommend,
    vt.TuckerModel.report, vt.Path.report, vt.Stability.report,
]  # fmt: skip


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((12, 10, 8), 2, nnz=400, noise=0.1, seed=0)[0]


@pytest.fixture(scope="module")
def model(tensor: vt.SparseTensor) -> vt.TuckerModel:
    return vt.fit(tensor, 2, seed=0)


@pytest.mark.parametrize("call", LONG)
def test_every_long_call_has_the_option(call: Callable[..., Any]) -> None:
    parameter = inspect.signature(call).parameters["progress"]
    assert parameter.kind is parameter.KEYWORD_ONLY
    assert parameter.default == "auto"


def parts(tensor: vt.SparseTensor) -> dict[str, Any]:
    """Return entries to compare on, and others."""
    odd = np.arange(tensor.nnz) % 2 == 1
    return {"test": tensor.subset(odd), "train": tensor.subset(~odd)}


def calls(tensor: vt.SparseTensor, model: vt.TuckerModel) -> dict[str, Callable[..., Any]]:
    """Return long calls by the name that their show has."""
    quick: dict[str, Any] = {"ranks": 2, "seed": 0, "preset": "paper", "lam": 0.01, "max_iter": 3}
    return {
        "fit": lambda **how: vt.fit(tensor, **quick, **how),
        "path": lambda **how: vt.path(tensor, 2, preset="paper", seed=0, step=0.3, **how),
        "cross_validate": lambda **how: vt.cross_validate(tensor, k=2, **quick, **how),
        "compare": lambda **how: vt.compare({"mine": model}, **parts(tensor), **how),
        "to_dense": lambda **how: model.to_dense(**how),
        "recommend": lambda **how: model.recommend({"mode_0": ...}, along="mode_1", k=2, **how),
        "report": lambda **how: model.report("page.html", **how),
        "reading X.tns": lambda **how: vt.read("X.tns", **how),
    }


@pytest.mark.parametrize("name", calls(None, None))  # type: ignore[arg-type]
def test_silent_unless_asked_and_never_on_standard_output(
    tensor: vt.SparseTensor,
    model: vt.TuckerModel,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    vt.write(tensor, "X.tns")
    call = calls(tensor, model)[name]
    for how in ({}, {"progress": False}):
        call(**how)
        shown = capsys.readouterr()
        assert shown.out == shown.err == ""
    call(progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"] {name}" in shown.err.splitlines()[-1]
    with pytest.raises(vt.errors.OptionError, match="progress is 'yes'"):
        call(progress="yes")


def test_studies_contain_their_fits(
    tensor: vt.SparseTensor, model: vt.TuckerModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "vest_tucker")
    calls(tensor, model)["cross_validate"]()
    begin = "cross_validate: 1 of 2, relative error 0."
    inside = [each for each in caplog.messages if each.startswith(begin)]
    assert any(" > fit > iterating, random: 3 of 3, error" in each for each in inside)
    caplog.clear()
    calls(tensor, model)["compare"]()
    assert caplog.messages[-1].startswith("compare: 3 of 3, biases (")


# --- Very many cells ------------------------------------------------------------------------------


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cells, prediction):
        monkeypatch.setattr(module, "AT_ONCE", 7)
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 7)


@pytest.mark.parametrize("how", [{}, {"return_std": True, "interval": 0.9}, {"unseen": "nan"}])
def test_many_cells_are_predicted_in_blocks_and_told(
    tensor: vt.SparseTensor,
    model: vt.TuckerModel,
    how: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    request: pytest.FixtureRequest,
) -> None:
    weighted = tensor.with_weights(np.linspace(0.5, 2.0, tensor.nnz))
    given: list[Any] = [
        weighted, tensor.coords,
        dict(zip(model.modes, [[*each, 999] for each in tensor.coords.T.tolist()], strict=True)),
    ]  # fmt: skip
    whole = [np.array(model.predict(each, **how)) for each in given]
    request.getfixturevalue("few_are_many")
    caplog.set_level(logging.DEBUG, "vest_tucker")
    for each, expected in zip(given, whole, strict=True):
        assert np.array(model.predict(each, **how)).tobytes() == expected.tobytes()
    assert "predict > values: 14 of 400" in caplog.messages
    assert "predict > values: 400 of 400" in caplog.messages
    assert ("predict > standard deviations: 14 of 400" in caplog.messages) == ("interval" in how)


def test_an_error_names_the_row_among_all_cells(few_are_many: None) -> None:
    model = small_model()
    known = tuple(labels[0] for labels in model.labels if labels is not None)
    with pytest.raises(vt.errors.LabelError, match="row 20 "):
        model.predict([*[known] * 20, ("nobody", *known[1:])], unseen="error")


def test_few_cells_are_not_worth_a_word(
    tensor: vt.SparseTensor, model: vt.TuckerModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "vest_tucker")
    model.predict(tensor)
    assert caplog.messages == []


# --- Warnings -------------------------------------------------------------------------------------


def interrupting(record: vt.IterationRecord) -> None:
    if record.iteration == 2:
        signal.raise_signal(signal.SIGINT)


def here() -> int:
    """Return the line that this is called in."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


WARNED: list[tuple[str, type[Warning], Callable[[vt.SparseTensor], tuple[int, object]]]] = [
    ("the ranks are at most", vt.errors.RanksWarning,
     lambda X: (here(), vt.fit(X, 50, seed=0, callback=lambda record: True))),
    ("interrupted after 2 sweeps.*checkpoint=", vt.errors.InterruptedWarning,
     lambda X: (here(), vt.fit(X, seed=0, callback=interrupting))),
    ("interrupted after 2 complete.*warm_start", vt.errors.InterruptedWarning,
     lambda X: (here(), vt.fit(X, 2, preset="paper", lam=0.1, seed=0, callback=interrupting))),
    ("lower the sparsity", vt.errors.SparsityWarning,
     lambda X: (here(), vt.fit(X, 1, preset="paper", sparsity=0.999, lam=0.1, seed=0))),
    ("try lam=", vt.errors.EmptyModelWarning,
     lambda X: (here(), vt.fit(X, 2, preset="paper", lam=1e9, seed=0))),
    ("try lam=", vt.errors.EmptyModelWarning,
     lambda X: (here(), vt.stability(X, 2, 2, preset="paper", lam=1e9, seed=0, max_iter=3))),
    ("try lam=", vt.errors.EmptyModelWarning,
     lambda X: (here(), vt.cross_validate(X, 2, ranks=2, preset="paper", lam=1e9, seed=0))),
    ("did you mean", vt.errors.UnseenLabelsWarning,
     lambda X: (here(), small_model().predict([("BOB", "rice", 12)]))),
    ("convert them first", vt.errors.UnseenLabelsWarning,
     lambda X: (here(), small_model().predict({"who": "bob", "dish": "rice", "hour": "noon"}))),
]  # fmt: skip


@pytest.mark.parametrize(("what", "category", "call"), WARNED)
def test_a_warning_says_what_to_do_and_points_to_the_line_of_the_user(
    what: str,
    category: type[Warning],
    call: Callable[[vt.SparseTensor], tuple[int, object]],
) -> None:
    X, _ = vt.datasets.synthetic((40, 60, 50), 2, nnz=600, noise=0.1, seed=0)
    with pytest.warns(category, match=what) as caught:
        line, _ = call(X)
    for each in caught:
        assert (each.filename, each.lineno) == (__file__, line)
        assert each.category.__module__ == "vest_tucker.errors"
