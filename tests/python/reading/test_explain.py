"""Explanations: terms that add up to predictions, whatever the model and whatever it has seen."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import labelled, made, small_model, with_biases


def sums(explanation: vt.Explanation) -> Any:
    return np.bincount(explanation.cells, explanation.values, minlength=len(explanation))


def effects_model(rng: np.random.Generator) -> vt.TuckerModel:
    """Make a model with a constant column: a mean, effects of two modes, a pair and a triple."""
    factors = [np.column_stack([np.ones(dim), rng.normal(size=(dim, 2))]) for dim in (4, 3, 5)]
    core = np.zeros((3, 3, 3))
    core[0, 0, 0], core[1, 0, 0], core[0, 0, 1] = 3.5, 1.0, -0.5
    core[2, 2, 0], core[1, 1, 2] = 0.7, 0.2
    return made(core, factors, constant=True)


def models() -> dict[str, vt.TuckerModel]:
    rng = np.random.default_rng(5)
    plain = small_model(rng)
    plain.core[0, 0, 1] = 0.0
    counts = [rng.integers(0, 3, dim) for dim in plain.shape]
    some = {
        "plain": plain,
        "labelled": labelled(plain),
        "biases": with_biases(plain, rng),
        "mean": dataclasses.replace(plain, offset=vt.Offset("mean", 2.5)),
        "constant": effects_model(rng),
        "constant, labelled": labelled(effects_model(rng)),
        "zeros": dataclasses.replace(plain, core=np.zeros(plain.ranks)),
    }
    seen = {
        f"{name}, rows without entries": dataclasses.replace(each, entries=counts)
        for name, each in some.items()
    }
    return some | seen


@pytest.mark.parametrize("unseen", ["mean", "zero", "nan"])
@pytest.mark.parametrize("model", models().values(), ids=models().keys())
def test_terms_add_up_to_the_prediction(model: vt.TuckerModel, unseen: Any) -> None:
    cells = np.argwhere(np.ones(model.shape))
    explanation = model.explain(cells, unseen=unseen)
    want = model.predict(cells, unseen=unseen)
    np.testing.assert_array_equal(explanation.totals, want)
    np.testing.assert_allclose(sums(explanation), want, rtol=1e-12, atol=1e-13)
    assert (explanation.values != 0.0).all()
    for number in (0, 17, -1):
        one = explanation[number]
        total = sum(term.value for term in one.terms)
        assert total == pytest.approx(want[number], nan_ok=True)


@pytest.mark.parametrize("name", ["labelled", "constant, labelled"])
@pytest.mark.parametrize("unseen", ["mean", "zero", "nan"])
def test_labels_that_the_model_does_not_have(name: str, unseen: Any) -> None:
    model = models()[name]
    cells = [("ann", 30, np.datetime64("2021-05-01")), ("eve", 30, np.datetime64("2021-05-01"))]
    explanation = model.explain(cells, unseen=unseen)
    want = model.predict(cells, unseen=unseen)
    np.testing.assert_array_equal(explanation.totals, want)
    np.testing.assert_allclose(sums(explanation), want)
    note = "not seen: the average stands for it" if unseen == "mean" else "not seen"
    assert explanation.title(0) == "user ann, film 30, day 2021-05-01"
    assert explanation[1].title() == f"user eve ({note}), film 30, day 2021-05-01"
    assert str(explanation).count(f"({note})") == 1
    with pytest.raises(vt.errors.LabelError, match="eve"):
        model.explain(cells, unseen="error")


def test_fits_are_explained(rated: vt.TuckerModel, ratings: vt.SparseTensor) -> None:
    explanation = rated.explain(ratings)
    np.testing.assert_allclose(sums(explanation), rated.predict(ratings), rtol=1e-10)
    one = explanation[0]
    assert [term.kind for term in one.terms][:2] == ["mean", "effect"]
    assert one.terms[0].index == (0, 0, 0)
    assert one.terms[1].text.startswith(("effect of film film ", "effect of user "))
    assert {"relation"} == {term.kind for term in one.terms[3:]}


def test_a_single_cell_and_how_it_is_told(town: vt.TuckerModel) -> None:
    named = dataclasses.replace(town).name("hour", 1, "morning")
    explanation = named.explain(("Leo (clerk)", "muesli", 8))
    assert len(explanation) == 1
    first, second, *_ = str(explanation).splitlines()
    assert first == "person Leo (clerk), dish muesli, hour 8: 23.4"
    assert second.strip().startswith("+23.4  Leo (clerk), ")
    assert second.endswith(" × morning")


def test_a_cell_that_nothing_reaches() -> None:
    model = made([[2.0]], [[[1.0], [0.0]], [[1.0]]])
    assert str(model.explain((1, 0))).splitlines()[1] == "  no term reaches this cell"


def test_terms_next_to_nothing_are_not_told() -> None:
    model = made([[2.0, 1e-9], [3e-9, 1.0]], [np.ones((2, 2)), np.ones((2, 2))])
    explanation = model.explain((0, 0))
    assert [value for value, _ in explanation.told()] == [2.0, 1.0]
    assert len(explanation.terms) == 4
    assert len(str(explanation).splitlines()) == 3


def test_of_many_terms_and_cells_the_first_are_told(model: vt.TuckerModel) -> None:
    full = made(np.ones((4, 4)), [np.ones((5, 4))] * 2)
    lines = str(full.explain([[0, 0]])).splitlines()
    assert len(lines) == 1 + 12 + 1
    assert lines[-1].split() == ["+4", "4", "more", "terms", "together"]
    cells = np.argwhere(np.ones(model.shape))
    assert str(model.explain(cells)).endswith("and 50 more cells")


def test_the_frame_has_a_row_per_term(model: vt.TuckerModel) -> None:
    pytest.importorskip("pandas")
    named = dataclasses.replace(model, modes=("user", "value", "day"))
    frame = named.explain([[0, 0, 0], [2, 1, 3]]).frame(backend="pandas")
    assert list(frame.columns) == ["cell", "user", "value_", "day", "kind", "term", "value"]
    totals = frame.groupby("cell")["value"].sum().to_numpy()
    np.testing.assert_allclose(totals, named.predict([[0, 0, 0], [2, 1, 3]]))


def test_no_cells(model: vt.TuckerModel) -> None:
    explanation = model.explain(np.zeros((0, 3), dtype=int))
    assert (len(explanation), len(explanation.values), str(explanation)) == (0, 0, "")


def test_cells_that_are_none(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.CoordinateError, match="outside"):
        model.explain([[0, 0, 5]])
    with pytest.raises(IndexError, match="there is no cell 1"):
        _ = model.explain([[0, 0, 0]])[1]
    with pytest.raises(vt.errors.OptionError, match="unseen"):
        model.explain([[0, 0, 0]], unseen="guess")  # type: ignore[arg-type]
