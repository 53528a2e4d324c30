"""Runs one method on one tensor in this process and prints what it took, as a line of JSON."""

from __future__ import annotations

import dataclasses
import json
import resource
import sys
import time
from typing import Any

import numpy as np

from methods import METHODS
from tensors import TENSORS, Floats


def main() -> None:
    """Take the tensor's name, the method's, whether to centre, and a limit of memory in bytes."""
    tensor, method, centred, limit = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
    print(json.dumps(measure(tensor, method, centred == "centred")))


def measure(tensor: str, method: str, centred: bool) -> dict[str, Any]:
    """Fit and judge; memory is the peak of the process, so this may be called only once in it."""
    data = TENSORS[tensor]()
    offset = float(data.values.mean()) if centred else 0.0
    __import__(METHODS[method].package)
    before = peak_memory()
    began = time.perf_counter()
    predict = METHODS[method].fit(dataclasses.replace(data, values=data.values - offset))
    seconds = time.perf_counter() - began
    memory = peak_memory()
    return {
        "seconds": seconds,
        "memory": memory,
        "memory_before": before,
        "train_error": relative_error(data.values, predict(data.coords) + offset),
        "test_error": relative_error(data.test_values, predict(data.test_coords) + offset),
        "mean_test_error": relative_error(data.test_values, np.float64(data.values.mean())),
    }


def relative_error(values: Floats, predicted: Floats | np.float64) -> float:
    """Return the norm of what is left over the norm of the values."""
    return float(np.linalg.norm(values - predicted) / np.linalg.norm(values))


def peak_memory() -> int:
    """Return the most memory that this process has held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


if __name__ == "__main__":
    main()
