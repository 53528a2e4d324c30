"""Components of two models are matched as well as can be, whatever their order, sign and scale."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import vest_tucker as vt
from reference_matching import all_matchings, cosine
from vest_tucker.base.types import Floats
from vest_tucker.model.standardize import unit_columns
from vest_tucker.studies.stability.matching import (
    aligned,
    column_cosines,
    match_columns,
    match_factors,
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Two factors of one mode; small whole numbers, so that columns of zeros and ties occur."""
    rows, one, other = draw(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4)))
    numbers = st.integers(-2, 2).map(float)
    return draw(arrays(float, (rows, one), elements=numbers)), draw(
        arrays(float, (rows, other), elements=numbers)
    )


@given(pairs())
def test_no_order_and_no_signs_match_better(pair: tuple[Floats, Floats]) -> None:
    one, other = pair
    match = match_columns(one, other)
    every = all_matchings(one, other)
    assert match.similarity.sum() == pytest.approx(max(total for total, _, _ in every), abs=1e-12)
    for j, (partner, sign) in enumerate(zip(match.partners, match.signs, strict=True)):
        own = sign * cosine(one[:, j], other[:, partner]) if partner >= 0 else 0.0
        assert match.similarity[j] == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_where_one_matching_is_best_it_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(6, 3)), rng.normal(size=(6, 4))
    _, partners, similarity = max(all_matchings(one, other))
    match = match_columns(one, other)
    assert match.partners.tolist() == list(partners)
    np.testing.assert_allclose(match.similarity, similarity, atol=1e-12)


@given(pairs())
def test_each_partner_is_taken_once_and_zeros_have_none(pair: tuple[Floats, Floats]) -> None:
    one, other = pair
    match = match_columns(one, other)
    taken = match.partners[match.partners >= 0].tolist()
    assert len(taken) == len(set(taken))
    unmatched = match.partners == -1
    assert unmatched[~one.any(axis=0)].all()
    assert all(other[:, partner].any() for partner in taken)
    assert not match.signs[unmatched].any()
    assert not match.similarity[unmatched].any()
    assert (np.abs(match.signs[~unmatched]) == 1.0).all()


