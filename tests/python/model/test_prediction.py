"""Predictions where the model has seen nothing: the average of what it knows, or as asked."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from small import LABELS, dense, everywhere, labelled, small_model
from vest_tucker.model.prediction import HowUnseen, average_row

ENTRIES = ([3, 1, 2, 0], [1, 4, 1], [2, 0, 2, 1, 1])


@pytest.fixture
def model(model: vt.TuckerModel) -> vt.TuckerModel:
    """One whose last user and second day had no entry; the second user was pruned empty."""
    entries = [np.array(counts) for counts in ENTRIES]
    made = dataclasses.replace(labelled(model), entries=entries)
    made.factors[0][3] = made.factors[2][1] = 0.0
    return made


def averages(model: vt.TuckerModel) -> Any:
    """Return the Tucker sums with a slice more in each mode: the average over its entries."""
    table = dense(model)
    for axis, counts in enumerate(ENTRIES):
        mean = np.average(table.take(range(len(counts)), axis=axis), axis=axis, weights=counts)
        table = np.concatenate([table, np.expand_dims(mean, axis)], axis=axis)
    return table


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 5)), min_size=1))
def test_unseen_row_is_average_row(cells: list[tuple[int, ...]]) -> None:
    model = dataclasses.replace(
        labelled(small_model(np.random.default_rng(1))), entries=[np.array(c) for c in ENTRIES]
    )
    model.factors[0][3] = model.factors[2][1] = 0.0
    known = [[0, 1, 2, 4, 4], [0, 1, 2, 3], [0, 5, 2, 3, 4, 5]]  # where each row is in the table
    places = tuple(np.array([[known[n][i] for n, i in enumerate(cell)] for cell in cells]).T)
    labels = [
        [*own.tolist(), strange] for own, strange in zip(LABELS, ("eve", 7, None), strict=True)
    ]
    rows = [tuple(labels[n][i] for n, i in enumerate(cell)) for cell in cells]
    np.testing.assert_allclose(model.predict(rows), averages(model)[places], rtol=1e-12, atol=1e-15)


def test_coordinates_of_rows_without_entries_are_unknown_too(model: vt.TuckerModel) -> None:
    cells = everywhere(model)
    unknown = (cells[:, 0] == 3) | (cells[:, 2] == 1)
    bare = dense(model).ravel()
    got = {how: model.predict(cells, unseen=how) for how in ("mean", "zero", "nan")}
    for values in got.values():
        np.testing.assert_allclose(values[~unknown], bare[~unknown], rtol=1e-13)
    assert (got["mean"][unknown & (cells[:, 0] != 1)] > 0).all()
    np.testing.assert_array_equal(got["zero"][unknown], 0.0)
    assert np.isnan(got["nan"][unknown]).all()
    by_label = model.predict({name: own[cells[:, n]] for n, (name, own) in enumerate(
        zip(model.modes, LABELS, strict=True))})  # fmt: skip
    np.testing.assert_array_equal(by_label, got["mean"])


def test_a_row_pruned_empty_is_known(model: vt.TuckerModel) -> None:
    assert model.predict([[1, 0, 0]], unseen="error") == 0.0
    assert model.predict([("bob", 30, np.datetime64("2021-05-03"))]) == 0.0


def test_errors_for_unseen_labels_name_row_and_label(model: vt.TuckerModel) -> None:
    day = np.datetime64("2021-05-03")
    with pytest.raises(
        vt.errors.LabelError, match="row 1 has 'eve' in mode 'user', which the model"
    ):
        model.predict([("ann", 10, day), ("eve", 10, day)], unseen="error")
    with pytest.raises(vt.errors.LabelError, match="row 1 has 2021-05-01 in mode 'day', of which"):
        model.predict([[0, 0, 0], [0, 0, 1]], unseen="error")
    with pytest.raises(vt.errors.OptionError, match="unseen is 'skip'; choose one of \"mean\""):
        model.predict([[0, 0, 0]], unseen="skip")  # type: ignore[call-overload]


def test_coordinates_outside_the_shape_stay_errors(model: vt.TuckerModel) -> None:
    for cells in ([[0, 0, 0], [4, 0, 0]], [[0, 0, 0], [0, -1, 0]]):
        with pytest.raises(vt.errors.CoordinateError, match="row 1"):
            model.predict(cells)


def test_threads_do_not_matter(model: vt.TuckerModel) -> None:
    day = np.datetime64("2021-05-01")
    cells = {"user": LABELS[0][[0, 3, 2]], "film": [10, 11, 12], "day": day}
    want = model.predict(cells, threads=1)
    for threads in (2, 7):
        np.testing.assert_array_equal(model.predict(cells, threads=threads), want)


def test_without_counts_rows_that_are_not_empty_count_once(rng: np.random.Generator) -> None:
    model = labelled(small_model(rng))
    want = dense(model)[[0, 2, 3], 1, 0].mean()
    assert model.predict([("eve", 10, np.datetime64("2021-05-03"))]) == pytest.approx(want)
    assert model.predict([[1, 1, 0]]) == 0.0  # as good as any other row, for all one knows


def test_the_average_of_nothing_is_zero() -> None:
    assert average_row(np.ones((3, 2)), np.zeros(3, dtype=np.int64)).tolist() == [0.0, 0.0]
    assert average_row(np.zeros((3, 2)), None).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("entries", "error", "named"),
    [
        ([[1, 2, 3, 4], [1, 2, 3]], vt.errors.ShapeError, r"\(4, 3, 5\) rows"),
        ([[1, 2, 3, 4], [1, 2], [1] * 5], vt.errors.ShapeError, r"\(4, 3, 5\) rows"),
        ([[1, 2, 3, 4], [1, -2, 3], [1] * 5], vt.errors.OptionError, "mode 1"),
        ([[1, 2, 3, 4], [1, 2, 3], [0.5] * 5], vt.errors.OptionError, "mode 2"),
    ],
)
def test_counts_of_another_form_are_refused(
    entries: Any, error: type[Exception], named: str, rng: np.random.Generator
) -> None:
    with pytest.raises(error, match=named):
        dataclasses.replace(small_model(rng), entries=entries)


def test_factors_replaced_by_longer_ones_are_refused(model: vt.TuckerModel) -> None:
    model.factors[1] = np.ones((9, 1))
    with pytest.raises(vt.errors.ShapeError, match="entries per row"):
        model.predict([[0, 8, 0]])


def test_held_out_rows_are_predicted_better_than_with_zero() -> None:
    X, _ = vt.datasets.synthetic((60, 40, 20), 3, nnz=8000, seed=0)
    held_out = X.coords[:, 0] < 6
    train, test = (
        vt.SparseTensor(X.coords[rows], X.values[rows], X.shape) for rows in (~held_out, held_out)
    )
    model = vt.fit(train, 3, lam=0.01, sparsity=0.0, seed=0, threads=1, preset="paper")
    assert model.error == pytest.approx(vt.relative_error(model, train), rel=1e-9)
    assert vt.relative_error(model, test, unseen="zero") == pytest.approx(1.0)
    assert vt.relative_error(model, test) < 0.8


def test_no_cells_give_no_values(model: vt.TuckerModel, rng: np.random.Generator) -> None:
    for each in (model, small_model(rng)):
        assert each.predict([]).shape == (0,)


def test_labels_of_another_type_are_warned_of_and_predicted(model: vt.TuckerModel) -> None:
    cells = {"user": [np.nan, 7.0], "film": 10, "day": np.datetime64("2021-05-03")}
    with pytest.warns(vt.errors.UnseenLabelsWarning, match="'user' has text") as caught:
        values = model.predict(cells)
    assert values.shape == (2,)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("kind", ["plain", "mean", "biases", "constant"])
def test_a_mode_left_out_of_a_dict_is_averaged_over(kind: str) -> None:
    """Whatever is done with unseen labels: nothing was asked that the model does not know."""
    X = vt.datasets.demo()
    offsets: dict[str, Any] = {"plain": None, "mean": "mean", "biases": "biases", "constant": None}
    model = vt.fit(X, 2, preset="paper", lam=0.1, max_iter=2, seed=0, offset=offsets[kind])
    if kind == "constant":
        factors = [np.column_stack([np.ones(len(each)), each[:, :1]]) for each in model.factors]
        core = np.arange(8.0).reshape(2, 2, 2)
        model = dataclasses.replace(
            model, core=core, factors=factors, constant=True, measured=None, offset=None
        )
    asked = {"person": "Leo (clerk)", "dish": ["muesli", "chips"]}
    found = model.predict(asked)
    best = model.recommend({"person": "Leo (clerk)"}, along="dish", k=24)
    by_dish = dict(zip(best.labels[0], best.values[0], strict=True))
    assert found == pytest.approx([by_dish["muesli"], by_dish["chips"]])
    for unseen in get_args(HowUnseen):
        assert model.predict(asked, unseen=unseen).tolist() == found.tolist()
        assert model.explain(asked, unseen=unseen).totals == pytest.approx(found)
    if kind != "biases":
        nobody = model.predict({**asked, "hour": 99})
        assert found == pytest.approx(nobody)
    hours = X.mode_labels.decode("hour", np.arange(X.shape[2]))
    each = np.array([model.predict({**asked, "hour": hour}) for hour in hours])
    if kind in ("plain", "mean"):
        assert model.entries is not None
        assert found == pytest.approx(np.average(each, axis=0, weights=model.entries[2]))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_leaves_out_what_average_names(library: str) -> None:
    frames = pytest.importorskip(library)
    model = vt.fit(vt.datasets.demo(), 2, preset="paper", lam=0.1, max_iter=2, seed=0)
    asked = {"person": ["Leo (clerk)"] * 2, "dish": ["muesli", "chips"]}
    frame = frames.DataFrame(asked)
    found = model.predict(frame, average=["hour"])
    assert found.tolist() == model.predict(asked).tolist()
    assert found.tolist() == model.predict(frame, average="hour").tolist()
    with_hours = frames.DataFrame({**asked, "hour": [8, 9]})
    assert found.tolist() == model.predict(with_hours, average=["hour"]).tolist()
    assert found.tolist() == model.predict({**asked, "hour": 8}, average=["hour"]).tolist()
    with pytest.raises(vt.errors.ColumnError, match=r"'hour'.*average=.hour. predicts"):
        model.predict(frame)  # a column that is missing may be misspelt
    with pytest.raises(vt.errors.ColumnError, match=r"no column 'hour'; there are [\w', ]*$"):
        model.explain(frame)  # which has no such option


def test_what_cannot_be_averaged_over() -> None:
    model = vt.TuckerModel(np.ones((1, 1)), [np.ones((2, 1)), np.ones((3, 1))], modes=("a", "b"))
    with pytest.raises(vt.errors.OptionError, match="names all modes"):
        model.predict({"a": 0}, average=["a", "b"])
    with pytest.raises(vt.errors.ModeError, match="no mode 'c'"):
        model.predict({"a": 0}, average=["c"])
    with pytest.raises(vt.errors.OptionError, match="a dict or a frame"):
        model.predict([(0, 1)], average=["b"])


def test_the_average_over_a_mode_is_as_unsure_as_its_rows_differ() -> None:
    factors = [np.array([[1.0], [3.0]]), np.array([[1.0], [0.5]])]
    model = vt.TuckerModel(
        np.array([[2.0]]), factors, modes=("who", "dish"), noise=0.25,
        factor_variances=[np.zeros((2, 1)), np.zeros((2, 1))],
    )  # fmt: skip
    (value,), (std,) = model.predict({"dish": 0}, return_std=True)
    assert (value, std) == (4.0, pytest.approx(np.sqrt(4.0 + 0.25)))
    unseen = model.predict({"who": 7, "dish": 0}, return_std=True)
    assert (value, std) == (unseen[0][0], pytest.approx(unseen[1][0]))
    assert "any who" in model.explain({"dish": 0}).title()
