"""Starts that the caller brings: arrays, or another model."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.labels import ModeLabels
from vest_tucker.fitting.starts.given import checked_arrays, start_from


def test_rows_of_another_model_are_found_by_label() -> None:
    model = vt.TuckerModel(
        np.array([[2.0]]),
        [np.array([[1.0], [3.0]]), np.array([[1.0], [2.0], [6.0]])],
        modes=("user", "dish"),
        labels=(None, np.array(["soup", "rice", "tea"])),
        entries=[np.array([1, 3]), np.array([2, 1, 1])],
    )
    wanted = ModeLabels(2, ["user", "dish"], {"dish": ["tea", "pie", "soup"]})
    start = start_from(model, wanted, (3, 3), (1, 1))
    assert start.factors[1].ravel().tolist() == [6.0, 2.5, 1.0]  # pie is the average row
    assert start.factors[0].ravel().tolist() == [1.0, 3.0, 2.5]
    start.core[:] = 0.0
    assert model.core[0, 0] == 2.0  # it was copied


def test_a_warm_start_begins_where_the_model_stands() -> None:
    X, _ = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    model = vt.fit(X, 2, lam=0.01, sparsity=0.0, seed=0, max_iter=30, preset="paper")
    again = vt.fit(
        X, 2, lam=0.01, sparsity=0.0, warm_start=model, max_iter=2, tol=None, preset="paper"
    )
    assert again.history[0].error <= model.error * 1.02
    cold = vt.fit(X, 2, lam=0.01, sparsity=0.0, seed=1, max_iter=2, tol=None, preset="paper")
    assert cold.history[0].error > 1.5 * model.error


def test_a_warm_start_of_other_modes_or_labels_names_them() -> None:
    coords = np.argwhere(np.ones((3, 3)))
    names, dishes = ["ann", "bob", "eve"], ["soup", "rice", "tea"]
    X = vt.SparseTensor(coords, np.ones(9), modes=["user", "dish"], labels=[names, dishes])
    model = vt.fit(X, 1, lam=0.0, seed=0, max_iter=1, preset="paper")
    turned = vt.SparseTensor(coords, np.ones(9), modes=["dish", "user"], labels=[dishes, names])
    with pytest.raises(vt.errors.ModeError, match=r"'user', 'dish'.*same order"):
        vt.fit(turned, 1, warm_start=model, preset="paper")
    others = vt.SparseTensor(coords, np.ones(9), labels=[[7, 8, 9], dishes])
    with pytest.raises(
        vt.errors.LabelError, match="none of the labels of mode 'mode_0', such as 7"
    ):
        vt.fit(others, 1, warm_start=model, preset="paper")


def test_a_start_of_this_shape_and_ranks_is_copied_because_the_fit_works_in_it() -> None:
    core, factors = np.ones((2, 1)), [np.ones((3, 2)), np.ones((4, 1))]
    own_core, own_factors = checked_arrays((core, factors), (3, 4), (2, 1))
    for own, given in zip((own_core, *own_factors), (core, *factors), strict=True):
        np.testing.assert_array_equal(own, given)
        assert not np.shares_memory(own, given)


def test_new_labels_of_a_model_of_effects_have_no_effect() -> None:
    ones = np.array([[1.0, 0.5], [1.0, -0.5]])
    model = vt.TuckerModel(
        np.array([[3.0, 1.0], [1.0, 0.0]]), [ones, 2.0 * ones - [1.0, 0.0]], constant=True,
        labels=(np.array(["ann", "bob"]), np.array(["soup", "rice"])),
    )  # fmt: skip
    wanted = ModeLabels(2, None, {"mode_0": ["eve", "bob"], "mode_1": ["soup", "rice"]})
    start = start_from(model, wanted, (2, 2), (2, 2))
    assert start.factors[0].tolist() == [[1.0, 0.0], [1.0, -0.5]]
