"""A path of fits with variances: chosen as a plain call chooses, then pruned from dense to sparse.

Priors and noise stay as the dense fit found them, for those of the survivors alone would be too
wide. How good a stop is on other entries is measured on the splits that the structure was chosen
by; the models are those of the same walk over all entries.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.interrupts import deferred_interrupt
from vest_tucker.base.options import check_whole, generator
from vest_tucker.base.telling.steps import Step, step
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import beside
from vest_tucker.fitting.fit import defaults_of_fit
from vest_tucker.fitting.noise.best import Search
from vest_tucker.fitting.noise.call import Prepared, facts_of, scale, scaled_modes
from vest_tucker.fitting.noise.finish import Finish, chosen_text
from vest_tucker.fitting.noise.held import Split, baselines, distinct_entries
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.fitting.noise.sparser import worthless
from vest_tucker.fitting.noise.trials import target_of
from vest_tucker.fitting.progress import describe, tell_step
from vest_tucker.model.criterion import description_length
from vest_tucker.model.history import IterationRecord
from vest_tucker.studies.path.prune_down import expected_stops
from vest_tucker.studies.path.snapshot import Snapshot
from vest_tucker.studies.path.walk import Unseen, Walk

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import NoisyStep, Path

REFIT = 2  # sweeps at each stop


@stored
@dataclass
class Stops:
    """What is kept of the walk over all entries: of each stop that pruned something.

    ``numbers`` are those of the stops, from 0 on.
    """

    numbers: list[int] = field(default_factory=list)
    records: list[IterationRecord] = field(default_factory=list)
    values: list[Snapshot] = field(default_factory=list)
    variances: list[Snapshot] = field(default_factory=list)
    worthless: list[float] = field(default_factory=list)

    def add(self, record: IterationRecord, posterior: Posterior, modes: Sequence[int]) -> None:
        """Keep how a fit stands, with columns of norm 1."""
        if self.records and not record.prune_rate > 0.0:
            return
        share = worthless(posterior) / max(posterior.parts.n_live, 1)
        parts = posterior.parts.copy()
        scale(parts, modes)
        self.values.append(Snapshot.of(parts.values))
        self.variances.append(Snapshot.of(parts.variances))
        self.worthless.append(share)
        self.numbers.append(record.iteration - 1)
        # Last, so that only complete stops have one.
        self.records.append(dataclasses.replace(record, iteration=len(self.records) + 1))


def noisy_path(X: SparseTensor, arguments: Mapping[str, Any]) -> tuple[Path, bool]:
    """Make a path with ``penalty="bayes"``; ``arguments`` are those of `path`.

    Return the path, and whether an interrupt has ended it.
    """
    refit = arguments["refit"]
    refit = REFIT if refit is None else check_whole("refit", refit, at_least=1)
    stops = expected_stops(arguments["step"], arguments["least"])
    call = Prepared.of(
        X, as_of_fit(arguments), defaults_of_fit(), who="path", models=3 + 2 * sum(stops)
    )
    made = PathMaker(X, call, stops, refit, plain=arguments["basis"] == "plain")
    found = made.run(arguments["knee"])
    return found, made.ended


def as_of_fit(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `path` as those of a plain `fit`."""
    for name in ("lam", "n_starts"):
        if arguments[name] is not None:
            raise OptionError(
                f'{name} is an option of the penalties "l1" and "lf"; leave it out, or give '
                f'preset="paper" or penalty="lf"'
            )
    defaults = defaults_of_fit()
    shared = (defaults.keys() & arguments.keys()) - {"n_starts"} | {"ranks"}
    start = arguments["init"]
    chosen = isinstance(start, str) and start == "data"  # by the data, as `fit` does unasked
    given = {name: arguments[name] for name in sorted(shared)}
    return {**defaults, **given, "init": None if chosen else start}


