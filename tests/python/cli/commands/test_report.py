"""``report``: the page of `TuckerModel.report`."""

from __future__ import annotations

from pathlib import Path

import vest_tucker as vt
from command_line import run, small_model


def test_a_page(tmp_path: Path) -> None:
    small_model().save(tmp_path / "model.npz")
    page = tmp_path / "page.html"
    shown = run("report", tmp_path / "model.npz", "-o", page, "--title 'Who eats what'")
    assert (shown.code, shown.out, shown.err) == (0, "", f"wrote {page}\n")
    assert "Who eats what</h1>" in page.read_text("utf-8")
    piped = run("report", tmp_path / "model.npz", "-o -", "--title 'Who eats what'")
    assert piped.raw == page.read_bytes()


def test_a_fit_with_a_page(tmp_path: Path) -> None:
    X, _ = vt.datasets.synthetic((12, 10, 8), 2, nnz=600, seed=0)
    vt.write(X, tmp_path / "X.npz")
    words = "--ranks 2 --loss lf --lam 0.01 --seed 0"
    shown = run("fit", tmp_path / "X.npz", words, "--report", tmp_path / "page.html")
    assert shown.code == 0, shown.err
    assert "<html" in (tmp_path / "page.html").read_text("utf-8")