@given(pairs())
def test_matching_is_symmetric(pair: tuple[Floats, Floats]) -> None:
    one, other = pair
    here, there = match_columns(one, other), match_columns(other, one)
    assert here.similarity.sum() == pytest.approx(there.similarity.sum(), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_copies_in_other_order_sign_and_scale_match_perfectly(seed: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    one = rng.normal(size=(12, rank))
    order, signs = rng.permutation(rank), rng.choice([-1.0, 1.0], rank)
    match = match_columns(one, (one * signs)[:, order] * 10.0 ** rng.integers(-200, 150, rank))
    np.testing.assert_array_equal(match.partners, np.argsort(order))
    np.testing.assert_array_equal(match.signs, signs)
    np.testing.assert_allclose(match.similarity, 1.0, rtol=1e-12)


def test_the_best_for_all_may_not_be_the_best_for_one() -> None:
    one = np.array([[1.0, 0.8], [0.0, 0.6], [0.0, 0.0]])
    other = np.array([[1.0, 0.9], [0.0, 0.0], [0.0, np.sqrt(0.19)]])
    # Each likes the first best: 1 + 0.72 is more than 0.9 + 0.8.
    assert match_columns(one, other).partners.tolist() == [0, 1]
    # Now 0.8 + 0.9 is more than 1 + 0.4.
    other[:, 1] = [0.9, -0.4, np.sqrt(0.03)]
    assert match_columns(one, other).partners.tolist() == [1, 0]


def test_similarities_never_pass_1() -> None:
    one = np.random.default_rng(0).random((1000, 30)) ** 20
    assert np.abs(column_cosines(one, one)).max() <= 1.0


def test_the_arrays_given_stay_as_they_are() -> None:
    one, other = np.full((3, 2), 5.0), np.full((3, 2), 7.0)
    match_columns(one, other)
    assert (one == 5.0).all()
    assert (other == 7.0).all()


@pytest.mark.parametrize("ranks", [(3, 2), (2, 1, 3), (1, 1, 1), (2, 3, 2, 2), (2, 1, 2, 1, 3)])
def test_aligning_undoes_any_order_sign_and_scale(
    ranks: tuple[int, ...], rng: np.random.Generator
) -> None:
    factors = [rng.normal(size=(5 + mode, rank)) for mode, rank in enumerate(ranks)]
    core, factors = unit_columns(rng.normal(size=ranks), factors)
    turned_core, turned = core, list(factors)
    for mode, rank in enumerate(ranks):
        order, scale = rng.permutation(rank), rng.choice([-2.0, 0.5, 3.0], rank)
        turned[mode] = factors[mode][:, order] * scale
        along = scale.reshape(-1, *(1,) * (core.ndim - 1 - mode))
        turned_core = np.take(turned_core, order, axis=mode) / along
    back_core, back = aligned(*unit_columns(turned_core, turned), match_factors(factors, turned))
    np.testing.assert_allclose(back_core, core, rtol=1e-12)
    for mine, theirs in zip(factors, back, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-12)


def test_where_there_is_no_partner_there_are_zeros() -> None:
    one = [np.eye(3), np.eye(3)]
    other = [np.eye(3)[:, [0, 2, 1]] * [1.0, 0.0, -1.0], np.eye(3)]
    core, factors = aligned(-np.ones((3, 3)), other, match_factors(one, other))
    assert factors[0].tolist() == np.diag([1.0, 1.0, 0.0]).tolist()
    assert core.tolist() == [[-1.0] * 3, [1.0] * 3, [0.0] * 3]
    assert not np.signbit(core[2]).any()


def test_without_scipy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"scipy.*vest-tucker\[stability\]"):
        match_columns(np.eye(2), np.eye(2))


def test_constant_columns_belong_together_and_to_no_other() -> None:
    rng = np.random.default_rng(1)
    ones, one = np.ones((9, 1)), rng.normal(size=(9, 3))
    with_ones = np.hstack([ones, one])
    turned = np.hstack([ones, one[:, [2, 0]] * [-2.0, 1.0], ones])  # one more, one less, and ones
    both = match_factors([with_ones], [turned], (True, True))[0]
    assert both.partners.tolist() == [0, 2, 3, 1]
    assert both.signs[[0, 1, 3]].tolist() == [1.0, 1.0, -1.0]
    np.testing.assert_allclose(both.similarity[[0, 1, 3]], 1.0)
    mine = match_factors([with_ones], [turned[:, 1:]], (True, False))[0]
    assert (mine.partners[0], mine.signs[0], mine.similarity[0]) == (-1, 0.0, 0.0)
    theirs = match_factors([one], [turned], (False, True))[0]
    assert theirs.partners.tolist() == [2, 3, 1]
    nothing = match_factors([one], [ones], (False, True))[0]
    assert nothing.partners.tolist() == [-1, -1, -1]


def test_ctrl_c_is_answered_while_scipy_is_loaded() -> None:
    """In a process of its own, which sends itself Ctrl-C; SciPy is loaded all the same."""
    program = """
import builtins, os, signal, threading, time
from vest_tucker.studies.stability.matching import assignment_solver

plain = builtins.__import__
def slowly(name, *rest):
    if name == "scipy.optimize" and threading.current_thread() is not threading.main_thread():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1.0)
    return plain(name, *rest)

builtins.__import__ = slowly
began = time.monotonic()
try:
    assignment_solver()
except KeyboardInterrupt:
    print(time.monotonic() - began < 0.9)
builtins.__import__ = plain
print(assignment_solver()([[1.0]])[0].tolist())
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "[0]"]
