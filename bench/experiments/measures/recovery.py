"""Whether planted patterns and ranks come back: over noise, entries, skew and order.

Ours is a plain call, and the paper's automatic versions with the true ranks; beside them SMURFF's
spike-and-slab prior, with the true rank. SMURFF has no core, so the planted cores that it meets are
diagonal; the plain call meets both kinds. Its prior stands in all modes but the first and longest,
which has a normal one, and once more in one of the two shortest alone, as in the comparison; one
case shows what comes of that prior in every mode.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

import vest_tucker as vt
from experiments.harness.job import Job
from experiments.harness.machine import ROOT
from experiments.measures import spike_and_slab
from experiments.measures.patterns import factors_f1, tucker_f1
from experiments.sets.tensors import LIKE_RATINGS, digest

CELLS = 20_000  # that predictions are compared with the truth on
OF_90_PERCENT = 1.6448536  # standard deviations
SHAPES = {2: (90, 70), 3: (60, 50, 40), 4: (40, 30, 20, 10)}
FULL = ("vest-tucker", "vest-lf-auto", "vest-l1-auto")  # who meets full cores
# The modes where the prior is, or of which sets of modes the best one is taken: see `priors`.
SPIKES = ("smurff-spike-and-slab", "smurff-spike-and-slab-one", "smurff-spike-and-slab-all")
STUCK = 0.4  # a chain is, if its error to the truth is more than this share of its deviation


@dataclass(frozen=True)
class Case:
    """A planted truth and how it is seen."""

    over: str  # what is varied
    order: int = 3
    rank: int = 3
    entries: int = 8_000
    noise: float = 0.2
    skew: float = 0.0
    diagonal: bool = False


def cases() -> Iterator[Case]:
    """Yield the cases, one thing varied at a time, each with a full and with a diagonal core."""
    for diagonal in (False, True):
        for noise in (0.1, 0.2, 0.5, 1.0):
            yield Case("noise", noise=noise, diagonal=diagonal)
        for entries in (1_000, 2_000, 4_000, 16_000):
            yield Case("entries", entries=entries, diagonal=diagonal)
        for skew in (0.5, 1.0):
            yield Case("skew", skew=skew, diagonal=diagonal)
        for order in (2, 4):
            few = {"entries": 3_000} if order == 2 else {}
            yield Case("order", order=order, diagonal=diagonal, **few)


def jobs(whole: bool) -> Iterator[Job]:
    """Yield every case for everyone who can meet it."""
    for seed in range(10 if whole else 3):
        for case in cases():
            for who in ("vest-tucker", *SPIKES) if case.diagonal else FULL:
                usual = case == Case("noise", diagonal=True)
                if who == "smurff-spike-and-slab-all" and not usual:
                    continue
                theirs = who in SPIKES
                yield Job(
                    {"system": who, **asdict(case)},
                    seed,
                    partial(measured, who, case, seed),
                    2 * seed,
                    library=not theirs,
                    data=digest(planted(case, seed)[0]) if theirs else "",
                )


def priors(who: str, shape: tuple[int, ...]) -> list[list[int]]:
    """Return the sets of modes that may have the prior."""
    modes = range(len(shape))
    if who.endswith("-one"):
        return [[int(mode)] for mode in np.argsort(shape, kind="stable")[:2]]
    return [list(modes if who.endswith("-all") else modes[1:])]


def planted(case: Case, seed: int) -> tuple[vt.SparseTensor, vt.TuckerModel]:
    """Return entries and the truth, scaled like ratings; for matrices, every core is diagonal."""
    shape = SHAPES[case.order]
    X, truth = vt.datasets.synthetic(
        shape,
        case.rank,
        case.entries,
        sparsity=0.6,
        noise=0.0,
        missing="skewed" if case.skew else "uniform",
        skew=case.skew,
        seed=seed,
    )
    if case.diagonal or case.order == 2:
        core = np.zeros((case.rank,) * case.order)
        core[(np.arange(case.rank),) * case.order] = 1.0
        truth = vt.TuckerModel(core, truth.factors)
    signal = truth.predict(X.coords)
    scale = LIKE_RATINGS / math.sqrt(float(np.mean(signal**2)))
    truth = vt.TuckerModel(scale * truth.core, truth.factors)
    rng = np.random.default_rng(seed + 1000)
    values = scale * signal + case.noise * LIKE_RATINGS * rng.standard_normal(X.nnz)
    return vt.SparseTensor(X.coords, values, shape), truth


def measured(who: str, case: Case, seed: int) -> dict[str, Any]:
    """Fit, and compare with the truth: pattern, ranks, predictions, intervals."""
    X, truth = planted(case, seed)
    rng = np.random.default_rng(seed)
    cells = np.stack([rng.integers(0, dim, CELLS) for dim in X.shape], axis=1)
    true = truth.predict(cells)
    new = true + case.noise * LIKE_RATINGS * rng.standard_normal(CELLS)
    about: dict[str, Any]
    sparse = list(range(1, case.order))
    if who in SPIKES:
        found = spike_and_slab.fitted(X, case.rank, cells, seed, priors(who, X.shape))
        stuck = np.sqrt(np.mean((found.chains - true) ** 2, axis=1)) > STUCK * true.std()
        about = {"zeros": found.zeros, "chains": len(stuck), "stuck": int(stuck.sum())}
        factors, sparse = found.factors, found.modes
        about["modes"] = sparse
        predicted, std = found.mean, found.std
    else:
        model = fitted(who, X, case, seed)
        about = {
            "f1": tucker_f1(model, truth),
            "zeros": model.sparsity,
            "ranks": list(model.ranks),
            "hit": model.ranks == truth.ranks and not model.constant,
        }
        factors = list(model.factors)
        predicted, std = model.predict(cells), None
        if who == "vest-tucker":
            predicted, std = model.predict(cells, return_std=True)
    about["factors_f1"] = factors_f1(factors, truth.factors)
    mine, planted_there = ([parts[mode] for mode in sparse] for parts in (factors, truth.factors))
    about["spiked_f1"] = factors_f1(mine, planted_there)
    about["mode_f1"] = [
        factors_f1([one], [other]) for one, other in zip(factors, truth.factors, strict=True)
    ]
    about["to_truth"] = float(np.sqrt(np.mean((predicted - true) ** 2)) / true.std())
    if std is not None:
        about["cover"] = float(np.mean(np.abs(new - predicted) <= OF_90_PERCENT * std))
    return about


def fitted(who: str, X: vt.SparseTensor, case: Case, seed: int) -> vt.TuckerModel:
    """Fit in one of our ways."""
    if who == "vest-tucker":
        return vt.fit(X, seed=seed, threads=1)
    penalty = "lf" if who == "vest-lf-auto" else "l1"
    return vt.fit(X, case.rank, preset="paper", penalty=penalty, seed=seed, threads=1)  # type: ignore[arg-type]


SOURCES = tuple(
    ROOT / "bench" / "experiments" / "measures" / name
    for name in ("recovery.py", "patterns.py", "spike_and_slab.py")
)
