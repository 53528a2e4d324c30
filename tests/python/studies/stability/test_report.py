"""The report of a stability study: which groups, labels and relations come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from reports import factored
from vest_tucker.report.tables import ModelTables
from vest_tucker.studies.stability.report import stability_section, stability_tables
from vest_tucker.studies.stability.result import Stability, compare


@pytest.fixture(scope="module")
def found() -> Stability:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, noise=0.2, seed=0)
    return vt.stability(X, 2, 3, preset="paper", lam=0.01, max_iter=30, seed=0)


def test_the_page_says_what_comes_back(found: Stability, tmp_path: Path) -> None:
    file = tmp_path / "stability.html"
    found.report(file)
    text = file.read_text("utf-8")
    assert "Does it come back?" in text
    assert "The same fit was made 3 times" in text
    assert text.count(" of 2</td>") == sum(int(mode.exists.sum()) for mode in found.modes)
    best = ModelTables(found.reference).relations[0].index
    back = int(found.core.returned.sum(axis=0).reshape(found.core.value.shape)[best])
    assert f"It came back in {back} of 2 other fits." in text
    assert "from one start" not in text
    assert "Labels of mode_0 that come back" in text


def test_the_tables_are_those_of_the_frames(found: Stability) -> None:
    groups, relations, *labels = stability_tables(found)
    assert groups.columns == ("mode", "component", "returns", "share", "similarity", "chance")
    assert len(relations.rows) == np.count_nonzero(found.core.value)
    assert len(labels) == 3


def test_mean_effects_and_what_meets_no_label_are_no_relations() -> None:
    core = np.array([[3.0, 2.0, 0.0], [1.0, 4.0, 5.0], [0.0, 0.0, 6.0]])
    rows = np.column_stack([np.ones(4), [1.0, -1.0, 0.5, -0.5], [1.0, 0.0, -1.0, 0.0]])
    columns = np.column_stack([np.ones(3), [0.5, 1.0, -1.0], np.zeros(3)])
    model = vt.TuckerModel(core, [rows, columns], constant=True)
    content = stability_section(compare([model, model], [0, 1], 0.8)).content
    assert "Of 1 relation, 1 came back" in content
    plain = vt.TuckerModel(core, [rows, columns])
    content = stability_section(compare([plain, plain], [0, 1], 0.8)).content
    assert "Of 4 relations, 4 came back" in content


def test_a_single_fit_has_nothing_to_compare_with() -> None:
    alone = compare([factored()], [0], 0.8)
    assert "no other fit" in stability_section(alone).content
