"""The report of a model: written whole or not at all, within its budget, the same each time."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from reports import MODELS, factored, odd
from vest_tucker.report.model_page import Choices, model_page


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_has_a_page_the_same_each_time(name: str) -> None:
    first, second = (model_page(MODELS[name]()) for _ in range(2))
    assert first == second
    assert len(first) < 200_000


def test_a_report_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    factored().report(file, title="<Delays>", note="of 2013", unit="minutes")
    text = file.read_text("utf-8")
    assert '<h1 dir="auto">&lt;Delays&gt;</h1>' in text
    assert "of 2013" in text
    assert "\u00a0minutes" in text
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_report_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("old", "utf-8")
    with pytest.raises(vt.errors.OptionError, match=r"budget is 1,000; the least page .* bytes"):
        factored().report(file, budget=1_000)
    assert file.read_text("utf-8") == "old"


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.txt"])
def test_a_report_is_html_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(vt.errors.OptionError, match=r"does not end in \.html; a browser prints"):
        factored().report(tmp_path / name)
    assert not list(tmp_path.iterdir())
    factored().report(tmp_path / "REPORT.HTM")


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"^the folder '.*nope' does not exist$"):
        factored().report(tmp_path / "nope" / "report.html")


@pytest.mark.parametrize("budget", [0, -5, 1.5, "2 MB", True])
def test_budgets_that_are_none(budget: Any) -> None:
    with pytest.raises((vt.errors.OptionError, TypeError), match="budget"):
        model_page(factored(), Choices(budget=budget))


def long_model(n: int) -> vt.TuckerModel:
    """Make a model with a long mode, of long labels."""
    labels = [[f"label {i:06} " + "é" * (i % 40) for i in range(n)], None, None]
    model = factored(shape=(n, 40, 12), ranks=(6, 5, 4), labels=labels)
    variances = [np.full(factor.shape, 0.01) for factor in model.factors]
    return dataclasses.replace(model, factor_variances=variances)


def test_the_budget_is_kept_and_told() -> None:
    model = long_model(6_000)
    whole = model_page(model)
    assert b"All labels and all weights that are not zero are in this page" in whole
    small = model_page(model, Choices(budget=300_000))
    assert 200_000 < len(small) <= 300_000
    assert b" of 6,000 labels of mode_0" in small
    assert len(small) < len(whole)


def test_a_million_ratings_fit_into_two_megabytes() -> None:
    """The shape of MovieLens-1M with months and hours, four in five numbers zero: all labels."""
    rng = np.random.default_rng(0)
    shape, ranks = (6040, 3706, 36, 24), (20, 20, 5, 5)
    parts = [
        rng.normal(size=ranks),
        *(rng.normal(size=each) for each in zip(shape, ranks, strict=True)),
    ]
    for part in parts:
        part[rng.random(part.shape) < 0.8] = 0.0
    films = [f"A film of some length, part {i} ({1930 + i % 70})" for i in range(shape[1])]
    labels: Any = [[str(i) for i in range(shape[0])], films, None, None]
    model = vt.TuckerModel(parts[0], parts[1:], labels=labels)
    written = model_page(model)
    assert len(written) < 2_000_000
    assert b"All labels and all weights that are not zero are in this page" in written
    assert b'id="cell-form"' in written


def test_a_budget_too_small_for_all_pictures_shows_fewer_relations() -> None:
    model = long_model(3_000)
    pages = [model_page(model, Choices(budget=size)) for size in (160_000, 2_000_000)]
    shown = [page.count(b'<article class="relation"') for page in pages]
    assert len(pages[0]) <= 160_000
    assert shown[0] < shown[1] <= 30


def test_hostile_labels_are_in_no_page_as_they_are() -> None:
    text = model_page(odd()).decode()
    assert "<script>document" not in text
    assert "<img" not in text
    assert text.count("<script") == 2


def test_names_of_modes_of_ten_megabytes_are_cut_short(tmp_path: Path) -> None:
    X, _ = vt.datasets.synthetic((6, 5, 4), 2, nnz=80, seed=0)
    names = ["x" * 10_000_000, "x" * 10_000_001, "hour"]
    X = vt.SparseTensor(X.coords, X.values, X.shape, modes=names)
    found = vt.stability(X, 2, 2, preset="paper", lam=0.01, max_iter=2, seed=0)
    for write in (found.reference.report, found.report):
        write(tmp_path / "page.html")
        assert (tmp_path / "page.html").stat().st_size < 2_000_000
    with pytest.raises(vt.errors.ModeError) as caught:
        found.reference.predict({"our": [0]})
    assert len(str(caught.value)) < 5_000
