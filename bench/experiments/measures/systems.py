"""One run of one system on one split: errors, zeros, numbers kept, seconds."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vest_tucker as vt
from experiments.harness.job import Job
from experiments.harness.machine import ROOT
from experiments.sets.tensors import SETS, digest
from peers import SYSTEMS, Result, Task, run
from peers.worker import measured

PEERS = ROOT / "bench" / "peers"
SHARED = tuple(PEERS / f"{name}.py" for name in ("peer", "clock", "tuning", "worker", "running"))
THREADS = 1  # for everyone: on shared cores, more would measure how threads wait for each other


def job(
    name: str,
    tensor: str,
    seed: int,
    *,
    limit: float,
    curve: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Job:
    """Return the job of one run; what does not use this library does not depend on it."""
    about: dict[str, Any] = {"set": tensor, "system": name}
    if settings:
        about["settings"] = dict(settings)
    ours = "vest_tucker" in SYSTEMS[name].requires
    return Job(
        about,
        seed,
        lambda: found(name, tensor, seed, limit, curve, settings or {}),
        seed,
        sources=(*SHARED, _file_of(SYSTEMS[name].module)),
        library=ours,
        data=f"{tensor} {SYSTEMS[name].defaults}",
    )


def _file_of(module: str) -> Path:
    return ROOT / "bench" / Path(*module.split(".")).with_suffix(".py")


def found(
    name: str, tensor: str, seed: int, limit: float, curve: bool, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Fit nine tenths of the entries, and say how it went."""
    train, test = SETS[tensor].split(seed)
    task = Task.of(
        train.coords, train.values, train.shape, SETS[tensor].ranks, test.coords,
        seed=seed, threads=THREADS, settings=dict(settings), curve=curve,
    )  # fmt: skip
    result = outcome(name, task, limit)
    if result.error is not None:
        return {"error": result.error, "entries": train.nnz}
    about = {
        "re": error(train.values, result.fitted),
        "test": error(test.values, result.predictions),
        "zeros": result.sparsity,
        "elements": result.elements,
        "stored": result.stored,
        "fit_seconds": result.seconds,
        "bytes": result.peak_bytes,
        "entries": train.nnz,
        "data": digest(train),
    }
    if curve:
        about["curve"] = [[when, error(test.values, then)] for when, then in result.curve]
    return about


def outcome(name: str, task: Task, limit: float) -> Result:
    """Run a system: ours in this process, which they do not harm, the others in their own.

    Where a curve is asked for, all run in a process of their own, so that all start alike.
    """
    peer = SYSTEMS[name]
    if "vest_tucker" in peer.requires and not task.curve:
        return measured(name, task)
    return run(name, task, limit_seconds=limit)


def error(values: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Return the norm of what is left over the norm of the values."""
    return float(np.linalg.norm(values - predicted) / np.linalg.norm(values))


def can_run(name: str) -> bool:
    """Whether the packages of a system are installed; those that are not are told on the page."""
    return all(importlib.util.find_spec(each) is not None for each in SYSTEMS[name].requires)


def about_systems() -> dict[str, dict[str, Any]]:
    """Return what is said of each system, for the page."""
    return {
        name: {
            "title": peer.title, "kind": peer.kind, "reference": peer.reference,
            "fair": peer.fair, "departs": peer.departs, "checked": peer.checked,
            "here": can_run(name), "settings": dict(peer.defaults), "modes": peer.modes,
        }
        for name, peer in SYSTEMS.items()
    }  # fmt: skip


def version() -> str:
    """Return the version of this library."""
    return str(vt.__version__)
