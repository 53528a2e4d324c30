"""The structures that are tried fit any tensor."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise import candidates
from vest_tucker.fitting.noise.candidates import Candidate
from vest_tucker.fitting.noise.interactions.effects import FIRST

SHAPES = [
    (1, 1), (2, 1), (5000, 3), (1, 1, 1), (2, 2, 2), (300, 200, 2), (9, 9, 9, 9), (50, 1, 1, 50),
    (7, 7, 7, 7, 7), (3, 3, 3, 3, 3, 3), (1000, 1, 2, 3, 4, 5),
]  # fmt: skip


@pytest.mark.parametrize("nnz", [1, 12, 1000, 10**7])
@pytest.mark.parametrize("shape", SHAPES)
def test_ranks_and_columns_are_bounded(shape: tuple[int, ...], nnz: int) -> None:
    ranks = candidates.largest_ranks(shape, nnz)
    for n, (rank, dim) in enumerate(zip(ranks, shape, strict=True)):
        others = math.prod(ranks[:n] + ranks[n + 1 :])
        assert 1 <= rank <= min(dim, candidates.MOST_RANK, max(others, 1))
    assert math.prod(ranks) <= candidates.MOST_CORE
    columns = candidates.pair_columns(shape, nnz)
    for column, dim in zip(columns, shape, strict=True):
        assert -1 <= column <= min(dim - FIRST, candidates.MOST_COLUMNS)
    assert math.prod([FIRST + each for each in columns]) <= candidates.MOST_SPARSE_CORE


def test_which_structures_are_tried() -> None:
    found = list(candidates.first_round((50, 40, 30), 5000, None, "auto", effects=True))
    assert [str(each) for each in found] == [
        "mean, effects and pairs", "mean and effects", "Tucker", "Tucker around the mean",
        "Tucker around biases",
    ]  # fmt: skip
    (alone,) = candidates.first_round((50, 40, 30), 5000, (2, 3, 4), "mean", effects=False)
    assert alone == Candidate("tucker", (2, 3, 4), "mean")


@pytest.mark.parametrize(("order", "of_effects"), [(12, 2), (13, 1), (20, 0), (30, 0)])
def test_many_modes_have_no_core_of_effects(order: int, of_effects: int) -> None:
    """It would have 3 or 2 elements per mode, multiplied: of thirty modes 1.5 PiB."""
    found = candidates.first_round((4,) * order, 5000, None, "auto", effects=True)
    assert [each.kind for each in found] == ["effects"] * of_effects + ["tucker"] * 3


def test_ranks_bound_the_columns_of_pairs() -> None:
    first = next(candidates.first_round((50, 40, 30), 10**6, (2, 3, 4), "auto", effects=True))
    assert first.ranks == (2, 3, 4)


def test_the_second_round_tries_other_noise() -> None:
    best = Candidate("tucker", (2, 2), "mean")
    assert [each.share for each in candidates.second_round(best)] == list(candidates.SHARES[1:])
    assert list(candidates.second_round(Candidate("effects", (2, 2)))) == []


@pytest.mark.parametrize("kind", ["tucker", "effects"])
def test_a_candidate_fits_the_residuals_of_its_offset(kind: str, prunable: vt.SparseTensor) -> None:
    candidate = Candidate(kind, (2, 2, 2), "mean" if kind == "tucker" else None)
    target, offset = candidate.target(prunable, 1, Constraints(), "global")
    if kind == "tucker":
        assert offset is not None
        np.testing.assert_allclose(target.values, prunable.values - offset.mean)
    else:
        assert offset is None
        assert target.values is prunable.values
    posterior = candidate.fit(target, np.random.default_rng(0), lambda posterior: None)
    assert posterior.error < 0.9
    assert posterior.parts.constant == (kind == "effects")
