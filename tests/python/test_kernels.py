"""Every kernel of the solver against the slow transcription of the paper in reference.py."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import reference
import vest_tucker as vt
from conftest import SmallProblem
from helpers import LAM, assert_close, solver_of
from reference import Problem
from vest_tucker import _core

orders = pytest.mark.parametrize("order", [2, 3, 4, 5])
losses = pytest.mark.parametrize("loss", ["lf", "l1"])
threads_ = pytest.mark.parametrize("threads", [1, 2, 7])  # an odd count finds seams

# Problems a fast solver may treat in a way of its own: name -> shape, ranks, entries.
SPECIAL: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {
    "rank 1 everywhere": ((8, 7, 6), (1, 1, 1), 150),
    "rank 1 in a matrix": ((20, 15), (1, 1), 120),
    "rank 1 in one mode": ((8, 7, 6), (3, 1, 2), 150),
    "a mode of dimension 1": ((10, 1, 8), (3, 1, 2), 60),
    "all modes but one of dimension 1": ((12, 1, 1), (2, 1, 1), 30),
    "rank 18": ((25, 9, 8), (18, 2, 3), 300),
    "rank 33": ((40, 8), (33, 3), 250),
    "ranks 9, 10, 11": ((12, 13, 14), (9, 10, 11), 300),
    "core of 2197 and few entries": ((15, 15, 15), (13, 13, 13), 50),
    "core of 4096, four modes": ((9, 9, 9, 9), (8, 8, 8, 8), 40),
    "ten modes": ((4,) * 10, (2, 3, 2, 2, 1, 2, 2, 3, 2, 2), 60),
    "tuples never repeat": ((300, 400, 500), (3, 2, 2), 200),
    "one entry": ((3, 4, 5), (2, 2, 2), 1),
}
special = pytest.mark.parametrize("name", SPECIAL)


def parts_of(solver: _core.Solver) -> list[NDArray[np.float64]]:
    return [solver.core, *(solver.factor(n) for n in range(solver.order))]


def assert_same_state(solver: _core.Solver, p: Problem, tol: float = 1e-10) -> None:
    for part, (got, want) in enumerate(zip(parts_of(solver), p.parts, strict=True)):
        assert_close(got, want, tol)
        np.testing.assert_array_equal(solver.pruned(part), p.pruned[part])
        assert not got[solver.pruned(part)].any()
        assert solver.n_pruned[part] == p.pruned[part].sum()
        assert solver.n_zeros[part] == np.sum(got == 0.0)
        assert solver.sizes[part] == want.size


def assert_same_measures(solver: _core.Solver, p: Problem) -> None:
    assert solver.error() == pytest.approx(reference.error(p), rel=1e-10)
    for part in range(solver.order + 1):
        got = solver.responsibilities(part)
        assert got.shape == p.parts[part].shape
        assert_close(got, reference.responsibilities(p, part))
        assert not got[p.pruned[part]].any()


# --- One kernel at a time ------------------------------------------------------------------------


@threads_
@losses
@orders
def test_update_factor(
    order: int, loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    for mode in range(order):
        p = small_problem(order, rng, pruned=0.25)
        solver = solver_of(p, loss, threads=threads)
        solver.update_factor(mode)
        reference.update_factor(p, mode, loss, LAM)
        assert_same_state(solver, p)
        assert not solver.factor(0)[-1].any() or mode != 0  # no entry feels the empty row


@threads_
@losses
@orders
def test_update_core(
    order: int, loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    for pruned in (0.0, 0.4):
        p = small_problem(order, rng, pruned=pruned)
        solver = solver_of(p, loss, threads=threads)
        solver.update_core()
        reference.update_core(p, loss, LAM)
        assert_same_state(solver, p)


@threads_
@orders
def test_error_and_responsibilities(
    order: int, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    for pruned in (0.0, 0.3):
        p = small_problem(order, rng, pruned=pruned)
        assert_same_measures(solver_of(p, threads=threads), p)


@threads_
@orders
def test_prune_and_revive(
    order: int, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng, pruned=0.2)
    solver = solver_of(p, threads=threads)
    before = [mask.copy() for mask in p.pruned]
    counts = [int(rng.integers(0, np.sum(~mask) + 1)) for mask in p.pruned]
    solver.prune(counts)
    reference.prune(p, counts)
    assert_same_state(solver, p)
    assert_same_measures(solver, p)
    assert solver.revive() == reference.revive(p) == sum(counts)
    assert_same_state(solver, p)  # values stay zero until the next update
    for part, mask in enumerate(before):
        np.testing.assert_array_equal(solver.pruned(part), mask)
    assert solver.revive() == 0


@threads_
@orders
def test_predict(
    order: int, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng, pruned=0.2)
    everywhere = np.stack([rng.integers(0, dim, 400) for dim in p.shape], axis=1, dtype=np.int32)
    want = reference.predict(Problem(everywhere, np.zeros(400), p.core, p.factors))
    got = _core.predict(p.core, p.factors, everywhere, threads=threads)
    assert_close(got, want, tol=1e-12)


def test_predict_of_nothing(rng: np.random.Generator, small_problem: SmallProblem) -> None:
    p = small_problem(3, rng)
    assert _core.predict(p.core, p.factors, np.empty((0, 3), dtype=np.int32)).shape == (0,)


# --- Any order of steps --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_any_sequence_of_steps(seed: int, small_problem: SmallProblem) -> None:
    """Sums a solver keeps between steps must never be stale, whatever the step before."""
    rng = np.random.default_rng(seed)
    order = 2 + seed % 4
    loss = ("lf", "l1")[seed // 4 % 2]
    p = small_problem(order, rng)
    solver = solver_of(p, loss, threads=1 + seed % 3)

    def factor() -> None:
        mode = int(rng.integers(order))
        solver.update_factor(mode)
        reference.update_factor(p, mode, loss, LAM)

    def core() -> None:
        solver.update_core()
        reference.update_core(p, loss, LAM)

    def prune() -> None:
        counts = [int(rng.integers(0, 2 + np.sum(~mask) // 8)) for mask in p.pruned]
        solver.prune(counts)
        reference.prune(p, counts)

    def revive() -> None:
        assert solver.revive() == reference.revive(p)

    def mark() -> None:
        part = int(rng.integers(order + 1))
        revive()  # so that no mark is both of the last batch and set by hand
        p.pruned[part] = rng.random(p.parts[part].shape) < 0.2
        p.parts[part][p.pruned[part]] = 0.0
        solver.set_pruned(part, p.pruned[part])

    steps: list[Callable[[], None]] = [factor, core, prune, revive, mark]
    for pick in rng.choice(5, size=14, p=[0.35, 0.25, 0.2, 0.1, 0.1]):
        steps[pick]()
        if rng.random() < 0.5:
            assert_same_measures(solver, p)
        assert_same_state(solver, p, tol=1e-8)


# --- Problems out of the ordinary ----------------------------------------------------------------


@losses
@special
def test_special_problems(
    name: str, loss: str, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    shape, ranks, nnz = SPECIAL[name]
    order = len(shape)
    start = small_problem(order, rng, shape=shape, ranks=ranks, nnz=nnz, pruned=0.1)
    scores = [reference.responsibilities(start, part) for part in range(order + 1)]
    want = {mode: copy.deepcopy(start) for mode in (0, order // 2, order - 1)}
    for mode, p in want.items():
        reference.update_factor(p, mode, loss, LAM)
    swept = copy.deepcopy(start)
    reference.update_core(swept, loss, LAM)
    for threads in (1, 2, 7):
        solver = solver_of(start, loss, threads=threads)
        for part, score in enumerate(scores):
            assert_close(solver.responsibilities(part), score)
        solver.update_core()
        assert_same_state(solver, swept, tol=1e-9)
        assert solver.error() == pytest.approx(reference.error(swept), rel=1e-9)
        for mode, p in want.items():
            solver = solver_of(start, loss, threads=threads)
            solver.update_factor(mode)
            assert_same_state(solver, p)


@threads_
@losses
def test_zero_core_slices(
    loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(4, rng)
    p.core[1] = 0.0
    p.core[:, :, 0] = 0.0
    for mode in range(4):
        solver = solver_of(p, loss, threads=threads)
        want = copy.deepcopy(p)
        solver.update_factor(mode)
        reference.update_factor(want, mode, loss, LAM)
        assert_same_state(solver, want)
    assert_same_measures(solver_of(p, loss, threads=threads), p)


@losses
def test_a_core_of_zeros(loss: str, rng: np.random.Generator, small_problem: SmallProblem) -> None:
    p = small_problem(3, rng)
    p.core[...] = 0.0
    solver = solver_of(p, loss, threads=2)
    assert solver.error() == pytest.approx(1.0, rel=1e-15)
    assert not any(solver.responsibilities(part).any() for part in range(4))
    for mode in range(3):
        solver.update_factor(mode)
        assert not solver.factor(mode).any()
    solver.update_core()
    assert not solver.core.any()  # no feature is left; never a division by zero


@threads_
@losses
@orders
def test_without_a_penalty(
    order: int, loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng)
    solver = solver_of(p, loss, lam=0.0, threads=threads)
    solver.update_factor(0)
    reference.update_factor(p, 0, loss, 0.0)
    assert_same_state(solver, p)
    assert not solver.factor(0)[-1].any()  # the row without entries: 0, not 0 / 0
    solver.update_core()
    reference.update_core(p, loss, 0.0)
    assert_same_state(solver, p, tol=1e-9)


@threads_
@losses
def test_rows_longer_than_a_chunk_of_work(
    loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng, shape=(3, 200, 120), ranks=(2, 3, 2), nnz=30_000, pruned=0.1)
    assert np.bincount(p.coords[:, 0]).max() > 10_000
    solver = solver_of(p, loss, threads=threads)
    assert_same_measures(solver, p)
    for mode in range(3):
        solver.update_factor(mode)
        reference.update_factor(p, mode, loss, LAM)
    solver.update_core()
    reference.update_core(p, loss, LAM)
    assert_same_state(solver, p)
    assert_same_measures(solver, p)


def test_ties_go_to_the_lower_index(rng: np.random.Generator, small_problem: SmallProblem) -> None:
    p = small_problem(3, rng)
    p.factors[1][...] = 0.0  # nothing is predicted: every responsibility is exactly zero
    solver = solver_of(p, threads=2)
    counts = [5, 7, 3, 0]
    solver.prune(counts)
    for part, count in enumerate(counts):
        np.testing.assert_array_equal(np.flatnonzero(solver.pruned(part)), np.arange(count))


def test_the_whole_of_a_part_can_be_pruned(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    solver = solver_of(p, threads=2)
    solver.prune(solver.sizes)
    assert solver.n_pruned == solver.n_zeros == solver.sizes
    assert solver.error() == pytest.approx(1.0, rel=1e-14)  # only the order of the sum differs
    solver.update_factor(0)
    solver.update_core()
    assert solver.n_zeros == solver.sizes
    with pytest.raises(ValueError, match="1"):
        solver.prune([1, 0, 0, 0])


# --- Threads and processes -----------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_does_not_wait_for_threads_that_are_not_there() -> None:
    program = """
