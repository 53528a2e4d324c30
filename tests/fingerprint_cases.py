"""Forty fits that together use all that `fit` can do: the list that fingerprints.py prints.

Every option, both losses, orders 2 to 5, every way that the kernels have to work. They are called
through public names alone, so that the insides may move. Few iterations each: the list is long.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import vest_tucker as vt

Options = dict[str, Any]
Models = Iterable[vt.TuckerModel]
Run = Callable[[int], Models]


@dataclass(frozen=True)
class Case:
    """One fit of the list, or a few that belong together.

    ``needs_same_numpy`` says that its bits depend on NumPy's linear algebra, which differs between
    processors. Others solve nothing, or only for 2 x 2 matrices, where no difference was found:
    not with OpenBLAS for Nehalem, Sandybridge, Haswell and Zen, with NumPy's vectors switched off,
    nor with NumPy 1.24, 1.26, 2.0 and 2.4.
    """

    name: str
    run: Run  # what to do with so many threads
    needs_same_numpy: bool


CASES: dict[str, Case] = {}


def case(name: str, *, needs_same_numpy: bool = False) -> Callable[[Run], Run]:
    """Put a function on the list."""

    def put(run: Run) -> Run:
        assert name not in CASES
        CASES[name] = Case(name, run, needs_same_numpy)
        return run

    return put


# The tensors. Only products and sums of uniform numbers, which are the same on every machine.


@functools.cache
def tensor(
    *shape: int, nnz: int, crowded: float = 0.0, labelled: bool = False, seed: int = 1
) -> vt.SparseTensor:
    """Make a sparse planted model of two components, with noise; row 0 may be crowded."""
    rng = np.random.default_rng(seed)
    coords = np.stack([rng.integers(0, dim, nnz) for dim in shape], axis=1)
    coords[rng.random(nnz) < crowded, 0] = 0
    coords = rng.permutation(np.unique(coords, axis=0))
    values = 0.2 * (rng.random(len(coords)) - 0.5)
    for scale in (4.0, -3.0):
        component = np.full(len(coords), scale)
        for mode, dim in enumerate(shape):
            column = rng.random(dim)
            column[column < 0.3] = 0.0
            component *= column[coords[:, mode]]
        values += component
    names = ["user", "film", "day", "hour", "place"][: len(shape)] if labelled else None
    labels = (
        [[f"{name} {row}" for row in range(dim)] for name, dim in zip(names, shape, strict=True)]
        if names
        else None
    )
    return vt.SparseTensor(coords, values, shape, modes=names, labels=labels)


def matrix() -> vt.SparseTensor:
    return tensor(60, 40, nnz=1500)


def cube(seed: int = 1) -> vt.SparseTensor:
    return tensor(40, 30, 20, nnz=3000, labelled=True, seed=seed)


def order4() -> vt.SparseTensor:
    return tensor(20, 15, 12, 8, nnz=3000)


def order5() -> vt.SparseTensor:
    return tensor(12, 10, 8, 6, 5, nnz=2500)


def crowded() -> vt.SparseTensor:
    """Entries of many chunks; a quarter of them in one row, which is then cut into pieces."""
    return tensor(300, 200, 50, nnz=36000, crowded=0.35)


def scattered() -> vt.SparseTensor:
    """Rows that lie far apart, few entries in each."""
    return tensor(20000, 15000, 3000, nnz=30000)


def scattered4() -> vt.SparseTensor:
    """Hardly two entries with anything in common, so that tables do not pay."""
    return tensor(5000, 5000, 5000, 5000, nnz=3000)


def loud() -> vt.SparseTensor:
    """Values on a scale that the weight of the paper suits."""
    X = cube()
    return vt.SparseTensor(X.coords, 20.0 * X.values, X.shape)


# The fits.


def fit(
    name: str,
    X: Callable[[], vt.SparseTensor],
    ranks: int | tuple[int, ...],
    *,
    needs_same_numpy: bool = False,
    **options: Any,
) -> None:
    """Put one call of `vt.fit` on the list."""
    given: Options = {"seed": 7, "max_iter": 15, "lam": 0.01} | options

    @case(name, needs_same_numpy=needs_same_numpy)
    def run(threads: int) -> Models:
        yield vt.fit(X(), ranks, threads=threads, **given, preset="paper")


# Orders, losses and the ways to prune.
fit("order 2, l1, per matrix", matrix, (3, 4), penalty="l1", sparsity=0.5)
fit("order 2, lf, auto", matrix, (5, 2), penalty="lf", sparsity="auto", max_iter=40)
fit("order 3, l1, auto", cube, (4, 3, 2), penalty="l1", sparsity="auto", max_iter=40)
fit("order 3, lf, global", cube, 3, penalty="lf", sparsity=0.7, allocation="global")
fit("order 4, l1, global", order4, (3, 2, 4, 2), penalty="l1", sparsity=0.5, allocation="global")
fit("order 4, lf, dense", order4, (1, 3, 4, 2), penalty="lf", sparsity=0, tol=1e-3)
fit("order 5, l1, per matrix", order5, (2, 3, 2, 2, 2), penalty="l1", sparsity=0.4)
fit("order 5, lf, auto, global", order5, 2, penalty="lf", allocation="global", max_iter=40)
fit(
    "prune rates, no tolerance", cube, 3,
    penalty="lf", sparsity=0.6, init_prune_rate=0.03, max_prune_rate=0.05, tol=None, max_iter=25,
)  # fmt: skip
fit("blunt elbow, nothing revived", cube, 3, penalty="lf", elbow=0.3, revive=False, max_iter=40)
fit("sharp elbow", order4, 3, penalty="l1", elbow=0.01, max_prune_rate=0.2, max_iter=40)

# The ways of the kernels: chunks, pieces of a row, tables or none, ranks, both sweeps of the core.
fit("crowded row, lf", crowded, 5, penalty="lf", sparsity=0.5, max_iter=20)
fit("crowded row, l1", crowded, (4, 13, 2), penalty="l1", sparsity=0.6, allocation="global")
fit("far rows", scattered, (4, 3, 6), penalty="lf", sparsity=0.3, max_iter=10)
fit("no tables, a rank of 1", scattered4, (4, 1, 3, 5), penalty="lf", sparsity=0.3)
fit("ranks above 12, Gram", cube, (13, 14, 3), penalty="lf", sparsity=0.5)
fit("ranks 7 to 12, Gram", cube, (7, 8, 11), penalty="l1", sparsity=0.5)
# Blocks take many short steps, which threads of a busy machine wait long for.
BRIEF: Options = {"sparsity": 0.4, "init_prune_rate": 0.1, "max_prune_rate": 0.2, "max_iter": 4}
fit("no tables, blocks", scattered4, (4, 13, 3, 5), penalty="l1", **BRIEF)
fit("blocks of one mode", cube, (22, 20, 19), penalty="l1", **BRIEF)
fit("blocks of two modes", order4, (12, 12, 8, 8), penalty="lf", **BRIEF)
fit("blocks, order 2", lambda: tensor(120, 110, nnz=900), (96, 90), penalty="l1", **BRIEF)

# Penalties and offsets.
fit(
    "lam_core, lam not scaled", cube, 3,
    penalty="l1", sparsity=0.5, lam=0.3, lam_core=0.02, lam_rows="equal", scale_lam=False,
)  # fmt: skip
fit("lam per root of entries", crowded, 3, penalty="l1", lam_rows="sqrt", sparsity=0.4)
fit("lam per entry", crowded, 3, penalty="lf", lam_rows="entries", sparsity=0.4)
fit("lam of the paper", loud, 2, penalty="lf", lam=None, sparsity=0.3)
fit("mean, lam by default", cube, 3, offset="mean", lam=None, penalty="lf", sparsity=0.3)
fit(
    "biases, lam by default, not scaled", cube, 3,
    offset="biases", lam=None, scale_lam=False, penalty="lf", sparsity=0.5,
)  # fmt: skip
fit("lam searched", cube, 2, lam="auto", init="random", sparsity=0.5, penalty="lf")
fit(
    "lam and start searched", cube, 2,
    lam="auto", n_starts=1, sparsity=0.5, offset="biases", max_iter=6,
)  # fmt: skip

# Where to start, when to stop.
fit("pairs", cube, 3, init="pairs", offset="biases", penalty="lf", sparsity=0.5, max_iter=30)
fit(
    "burn-ins, auto", cube, (3, 2, 2),
    init="data", lam=None, penalty="lf", n_starts=2, needs_same_numpy=True,
)  # fmt: skip
fit("burn-ins, per matrix", order4, 2, init="data", penalty="l1", sparsity=0.5, n_starts=2)


@case("arrays given, stopped by a callback")
def given_arrays(threads: int) -> Models:
    """A start of arrays, a generator for a seed, columns as the fit leaves them, a callback."""
    rng = np.random.default_rng(5)
    X, ranks = cube(), (3, 2, 4)
    start = rng.random(ranks), [rng.random((dim, j)) for dim, j in zip(X.shape, ranks, strict=True)]
    yield vt.fit(
        X, ranks, init=start, seed=rng, standardize=False, penalty="lf", lam=0.01, sparsity=0.5,
        callback=lambda record: record.iteration == 9, threads=threads,
    )  # fmt: skip


@case("several starts, validation")
def several_starts_and_validation(threads: int) -> Models:
    given: Options = {"seed": 11, "threads": threads, "patience": 2}
    X, unseen = vt.train_test_split(cube(), 0.2, seed=3)
    yield vt.fit(
        X,
        3,
        validation=unseen,
        n_starts=3,
        sparsity=0.4,
        lam=0.01,
        max_iter=25,
        **given,
        preset="paper",
    )
    few, unseen = vt.train_test_split(tensor(30, 25, 20, nnz=1000), 0.2, seed=3)
    model = vt.fit(few, 6, validation=unseen, penalty="lf", sparsity=0, lam=1e-3, **given)
    assert model.stopped == "validation"
    yield model


@case("warm start")
def warm_start(threads: int) -> Models:
    """From a model of other entries and fewer rows, matched by label."""
    first = tensor(30, 30, 15, nnz=2000, labelled=True, seed=8)
    given: Options = {"lam": 0.01, "penalty": "lf", "threads": threads, "sparsity": 0.5, "seed": 2}
    model = vt.fit(first, (3, 2, 2), max_iter=10, offset="mean", **given, preset="paper")
    yield vt.fit(
        cube(), (3, 2, 2), max_iter=12, offset="mean", warm_start=model, **given, preset="paper"
    )


@case("nonnegative")
def no_element_below_zero(threads: int) -> Models:
    given: Options = {"seed": 3, "lam": 0.01, "max_iter": 12, "threads": threads}
    yield vt.fit(cube(), 3, nonnegative=True, sparsity=0.5, penalty="l1", **given)
    yield vt.fit(cube(), 3, nonnegative=["film", "core"], sparsity=0.5, penalty="lf", **given)
    yield vt.fit(order4(), 2, nonnegative=1, allocation="global", **given, preset="paper")


@case("support, keep, fixed")
def support_keep_and_fixed(threads: int) -> Models:
    given: Options = {"seed": 4, "lam": 0.01, "max_iter": 12, "threads": threads, "sparsity": 0.5}
    diagonal = np.zeros((3, 3, 3), dtype=bool)
    diagonal[[0, 1, 2], [0, 1, 2], [0, 1, 2]] = True
    groups = [([f"film {row}" for row in range(10)], [0, 2])]
    first_rows = np.arange(40)[:, None] < np.array([[8, 4, 0]])
    days = np.random.default_rng(6).random((20, 3))
    yield vt.fit(cube(), 3, support={"core": diagonal, "film": groups}, penalty="lf", **given)
    yield vt.fit(cube(), 3, keep={"user": first_rows, "core": diagonal}, penalty="l1", **given)
    yield vt.fit(cube(), 3, fixed={"day": days}, allocation="global", penalty="lf", **given)


@case("path, by the curve", needs_same_numpy=True)
def path_by_the_curve(threads: int) -> Models:
    """Burn-ins, both bases, the knee and three other stops."""
    path = vt.path(
        cube(), (3, 2, 2), preset="paper", n_starts=2, step=0.1, refit=2, seed=1, threads=threads
    )
    yield from (path.best, path[0], path.at(sparsity=0.5), path[-1])


@case("path, by validation")
def path_by_validation(threads: int) -> Models:
    """From arrays, as they are turned, judged by entries held back."""
    X, unseen = vt.train_test_split(cube(2), 0.2, seed=3)
    rng = np.random.default_rng(9)
    start = rng.random((2, 2, 2)), [rng.random((dim, 2)) for dim in X.shape]
    path = vt.path(
        X, 2, knee="validation", validation=unseen, basis="plain", init=start, step=0.1, refit=2,
        least=0.2, penalty="l1", allocation="per_matrix", offset="mean", lam=0.01, seed=0,
        threads=threads,
    )  # fmt: skip
    yield from (path.best, path.at(sparsity=0.3), path[-1])


@case("stability")
def several_seeds(threads: int) -> Models:
    yield from vt.stability(
        cube(),
        2,
        n_seeds=3,
        preset="paper",
        seed=5,
        lam=0.01,
        sparsity=0.4,
        max_iter=8,
        threads=threads,
    ).models


@case("the plain call", needs_same_numpy=True)
def plain_call(threads: int) -> Models:
    yield vt.fit(cube(), seed=3, holdout=0.2, threads=threads)
