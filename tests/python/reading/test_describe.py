"""A model in words: the strongest first, honest about what is unexplained, names used."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

import vest_tucker as vt
from small import labelled, made


def test_the_town(town: vt.TuckerModel) -> None:
    told = str(town.describe(unit="orders")).splitlines()
    assert told[0] == "A model of 160 x 24 x 17 (person, dish, hour), fitted to 20,000 entries."
    assert told[1].startswith("A prediction is the sum of 5 relations")
    assert told[2] == (
        "Together they explain 94 % of what always predicting the mean leaves of the entries "
        "fitted; unexplained: 6 %."
    )
    assert re.fullmatch(
        r"Held out: error 0\.\d+ on 2,000 entries not fitted; the mean 0\.8858, biases 0\.8510; "
        r"73 % lower than biases alone\. Unexplained there: 7 %\.",
        told[3],
    )
    sizes = [line for line in told if re.match(r"  [+-]", line)]
    assert re.match(r"  \+19\.6 orders, up to \+\d+(\.\d)?, 36 %; error 0\.57", sizes[0])
    assert len(sizes) == 5
    assert told.count("    hour    7 to 10") == 2


def test_named_groups_make_a_table(town: vt.TuckerModel) -> None:
    named = dataclasses.replace(town)
    for mode, rank in zip(town.modes, town.ranks, strict=True):
        for component in range(rank):
            named.name(mode, component, f"{mode[0]}{component}")
    told = str(named.describe(2)).splitlines()
    strongest = [re.sub(r", up to \+\d+(\.\d)?", "", line) for line in told[6:9]]
    assert strongest == ["  +19.6  36 %  p2 × d3 × h3", "  +19.7  28 %  p0 × d1 × h0",
                         "and 3 more relations"]  # fmt: skip
    assert "    +19.6  36 %  p2 × d3 × h3\n" in str(named)


def test_up_to_is_what_the_strongest_labels_add() -> None:
    factors = [[[1.0], [2.0], [3.0]], [[1.0], [1.0]]]
    model = made([[2.0]], factors, labels=[["a", "b", "c"], None])
    size = 2.0 * (14 / 3) ** 0.5
    assert f"  +{size:.3g}, up to +6  " in str(model.describe())
    assert float(model.predict([[2, 0]])[0]) == 6.0
    assert "up to +" not in str(made([[2.0]], [[[1.0], [1.0]], [[1.0], [1.0]]]).describe())


def test_effects_come_before_pairs(rated: vt.TuckerModel) -> None:
    description = rated.describe()
    assert [each.title for each in description.effects] == ["Effects of film", "Effects of user"]
    assert next(name for name, _ in description.families) == "user × film"
    told = str(description).splitlines()
    assert told[1].startswith("A prediction is the sum of the base level 3.4")
    assert "effects of 2 modes" in told[1]
    assert told.index("user × film:") > told.index(
        next(line for line in told if line.startswith("Effects of user"))
    )


def test_the_unit_is_beside_every_number(rated: vt.TuckerModel) -> None:
    told = str(rated.describe(unit="stars"))
    assert re.search(r"the base level 3\.\d+ stars, effects", told)
    assert re.search(r"Effects of film: typically [\d.]+ stars, \d+ %\n  .* \+[\d.]+ stars, ", told)
    page = rated.describe(unit="stars")._repr_html_()
    assert re.search(r"Effects of film: typically [\d.]+ stars", page)
    assert len(re.findall(r">\+[\d.]+ stars<", page)) >= 3


def test_biases_are_told_too(ratings: vt.SparseTensor) -> None:
    description = vt.fit(ratings, 2, preset="paper", offset="biases", lam=0.1, seed=0).describe()
    assert [each.title for each in description.effects] == [
        "Biases of film", "Biases of user", "Biases of hour",
    ]  # fmt: skip
    shares = [each.share for each in description.effects]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.2
    assert "How good it is on entries that were not fitted was not measured." in str(description)


def test_nothing_is_claimed_that_was_not_measured(model: vt.TuckerModel) -> None:
    told = str(labelled(model).describe())
    assert "How much each part carries was not measured" in told
    assert "%" not in told
    assert "explain" not in told


def test_a_model_that_is_worse_than_the_mean_says_so(model: vt.TuckerModel) -> None:
    X = vt.SparseTensor(np.argwhere(np.ones(model.shape)), np.full(60, -50.0) + np.arange(60))
    told = str(model.measure_importance(X).describe())
    assert "the error is larger than that of always predicting the mean" in told


def test_relations_that_carry_the_level_are_told_to(rng: np.random.Generator) -> None:
    cells = np.argwhere(np.ones((6, 5)))
    X = vt.SparseTensor(cells, 100.0 + rng.normal(size=30))
    model = made([[100.0]], [np.ones((6, 1)), np.ones((5, 1))]).measure_importance(X)
    assert "no mean of its own" in str(model.describe())


def test_the_frame(rated: vt.TuckerModel) -> None:
    pytest.importorskip("pandas")
    frame = rated.describe().frame(backend="pandas")
    assert list(frame.columns) == [
        "relation", "user", "film", "hour", "size", "growth", "share", "error_without",
    ]  # fmt: skip
    assert frame.loc[0, "relation"] == "2,2,0"
    assert frame.loc[0, "hour"] == ""
    assert "film " in frame.loc[0, "film"]


def test_a_model_of_zeros_is_described() -> None:
    model = made(np.zeros((1, 1)), [np.ones((2, 1))] * 2)
    description = model.describe()
    assert "A prediction is the sum of 0 relations." in str(description)
    assert description.notes == []
    assert repr(description) == "Description(relations=0 of 0)"


def test_every_fit_of_the_paper_ends_its_summary_with_relations(prunable: vt.SparseTensor) -> None:
    model = vt.fit(prunable, 2, preset="paper", lam=0.1, seed=0)
    lines = str(model).splitlines()
    at = lines.index(
        "  strongest relations (size at typical labels, share of what the mean leaves):"
    )
    assert all(re.match(r"    +[+-]", line) for line in lines[at + 1 : at + 6])


def test_a_summary_does_not_take_long(
    town: vt.TuckerModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.reading.describe.QUICK", 100)
    assert str(town).splitlines()[-1] == "  strongest relations: model.describe() tells them"


def test_what_adds_next_to_nothing_is_not_told() -> None:
    core = np.array([[2.0, 1e-9], [0.0, 1.0]])
    factors = [np.eye(2), np.eye(2)]
    told = made(core, factors).describe()
    assert told.sentences[1] == (
        "A prediction is the sum of 2 relations; 1 more adds next to nothing."
    )
    assert [each.index for each in told.relations] == [(0, 0), (1, 1)]


@pytest.mark.parametrize("unit", ["ns", "us", "D"])
def test_times_are_told_as_times_in_whatever_unit(unit: str) -> None:
    days = np.arange("2024-01-01", "2024-01-05", dtype="datetime64[D]").astype(f"M8[{unit}]")
    labels = [["ann", "bob"], days]
    model = made([[2.0]], [[[1.0], [0.5]], [[1.0], [0.0], [2.0], [0.0]]], labels=labels)
    cell = {"mode_0": "ann", "mode_1": days[2:3]}
    texts = [str(model.describe()), str(model.explain(cell)), model._repr_html_()]
    assert all("2024-01-03" in text for text in texts)
    assert not any("0000000" in text for text in texts)
    assert str(model.top(1, 0)[0][0]).startswith("2024-01-03")
