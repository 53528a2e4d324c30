"""How a model was made, and what can be downloaded."""

from __future__ import annotations

import pytest

import vest_tucker as vt
from reports import factored
from vest_tucker.report.data import contents_within
from vest_tucker.report.sections.made import made
from vest_tucker.report.tables import ModelTables


@pytest.fixture(scope="module")
def fitted() -> vt.TuckerModel:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    return vt.fit(X, seed=7)


def test_settings_versions_and_fingerprint(fitted: vt.TuckerModel) -> None:
    tables = ModelTables(fitted)
    text = made(tables, contents_within(tables, 1e6))
    assert fitted.made is not None
    assert fitted.made["data"]["sha256"] in text
    assert "<dt>seed</dt><dd>7</dd>" in text
    assert f"<dt>versions: vest_tucker</dt><dd>{vt.__version__}</dd>" in text


def test_every_table_can_be_downloaded() -> None:
    tables = ModelTables(factored(modes=("a/b", "dish", "hour")))
    text = made(tables, contents_within(tables, 1e6))
    for file in ("observed", "errors", "relations"):
        assert f'download="{file}.csv"' in text
    for file in ("weights-a_b", "labels-a_b", "weights-hour"):
        assert f'data-file="{file}.csv"' in text
    assert text.count("relations.csv</") == 1


def test_a_long_table_of_relations_is_written_by_the_script() -> None:
    tables = ModelTables(factored(shape=(20, 20, 20), ranks=(15, 15, 15)))
    text = made(tables, contents_within(tables, 1e6))
    assert 'data-table="core"' in text
    assert 'download="relations.csv"' not in text
