"""Dense sub-tensors: a planted block is found, labels stay, sizes are as asked."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.densest import improve


def planted(rng: np.random.Generator) -> tuple[vt.SparseTensor, list[list[int]]]:
    """A full block of 6 x 5 x 4 rows amid scattered entries."""
    shape = (60, 50, 40)
    rows = [
        sorted(rng.choice(dim, k, replace=False).tolist())
        for dim, k in zip(shape, (6, 5, 4), strict=True)
    ]
    block = np.array(list(itertools.product(*rows)))
    noise = rng.integers(0, shape, (400, 3))
    coords = rng.permutation(np.unique(np.concatenate([block, noise]), axis=0))
    users = [f"user {i}" for i in range(60)]
    return vt.SparseTensor(coords, np.arange(len(coords)), shape, labels=[users, None, None]), rows


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_block_is_found(seed: int) -> None:
    X, rows = planted(np.random.default_rng(seed))
    small = X.densest((6, 5, 4))
    assert small.shape == (6, 5, 4)
    assert small.density == 1.0
    users, *others = small.labels
    assert users is not None
    assert users.tolist() == [f"user {i}" for i in rows[0]]
    assert [each.tolist() for each in others if each is not None] == rows[1:]


def test_entries_are_those_of_the_rows(rng: np.random.Generator) -> None:
    X, _ = planted(rng)
    small = X.densest((10, 10, 10))
    old = np.stack(
        [X.mode_labels.encode(0, small.labels[0][small.coords[:, 0]])]  # type: ignore[index]
        + [small.mode_labels.decode(mode, small.coords[:, mode]) for mode in (1, 2)],
        axis=1,
    )
    known = {tuple(c): v for c, v in zip(X.coords.tolist(), X.values.tolist(), strict=True)}
    assert [known[tuple(cell)] for cell in old.tolist()] == small.values.tolist()
    assert small.values.tolist() == sorted(small.values)  # the order of entries stays


def test_all_rows_of_some_modes(rng: np.random.Generator) -> None:
    X, _ = planted(rng)
    assert X.densest((None, 5, None)).shape == (60, 5, 40)
    whole = X.densest(X.shape)
    assert whole.mode_labels == X.mode_labels
    np.testing.assert_array_equal(whole.coords, X.coords)


def test_a_single_cell() -> None:
    X = vt.SparseTensor(np.arange(100)[:, None].repeat(3, axis=1), np.ones(100))
    assert X.densest((1, 1, 1)).nnz == 1


def test_improving_never_loses_entries(rng: np.random.Generator) -> None:
    X, _ = planted(rng)
    for _ in range(20):
        start = [rng.permutation(dim) < 8 for dim in X.shape]
        before, after = (
            np.all([rows[X.coords[:, mode]] for mode, rows in enumerate(chosen)], axis=0).sum()
            for chosen in (start, improve(X.coords, start, (8, 8, 8)))
        )
        assert after >= before


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        ((6, 5), vt.errors.ShapeError, r"\(6, 5\) has 2 modes"),
        ((6, 5, 41), vt.errors.ShapeError, "mode 'mode_2' has 40 rows, so 41"),
        ((6, 0, 4), vt.errors.OptionError, "'mode_1' is 0"),
        ((6, 2.5, 4), vt.errors.OptionError, "2.5"),
        (6, vt.errors.ShapeError, "shape is 6"),
    ],
)
def test_bad_shapes(shape: Any, error: type[Exception], message: str) -> None:
    X, _ = planted(np.random.default_rng(0))
    with pytest.raises(error, match=message):
        X.densest(shape)


def test_skewed_entries_have_a_far_denser_part(rng: np.random.Generator) -> None:
    shape = (10_000, 2_000, 200)
    coords = (rng.random((100_000, 3)) ** 2 * shape).astype(np.int32)
    X = vt.SparseTensor(coords, np.ones(len(coords)), shape, duplicates="first")
    assert X.densest((500, 200, 100)).density > 20 * X.density


def test_a_huge_dimension_takes_memory_for_the_entries_only() -> None:
    coords = [[5, 0], [2**31 - 2, 1], [5, 1], [7, 2]]
    huge = vt.SparseTensor(coords, [1.0, 2.0, 3.0, 4.0], (2**31 - 1, 3))
    got = huge.densest((1, 2))
    assert (got.coords.tolist(), got.values.tolist()) == ([[0, 0], [0, 1]], [1.0, 3.0])
    assert got.labels[0] is not None
    assert got.labels[0].tolist() == [5]
    with_empty = huge.densest((6, None))
    assert with_empty.shape == (6, 3)
    assert with_empty.labels[0] is not None
    assert with_empty.labels[0].tolist() == [0, 1, 2, 5, 7, 2**31 - 2]
    assert with_empty.nnz == 4
    kept = huge.densest((None, 2))
    assert (kept.shape, kept.nnz) == ((2**31 - 1, 2), 3)
    assert kept.labels[0] is None
    assert kept.coords[:, 0].tolist() == [5, 2**31 - 2, 5]
