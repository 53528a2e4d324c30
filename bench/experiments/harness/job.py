"""An experiment is a list of jobs; a job is one measurement that makes one row of results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Settings = dict[str, Any]


SLOW_TURN, LONG_TURN, SPARE_TURN = 5, 6, 7  # after all seeds: systems, curves, and other seeds
FEW = 3  # seeds that make a figure; the others are to spare where they cost much


def spared(seed: int) -> int:
    """Return the turn of a seed in a figure that can do with few."""
    return seed if seed < FEW else SPARE_TURN + seed


@dataclass(frozen=True)
class Job:
    """One measurement: what identifies it, and the function that makes it.

    Jobs of a lower ``turn`` come first, whichever figure they belong to: should the time not
    suffice, every figure then has fewer seeds, and none is missing. What is slow and what needs few
    seeds comes after the five of figure 1.
    """

    settings: Settings
    seed: int
    measure: Callable[[], dict[str, Any]]
    turn: int = 0
    sources: tuple[Path, ...] = ()  # what it depends on beside what its figure does
    library: bool = True  # whether it depends on this library, too
    data: str = ""  # a sum over the entries, for what does not depend on the library

    @property
    def key(self) -> str:
        """What tells this measurement from all others of its figure."""
        return key_of(self.settings, self.seed)


def key_of(settings: Settings, seed: int) -> str:
    """Return settings and seed as one text."""
    return json.dumps([settings, seed], sort_keys=True)


@dataclass(frozen=True)
class Experiment:
    """A figure: its name, its title, the jobs for a scale, and the sources that it depends on."""

    name: str
    title: str
    jobs: Callable[[bool], Iterable[Job]]  # of whether all of it is wanted, or what is quick
    sources: tuple[Path, ...] = ()  # beside the library
    timed: bool = False  # whether its seconds are shown, so that nothing may run beside it


def beyond(experiments: Iterable[Experiment]) -> dict[str, Any]:
    """Return what a full run has beyond a quick one: of each figure that differs, both."""
    figures = {}
    total = 0
    for each in experiments:
        quick, full = list(each.jobs(False)), list(each.jobs(True))
        total += len(full)
        if {job.key for job in quick} == {job.key for job in full}:
            continue
        sets, most = ([_values(jobs, name) for jobs in (quick, full)] for name in ("set", "most"))
        figures[each.name] = {
            "title": each.title,
            "jobs": [len(quick), len(full)],
            "seeds": [len({job.seed for job in jobs}) for jobs in (quick, full)],
            "sets": [name for name in sets[1] if name not in sets[0]],
            "most": [size for size in most[1] if size not in most[0]],
        }
    return {"jobs": total, "figures": figures}


def _values(jobs: Iterable[Job], name: str) -> list[str]:
    """Return the different values of a setting, in the order in which they come."""
    return list(dict.fromkeys(job.settings[name] for job in jobs if job.settings.get(name)))