@dataclass
class PathMaker:
    """One call of `path`: the search, the walks, and the result."""

    X: SparseTensor
    call: Prepared
    stops: Sequence[float]
    refit: int
    plain: bool
    ended: bool = False

    def run(self, knee: str) -> Path:
        """Choose a structure, walk over the splits, then over all entries."""
        rng = generator(self.call.seed)
        with beside(rng):
            return self._run(knee, rng)

    def _run(self, knee: str, rng: np.random.Generator) -> Path:
        began = time.perf_counter()
        wanted = self.call.wanted
        with step("choosing"):
            journal = Journal(lambda record, _: tell_step(record))
            search = Search(self.X, wanted, rng, journal)
            best, splits, tried = search.choose()
        best.journal = Journal(lambda record, _: None)  # from here on, stops are shown
        finish = Finish(self.X, wanted, search.rng, best)
        first, held, unseen = best.fits[0], splits[0][1], None
        if held is None or wanted.validation is not None:
            posterior, turned = first, self.turn(finish, first)
            walk = Walk(posterior, self.stops, self.refit, held)
        else:
            dense, priors = first.parts.copy(), first.priors.copy()
            unseen = self.measured(finish, splits)
            best.fits.clear()
            target, _ = target_of(best.candidate, self.X, wanted)
            posterior = finish.warmed(target, dense, priors)
            turned = self.turn(finish, posterior)
            walk = Walk(posterior, self.stops, self.refit, None)
        kept = self.walk(walk)
        if walk.found:
            unseen = walk.unseen
        if knee == "auto":
            knee = "worth" if unseen is None else "holdout"
        with deferred_interrupt() as late:
            facts = self.facts(posterior, splits) | {
                "chosen": chosen_text(best.candidate, "", tried),
                "validation_entries": distinct_entries(best.held),
                "seconds": time.perf_counter() - began,
            }  # fmt: skip
            found = result_of(kept, unseen, knee, "rotated" if turned else "plain", facts)
        self.ended = self.ended or bool(late)
        return found

    def facts(self, posterior: Posterior, splits: list[Split]) -> dict[str, Any]:
        """Return what the models of all stops have in common."""
        mean, biases = baselines(splits)
        return facts_of(self.X, self.call.made) | {
            "constant": posterior.parts.constant, "offset": posterior.target.offset,
            "noise": posterior.priors.noise, "validation_mean": mean,
            "validation_baseline": biases,
        }  # fmt: skip

    def turn(self, finish: Finish, posterior: Posterior) -> bool:
        """Turn a fit to a sparse basis if that is wanted; tell whether it was turned."""
        return not self.plain and finish.turn(posterior)

    def measured(self, finish: Finish, splits: Sequence[Split]) -> Unseen:
        """Return the errors on the entries held out of all splits, at each stop."""
        found, pairs = [], zip(splits, finish.best.fits, strict=True)
        for number, ((_, held), fitted) in enumerate(pairs, start=1):
            self.turn(finish, fitted)
            walk = Walk(fitted, self.stops, self.refit, held)
            with self.stopping(f"pruning, split {number} of {len(splits)}") as stopping:

                def look(record: IterationRecord, kept: None, stopping: Step = stopping) -> bool:
                    stopping.advance(words=partial(describe, record))
                    return False

                walk.go(None, look)
            found.append(walk.unseen)
            fitted.rest()
        return Unseen.together(found)

    def walk(self, walk: Walk) -> Stops:
        """Walk over all entries; an interrupt after the first stop ends the path there."""
        modes = scaled_modes(self.call.wanted.constraints, self.X.order)
        try:
            with self.stopping("pruning, all entries") as stopping:

                def look(record: IterationRecord, kept: Stops) -> bool:
                    kept.add(record, walk.posterior, modes)
                    stopping.advance(words=partial(describe, record))
                    return walk.explains_nothing

                return walk.go(Stops(), look)
        except KeyboardInterrupt:
            kept: Stops = walk.kept
            if not kept.records:
                raise
            self.ended = True
        return kept

    def stopping(self, title: str) -> Step:
        """Return the step that counts the stops of a walk."""
        return step(title, len(self.stops), "stop")


def result_of(
    kept: Stops, unseen: Unseen | None, knee: Any, basis: str, facts: dict[str, Any]
) -> Path:
    """Return the stops as a path."""
    from vest_tucker.studies.path.result import NoisyStep, Path

    n_stops = len(kept.records)
    errors = spreads = np.full(n_stops, math.nan)
    if unseen is not None:  # of walks that may have ended sooner, with elements to keep alone
        at = np.minimum(kept.numbers[:n_stops], len(unseen.squares) - 1)
        errors, spreads = unseen.errors[at], unseen.spreads_of_squared_errors[at]
    offset, totals = facts["offset"], facts["row_totals"]
    extra = 0 if offset is None else offset.n_parameters
    parameters = [snapshot.n_nonzero + extra for snapshot in kept.values[:n_stops]]
    weight = facts["nnz"] if totals is None else float(totals[0].sum())
    criteria = description_length([each.error for each in kept.records], parameters, weight)
    steps: tuple[NoisyStep, ...] = tuple(
        NoisyStep(
            1.0 - snapshot.n_nonzero / snapshot.size, snapshot.n_nonzero, parameters[k],
            record.error, float(errors[k]), float(spreads[k]), float(criteria[k]),
            record.pruned, kept.worthless[k],
        )
        for k, (record, snapshot) in enumerate(zip(kept.records, kept.values, strict=False))
    )  # fmt: skip
    return Path(
        steps, knee, basis, {basis: float(criteria.min())}, tuple(kept.values),
        tuple(kept.records), facts, (), tuple(kept.variances),
    )  # fmt: skip
