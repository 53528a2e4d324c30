"""The solver as an object: its arrays, its threads, and Ctrl-C."""

from __future__ import annotations

import _thread
import functools
import os
import subprocess
import sys
import time
from typing import Any, Literal

import numpy as np
import pytest

import reference
import vest_tucker as vt
from conftest import SmallProblem
from helpers import (
    LAM,
    assert_close,
    losses,
    parts_of,
    solver_of,
)
from vest_tucker import _core

# --- Arrays --------------------------------------------------------------------------------------


def test_the_solver_works_in_the_arrays_it_is_given(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    """Start and result share their memory: a model of several gigabytes exists once."""
    p = small_problem(3, rng)
    tensor = _core.SparseTensor(p.coords, p.values, p.shape)
    core, factors = p.core.copy(), [a.copy() for a in p.factors]
    solver = _core.Solver(tensor, core, factors, kind=_core.PenaltyKind.LF, lam=LAM)
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
        _core.Solver(tensor, p.core, p.factors, kind=_core.PenaltyKind.LF, lam=LAM)


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
            _core.Solver(tensor, core, factors, kind=_core.PenaltyKind.LF, lam=LAM)
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


# --- Threads and processes -----------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_does_not_wait_for_threads_that_are_not_there() -> None:
    program = """
import os, warnings
import vest_tucker as vt
warnings.simplefilter("ignore")  # newer Pythons warn of forks beside threads
X, _ = vt.datasets.synthetic((50, 40, 30), 3, nnz=5000, seed=0)
want = vt.fit(X, 3, preset="paper", threads=2, max_iter=2, seed=1)
child = os.fork()
if child == 0:
    got = vt.fit(X, 3, preset="paper", threads=2, max_iter=2, seed=1)
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


# --- Ctrl-C --------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("step", "arguments"),
    [("update_factor", [0]), ("update_core", []), ("error", []), ("prune", [[1, 1, 1, 1]])],
)
def test_an_interrupt_is_heard_in_the_middle_of_a_step(
    step: str,
    arguments: list[Any],
    threads: int,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    """The core asks for interrupts while it works; Python alone would hear of one after the step.

    The calls follow one another in C, so that Python itself has no chance to hear of it between
    them.
    """
    solver = solver_of(small_problem(3, rng), threads=threads)
    came_after: list[str] = []
    calls = [
        functools.partial(_thread.interrupt_main),
        functools.partial(getattr(solver, step), *arguments),
        functools.partial(came_after.append, "another step"),
    ]
    time.sleep(0.06)  # the core asks for interrupts every 0.05 s
    with pytest.raises(KeyboardInterrupt):
        list(map(functools.partial.__call__, calls))
    assert came_after == []
