"""What each choice is worth: one thing changed at a time, each seed beside the same seed.

Of the paper's algorithm: the schedule of pruning, revival, the penalty's weight, ranks, the elbow,
where zeros fall, the offset. Of the plain call: its pieces, taken out one by one as the study
`studies/ablation.py` does, among them the variances.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import vest_tucker as vt
from experiments.harness.job import Job, spared
from experiments.harness.machine import ROOT
from experiments.sets.tensors import SETS

STUDIES = ROOT / "bench" / "experiments" / "studies"
TENSORS = ("ML_small", "planted-s")
Ranks = tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """A way to fit, and what it is compared with."""

    group: str  # which one it is a change of
    title: str
    options: dict[str, Any] = field(default_factory=dict)
    ranks: Callable[[Ranks], Ranks] = lambda ranks: ranks
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext


def doubled(ranks: Ranks) -> Ranks:
    """Return twice the ranks."""
    return tuple(2 * rank for rank in ranks)


def halved(ranks: Ranks) -> Ranks:
    """Return half of the ranks."""
    return tuple(max(1, rank // 2) for rank in ranks)


BASES: dict[str, dict[str, Any]] = {
    "VeST, L_F, 60 % zeros": {"preset": "paper", "penalty": "lf", "sparsity": 0.6},
    "VeST, L_F, auto": {"preset": "paper", "penalty": "lf"},
    "vest-tucker": {},
}
MANUAL, AUTO, PLAIN = BASES


def changes() -> Iterator[Change]:
    """Yield the bases, and all that is changed of each."""
    yield Change(MANUAL, "as it is")
    at_once = {"init_prune_rate": 0.6, "max_prune_rate": 0.6}
    yield Change(MANUAL, "pruning schedule: all at once", at_once)
    slow = {"init_prune_rate": 0.005, "max_prune_rate": 0.02}
    yield Change(MANUAL, "pruning schedule: at most 2 % at a time", slow)
    yield Change(MANUAL, "pruning schedule: 10 % from the start", {"init_prune_rate": 0.1})
    for lam in (0.5, 1.0, 20.0):
        yield Change(MANUAL, f"λ = {lam:g} in place of 5", {"lam": lam})
    yield Change(MANUAL, "λ not scaled by entries per element", {"scale_lam": False})
    yield Change(MANUAL, "L1 in place of L_F", {"penalty": "l1"})
    yield Change(MANUAL, "half the ranks", ranks=halved)
    yield Change(MANUAL, "twice the ranks", ranks=doubled)
    yield Change(MANUAL, "allocation: one ranking of all", {"allocation": "global"})
    yield Change(MANUAL, "offset: the mean", {"offset": "mean"})
    yield Change(MANUAL, "offset: mean and biases", {"offset": "biases"})
    both = {"allocation": "global", "offset": "biases"}
    yield Change(MANUAL, "one ranking, mean and biases", both)
    yield Change(MANUAL, "best of four starts", {"n_starts": 4})
    yield Change(MANUAL, "start from the data", {"init": "data"})
    yield Change(AUTO, "as it is")
    yield Change(AUTO, "no revival of the last batch", {"revive": False})
    for elbow in (0.02, 0.2, 1.0):
        yield Change(AUTO, f"elbow at {elbow:g} in place of 0.05", {"elbow": elbow})
    yield Change(AUTO, "one ranking, mean and biases", both)
    yield Change(PLAIN, "as it is")
    for way in plain_ways():
        yield Change(PLAIN, way.title, dict(way.options), patch=way.patch)


def plain_ways() -> list[Any]:
    """Return the pieces of a plain call; the study is a script whose folder has what it imports."""
    if str(STUDIES) not in sys.path:
        sys.path.append(str(STUDIES))
    ways = importlib.import_module("ablation").WAYS
    return [way for way in ways if way.title != "everything"]


def jobs(whole: bool) -> Iterator[Job]:
    """Yield every change on every tensor."""
    for seed in range(10 if whole else 5):
        for name in TENSORS:
            if not SETS[name].is_here:
                continue
            for change in changes():
                settings = {"set": name, "base": change.group, "change": change.title}
                yield Job(settings, seed, partial(measured, name, change, seed), spared(seed))


def measured(name: str, change: Change, seed: int) -> dict[str, Any]:
    """Fit nine tenths of the entries."""
    train, test = SETS[name].split(seed)
    options = {**BASES[change.group], **change.options}
    ranks = () if change.group == PLAIN else (change.ranks(SETS[name].ranks),)
    with change.patch():
        model = vt.fit(train, *ranks, **options, seed=seed, threads=1)
    return {
        "re": vt.relative_error(model, train),
        "test": vt.relative_error(model, test),
        "zeros": model.sparsity,
        "stored": model.n_parameters,
        "iterations": model.n_iter,
    }
