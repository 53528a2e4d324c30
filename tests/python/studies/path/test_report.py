"""The report of a path: the curve, the stops, and the model at the knee."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.report.numbers import percent
from vest_tucker.studies.path.report import path_section, path_table


@pytest.fixture(scope="module")
def found() -> vt.Path:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, sparsity=0.5, noise=0.2, seed=0)
    return vt.path(X, 2, preset="paper", lam=0.01, step=0.1, seed=0)


def test_the_page_is_about_the_path_and_its_best_model(found: vt.Path, tmp_path: Path) -> None:
    file = tmp_path / "path.html"
    found.report(file, title="Zeros")
    text = file.read_text("utf-8")
    assert '<a href="#path">How sparse?</a>' in text
    assert 'class="curve"' in text
    assert text.count(f">{found.best_index} (the knee)<") == 1
    assert text.count("<article") == np.count_nonzero(found.best.core)


def test_all_stops_are_in_the_table(found: vt.Path) -> None:
    table = path_table(found)
    assert len(table.rows) == len(found)
    at = table.columns.index("error")
    assert [row[at] for row in table.rows] == [step.error for step in found.steps]
    assert 'download="path.csv"' in path_section(found).content


def test_the_share_pruned_is_told_beside_that_of_zeros() -> None:
    X, _ = vt.datasets.synthetic((12, 10, 8), 2, nnz=600, sparsity=0.5, noise=0.2, seed=0)
    wide = vt.SparseTensor(X.coords, X.values, (40, 10, 8))  # rows without entries
    path = vt.path(wide, 2, seed=0)
    knee = path.steps[path.best_index]
    text = path_section(path).content
    assert knee.share != knee.sparsity
    assert (
        f"{percent(knee.share)} of what could be pruned is, and {percent(knee.sparsity)} of" in text
    )


def test_entries_held_back_have_a_curve_of_their_own() -> None:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, noise=0.2, seed=0)
    train, test = vt.train_test_split(X, test=0.2, seed=0)
    held = vt.path(train, 2, preset="paper", lam=0.01, step=0.2, seed=0, validation=test)
    content = path_section(held).content
    assert content.count("<polyline") == 2
    assert "held out</th>" in content
