"""The description of a tensor: every number against a plain count, and what is printed."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import vest_tucker as vt


@pytest.fixture(scope="module")
def ratings() -> vt.SparseTensor:
    rng = np.random.default_rng(5)
    coords = np.unique((rng.random((400, 4)) ** 2 * (30, 20, 6, 5)).astype(int), axis=0)
    values = rng.integers(1, 6, len(coords)) / 2
    return vt.SparseTensor(coords, values, (32, 20, 6, 5), modes=["user", "movie", "year", "hour"])


def test_shape_entries_and_density_are_described(ratings: vt.SparseTensor) -> None:
    about = ratings.describe()
    assert (about.modes, about.shape, about.order) == (ratings.modes, ratings.shape, 4)
    assert (about.nnz, about.density) == (ratings.nnz, ratings.density)


def test_values_are_described(ratings: vt.SparseTensor) -> None:
    about = ratings.describe()
    assert (about.values.min, about.values.max) == (0.5, 2.5)
    assert about.values.median == np.median(ratings.values)
    assert (about.values.mean, about.values.std) == (ratings.mean, ratings.values.std())
    weighted = vt.SparseTensor([[0, 0], [1, 0]], [1.0, 4.0], weights=[3.0, 1.0]).describe()
    assert weighted.values.mean == pytest.approx(1.75)
    assert weighted.values.std == pytest.approx(np.sqrt(1.6875))
    assert "; weighted mean 1.75, deviation 1.299" in str(weighted)
    assert "weighted" not in str(about)
    assert about.distinct_values == dict(
        sorted(collections.Counter(ratings.values.tolist()).items())
    )


def test_many_different_values_are_not_listed(rng: np.random.Generator) -> None:
    coords = np.stack([np.arange(5000)] * 2, axis=1)
    assert vt.SparseTensor(coords, rng.random(5000)).describe().distinct_values is None
    late = np.concatenate([np.ones(4500), np.arange(500)])
    assert vt.SparseTensor(coords, late).describe().distinct_values is None


def test_entries_per_row(ratings: vt.SparseTensor) -> None:
    for mode, row in enumerate(ratings.describe().rows):
        counts = list(collections.Counter(ratings.coords[:, mode].tolist()).values())
        assert (row.mode, row.rows) == (ratings.modes[mode], ratings.shape[mode])
        assert row.empty == ratings.shape[mode] - len(counts)
        assert (row.spread.min, row.spread.max) == (min(counts), max(counts))
        assert row.spread.median == np.median(counts)
    assert ratings.describe().rows[0].empty >= 2


def test_distinct_tuples_are_counted(ratings: vt.SparseTensor) -> None:
    tuples = ratings.describe().tuples
    assert len(tuples) == 4 + 6
    for each in tuples:
        modes = [ratings.modes.index(name) for name in each.modes]
        distinct = len(set(map(tuple, ratings.coords[:, modes].tolist())))
        assert each.distinct == distinct
        assert each.entries_each == ratings.nnz / distinct


@pytest.mark.parametrize("order", [2, 3, 9, 30])
def test_any_order(order: int) -> None:
    X = vt.SparseTensor(np.eye(order, dtype=int), np.ones(order))
    about = X.describe()
    assert len(about.tuples) == order + (3 if order == 3 else 0)
    assert about.memory > 0
    assert f"order {order}:" in str(about)


def test_the_memory_of_a_fit_is_described(ratings: vt.SparseTensor) -> None:
    about = ratings.describe()
    assert about.ranks == (5, 5, 5, 5)
    assert about.memory == vt.estimate_memory(ratings.shape, ratings.nnz, 5)
    small = ratings.describe((2, 3, 1, 1), threads=1)
    assert small.ranks == (2, 3, 1, 1)
    assert small.memory == vt.estimate_memory(ratings.shape, ratings.nnz, (2, 3, 1, 1), threads=1)
    with pytest.raises(vt.errors.RankError):
        ratings.describe(7)


def test_what_is_printed() -> None:
    coords = [[0, 0, 0], [0, 1, 0], [1, 1, 0], [3, 1, 1]]
    X = vt.SparseTensor(coords, [1, 2, 2, 5], modes=["user", "movie", "year"])
    *lines, memory = str(X.describe(2, threads=1)).splitlines()
    assert lines[:4] == [
        "Tensor of order 3: 4 user x 2 movie x 2 year",
        "  entries     4, 0.25 of all cells",
        "  values      1 to 5, quartiles 1.75, 2, 2.75; mean 2.5, deviation 1.5",
        "              only 1 (25.0 %), 2 (50.0 %), 5 (25.0 %)",
    ]
    assert lines[4].split()[3:] == ["rows", "empty", "min", "25", "%", "median", "75", "%", "max"]
    assert lines[5].split() == ["user", "4", "1", "1", "1", "1", "1.5", "2"]
    assert lines[8].split() == ["tuples", "of", "different", "entries", "each"]
    assert lines[9].split() == ["user,", "movie", "4", "1.00"]
    assert memory.endswith("MiB for a fit with the ranks 2 x 2 x 2")


def test_a_prompt_and_a_notebook_show_what_print_does(ratings: vt.SparseTensor) -> None:
    about = ratings.describe()
    assert repr(about) == str(about)
    shown = about._repr_html_()
    assert shown.count("<table") == 2
    assert f"Tensor of order {about.order}" in shown
    assert f"{about.nnz:,}, {about.density:.3g} of all cells" in shown
    assert (
        "&lt;i&gt;" in vt.SparseTensor([[0, 0]], [1], modes=["<i>", "b"]).describe()._repr_html_()
    )


def test_a_huge_dimension_takes_memory_for_the_entries_only() -> None:
    coords = [[5, 0], [2**31 - 2, 1], [5, 1], [7, 2]]
    about = vt.SparseTensor(coords, [1.0, 2.0, 3.0, 4.0], (2**31 - 1, 3)).describe()
    assert (about.rows[0].empty, about.rows[0].spread.max) == (2**31 - 4, 2.0)


def test_values_at_the_end_of_double_precision() -> None:
    values = [1.5e308, -1.5e308, 1e308, -1e308]
    about = vt.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1]], values).describe().values
    assert (about.min, about.max, about.mean) == (-1.5e308, 1.5e308, 0.0)
    assert about.std == pytest.approx(1.2747548783981961e308)


def test_weights_are_described_and_printed(ratings: vt.SparseTensor) -> None:
    weights = 1.0 + np.arange(ratings.nnz) % 4
    about = ratings.with_weights(weights).describe()
    assert about.weights is not None
    assert (about.weights.min, about.weights.max) == (1.0, 4.0)
    assert about.weights.median == np.median(weights)
    line = next(line for line in str(about).splitlines() if line.startswith("  weights"))
    assert line.startswith("  weights     1 to 4, quartiles ")
    assert line.endswith(f"; {weights.sum():,.9g} in all")
    assert "weights" not in str(ratings.describe())
