"""The process of one system: reads its task, fits, predicts, writes the result."""

from __future__ import annotations

import importlib
import os
import resource
import sys
import traceback
from operator import itemgetter
from pathlib import Path

import numpy as np

from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Result, Task
from peers.systems import SYSTEMS
from peers.tuning import centred, tuned


def main() -> None:
    """Take the system's name, the task's file, the result's, and a limit of memory in bytes."""
    name, given, found, limit = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
    task = Task.load(Path(given))
    try:
        result = measured(name, task)
    except MemoryError:
        result = Result.failed(task, "needs more memory than there is")
    except Exception as error:
        traceback.print_exc()
        result = Result.failed(task, f"{type(error).__name__}: {error}".splitlines()[0])
    # Moved into place when it is complete, so that a crash at the exit does no harm.
    result.save(Path(found).with_suffix(".part.npz"))
    Path(found).with_suffix(".part.npz").rename(found)
    sys.stdout.flush()
    os._exit(0)  # pygenten aborts when Python takes it apart


def measured(name: str, task: Task) -> Result:
    """Fit with the clock running, predict with it stopped."""
    peer = SYSTEMS[name]
    task = task.with_settings(peer.settings(task.settings))
    for package in peer.requires:
        importlib.import_module(package)  # loading libraries is not fitting
    fit = centred(importlib.import_module(peer.module).fit)
    clock = Clock(task.curve)
    chosen = tuned(task, fit)
    clock.settle()
    model = fit(chosen, clock)
    with clock.paused() as seconds:
        memory = peak_memory()
    predictions = checked(model, task.test_coords)
    before = sorted((point for point in clock.points if point[0] < seconds), key=itemgetter(0))
    return Result(
        predictions,
        checked(model, task.coords),
        seconds,
        memory,
        model.stored,
        model.elements,
        model.zeros,
        [*before, (seconds, predictions)],
    )


def checked(model: Fitted, coords: Ints) -> Floats:
    """Predict, and see that there is one number for each cell."""
    predictions = np.asarray(model.predict(coords), np.float64)
    assert predictions.shape == (len(coords),), f"{predictions.shape} for {len(coords)} cells"
    return predictions


def peak_memory() -> int:
    """Return the most memory that this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.is_file():  # what getrusage says may be the memory of the process that started us
        for line in status.read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


if __name__ == "__main__":
    main()