import os, warnings
import vest_tucker as vt
warnings.simplefilter("ignore")  # newer Pythons warn of forks beside threads
X, _ = vt.datasets.synthetic((50, 40, 30), 3, nnz=5000, seed=0)
want = vt.fit(X, 3, threads=2, max_iter=2, seed=1)
child = os.fork()
if child == 0:
    got = vt.fit(X, 3, threads=2, max_iter=2, seed=1)
    os._exit(0 if (got.core == want.core).all() else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_far_too_many_threads_are_cut_down(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    assert (
        8
        <= solver_of(small_problem(3, rng), threads=1024).threads
        <= max(8, 4 * (os.cpu_count() or 1))
    )


# --- The builds for different processors ---------------------------------------------------------


@pytest.mark.parametrize("isa", _core.isas())
@orders
def test_every_build_of_the_kernels_agrees(
    isa: str, order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng)
    solver = solver_of(p, isa=isa, threads=2)
    assert solver.isa == isa
    for mode in range(order):
        solver.update_factor(mode)
        reference.update_factor(p, mode, "lf", LAM)
    solver.update_core()
    reference.update_core(p, "lf", LAM)
    assert_same_state(solver, p)
    assert_same_measures(solver, p)


def test_a_build_that_is_not_here_is_refused(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    with pytest.raises(ValueError, match=r"sse9.*base"):
        solver_of(small_problem(3, rng), isa="sse9")


# --- The solver as an object ---------------------------------------------------------------------


def test_the_solver_works_in_the_arrays_it_is_given(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    """Start and result share their memory: a model of several gigabytes exists once."""
    p = small_problem(3, rng)
    tensor = _core.SparseTensor(p.coords, p.values, p.shape)
    core, factors = p.core.copy(), [a.copy() for a in p.factors]
    solver = _core.Solver(tensor, core, factors, loss=_core.Loss.LF, lam=LAM)
    solver.update_factor(0)
    solver.update_core()
    reference.update_factor(p, 0, "lf", LAM)
    reference.update_core(p, "lf", LAM)
    for got, want in zip([core, *factors], p.parts, strict=True):
        assert_close(got, want)


def test_read_only_arrays_are_refused(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    tensor = _core.SparseTensor(p.coords, p.values, p.shape)
    p.factors[1].flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        _core.Solver(tensor, p.core, p.factors, loss=_core.Loss.LF, lam=LAM)


def test_views_are_read_only_and_outlive_the_solver(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    solver = solver_of(p)
    views = parts_of(solver)
    del solver
    for view, want in zip(views, p.parts, strict=True):
        np.testing.assert_array_equal(view, want)
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 1.0


def test_sizes_that_do_not_fit_are_refused(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    tensor = _core.SparseTensor(p.coords, p.values, p.shape)
    bad = [
        (p.core[..., :1].copy(), p.factors),
        (p.core, p.factors[:2]),
        (p.core, [p.factors[0][:-1].copy(), *p.factors[1:]]),
    ]
    for core, factors in bad:
        with pytest.raises(ValueError):
            _core.Solver(tensor, core, factors, loss=_core.Loss.LF, lam=LAM)
    solver = solver_of(p)
    with pytest.raises(ValueError):
        solver.prune([0, 0])
    with pytest.raises(ValueError):
        solver.set_pruned(1, np.zeros((2, 2), dtype=bool))
    for mode in (3, -1):
        with pytest.raises((ValueError, IndexError, TypeError)):
            solver.update_factor(mode)


def test_arrays_of_another_type_are_refused(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    """The Python layer converts, once and in sight; the core never copies silently."""
    p = small_problem(3, rng)
    with pytest.raises(TypeError):
        _core.SparseTensor(p.coords.astype(np.int64), p.values, p.shape)
    with pytest.raises(TypeError):
        _core.SparseTensor(p.coords, p.values.astype(np.float32), p.shape)
    with pytest.raises(TypeError):
        _core.SparseTensor(np.asfortranarray(p.coords), p.values, p.shape)


# --- Same bits for any number of threads ---------------------------------------------------------


@losses
@pytest.mark.parametrize(
    ("shape", "ranks"),
    [((900, 700, 24), (4, 3, 2)), ((3, 2, 20_000, 4), (2, 2, 3, 2)), ((2000, 1500), (5, 4))],
    ids=["60,000 entries", "short modes", "matrix"],
)
def test_same_bits_for_any_number_of_threads(
    shape: tuple[int, ...],
    ranks: tuple[int, ...],
    loss: Literal["lf", "l1"],
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    p = small_problem(len(shape), rng, shape=shape, ranks=ranks, nnz=75_000)
    assert len(p.values) > 50_000
    tensor = vt.SparseTensor(p.coords, p.values, shape)
    init = (np.abs(p.core), [np.abs(a) for a in p.factors])

    def run(threads: int) -> vt.TuckerModel:
        return vt.fit(
            tensor, ranks, loss=loss, sparsity=0.5, lam=0.1, init=init, max_iter=8, tol=None,
            threads=threads,
        )  # fmt: skip

    want = run(1)
    assert want.error < 0.999  # not a model of zeros, which any sum would give
    for threads in (2, 3, 4, 8):
        got = run(threads)
        np.testing.assert_array_equal(got.core, want.core)
        for a, b in zip(got.factors, want.factors, strict=True):
            np.testing.assert_array_equal(a, b)
        assert [r.error for r in got.history] == [r.error for r in want.history]
        np.testing.assert_array_equal(got.predict(p.coords), want.predict(p.coords))
