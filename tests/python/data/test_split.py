"""Splits: exact sizes, nothing lost, the same for the same seed, rows kept where asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt


@pytest.fixture(scope="module")
def ratings() -> vt.SparseTensor:
    """Rows of very different size, some with one entry, some with none."""
    rng = np.random.default_rng(3)
    coords = np.stack([(dim * rng.random(900) ** 3).astype(int) for dim in (300, 80, 12)], axis=1)
    coords = rng.permutation(np.unique(coords, axis=0))
    return vt.SparseTensor(
        coords,
        rng.random(len(coords)),
        (310, 85, 12),
        modes=["user", "movie", "month"],
        labels={"movie": [f"movie {i}" for i in range(85)]},
    )


def cells(X: vt.SparseTensor) -> list[tuple[Any, ...]]:
    return [
        (*cell, value) for cell, value in zip(X.coords.tolist(), X.values.tolist(), strict=True)
    ]


@pytest.mark.parametrize("keep", [None, ["user"], ["movie", "month"], [1], "all"])
def test_nothing_is_lost_and_the_order_stays(ratings: vt.SparseTensor, keep: Any) -> None:
    train, test = vt.train_test_split(ratings, 0.2, keep=keep)
    assert test.nnz == round(0.2 * ratings.nnz)
    assert train.nnz + test.nnz == ratings.nnz
    every = cells(ratings)
    for part in (train, test):
        places = [every.index(cell) for cell in cells(part)]
        assert places == sorted(places)
        assert part.shape == ratings.shape
        assert part.mode_labels is ratings.mode_labels
    assert set(cells(train)) | set(cells(test)) == set(every)


@pytest.mark.parametrize("keep", [["user"], ["user", "movie"], [2], "all"])
@pytest.mark.parametrize("seed", range(5))
def test_every_row_of_the_kept_modes_stays_in_training(
    ratings: vt.SparseTensor, keep: Any, seed: int
) -> None:
    train, _ = vt.train_test_split(ratings, 0.3, seed, keep=keep)
    modes = range(3) if keep == "all" else [ratings.mode_labels.number(mode) for mode in keep]
    for mode in modes:
        assert set(train.coords[:, mode]) == set(ratings.coords[:, mode])


def test_without_keep_some_rows_are_lost(ratings: vt.SparseTensor) -> None:
    train, _ = vt.train_test_split(ratings, 0.3)
    assert len(set(train.coords[:, 0])) < len(set(ratings.coords[:, 0]))


def test_a_seed_decides_the_split(ratings: vt.SparseTensor) -> None:
    first, again, other = (vt.train_test_split(ratings, seed=seed)[1] for seed in (0, 0, 1))
    assert cells(first) == cells(again) != cells(other)
    assert cells(vt.train_test_split(ratings)[1]) == cells(first)


def test_test_entries_are_drawn_from_everywhere(ratings: vt.SparseTensor) -> None:
    drawn = np.zeros(ratings.nnz)
    every = {cell: place for place, cell in enumerate(cells(ratings))}
    for seed in range(200):
        _, test = vt.train_test_split(ratings, 0.5, seed)
        drawn[[every[cell] for cell in cells(test)]] += 1
    assert drawn.min() > 60
    assert drawn.max() < 140


def test_the_test_size_may_be_a_number_of_entries(ratings: vt.SparseTensor) -> None:
    assert vt.train_test_split(ratings, 7)[1].nnz == 7
    assert vt.train_test_split(ratings, 8 - 1)[1].nnz == 7


def test_kept_rows_limit_how_much_can_be_held_out(ratings: vt.SparseTensor) -> None:
    users = len(set(ratings.coords[:, 0]))
    train, _ = vt.train_test_split(ratings, ratings.nnz - users, keep=["user"])
    assert train.nnz == users
    with pytest.raises(
        vt.errors.OptionError, match=f"only {ratings.nnz - users:,} can be .*'user'"
    ):
        vt.train_test_split(ratings, ratings.nnz - users + 1, keep=["user"])


@pytest.mark.parametrize(
    "test", [0.0, 1.0, -0.1, 1.5, np.nan, 0, -3, 10**9, 1e-9, "half", None, True]
)
def test_bad_sizes(ratings: vt.SparseTensor, test: Any) -> None:
    with pytest.raises(vt.errors.OptionError, match="test is"):
        vt.train_test_split(ratings, test)


@pytest.mark.parametrize("keep", ["user", 3])
def test_bad_keep(ratings: vt.SparseTensor, keep: Any) -> None:
    with pytest.raises(vt.errors.OptionError, match="keep is"):
        vt.train_test_split(ratings, keep=keep)


def test_other_arguments_that_are_refused(ratings: vt.SparseTensor) -> None:
    with pytest.raises(vt.errors.ModeError, match="'users'"):
        vt.train_test_split(ratings, keep=["users"])
    with pytest.raises(vt.errors.DtypeError, match="train_test_split"):
        vt.train_test_split(ratings.coords)  # type: ignore[arg-type]
    with pytest.raises(vt.errors.OptionError, match="seed"):
        vt.train_test_split(ratings, seed=-1)


def test_a_huge_dimension_takes_memory_for_the_entries_only() -> None:
    coords = [[5, 0], [2**31 - 2, 1], [5, 1], [7, 2]]
    huge = vt.SparseTensor(coords, [1.0, 2.0, 3.0, 4.0], (2**31 - 1, 3))
    train, test = vt.train_test_split(huge, test=1, keep=[0])
    assert set(train.coords[:, 0].tolist()) == {5, 7, 2**31 - 2}
    assert test.coords[:, 0].tolist() == [5]
