"""How long the Python layer takes for what it does beside the core: importing, labels, frames.

`python bench/python_layer.py` prints the best of five runs of each. Frames are those of pandas,
Polars and Arrow, where these are installed.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.data.labels import ModeLabels

N = 1_000_000
RUNS = 5


def main() -> None:
    """Time one after the other."""
    rng = np.random.default_rng(0)
    numpy_alone = best(lambda: run("import numpy"))
    report("import, beyond NumPy", best(lambda: run("import numpy, vest_tucker")) - numpy_alone)
    for kind in ("text", "numbers"):
        report(f"{N:,} labels to indices, {kind}", best(labels_to_indices(kind, rng)))
    for library in ("pandas", "polars", "pyarrow"):
        try:
            frame = frame_of(library, ratings(rng))
        except ModuleNotFoundError:
            print(f"{library} is not installed")
            continue
        to_tensor = partial(vt.SparseTensor.from_frame, frame, ["user", "movie", "row"])
        report(f"{N:,} rows of {library} to a tensor", best(to_tensor))
    report(f"densest part of {N:,} entries", best(densest_part(rng)))


def labels_to_indices(kind: str, rng: np.random.Generator) -> Callable[[], object]:
    """A mode of 100,000 labels is asked for a million, each time for the first time."""
    size = N // 10
    names = np.array([f"user {i}" for i in range(size)], dtype=object)
    labels = names if kind == "text" else rng.permutation(size)
    column = labels[rng.integers(0, size, N)]
    wanted = column.tolist() if kind == "text" else column
    return lambda: ModeLabels(2, None, [labels, None]).encode(0, wanted)


def ratings(rng: np.random.Generator) -> dict[str, Any]:
    """Return columns of two kinds of text, of numbers that never repeat, and of values."""
    columns: dict[str, Any] = {
        kind: np.array([f"{kind} {i}" for i in range(size)], dtype=object)[rng.integers(0, size, N)]
        for kind, size in (("user", 50_000), ("movie", 10_000))
    }
    return columns | {"row": np.arange(N), "value": rng.random(N)}


def frame_of(library: str, columns: dict[str, Any]) -> Any:
    """Return a frame, or Arrow's table, of these columns."""
    module = importlib.import_module(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def densest_part(rng: np.random.Generator) -> Callable[[], object]:
    """Few rows have most of the entries."""
    shape = (100_000, 20_000, 200)
    coords = (rng.random((N, 3)) ** 2 * shape).astype(np.int32)
    X = vt.SparseTensor(coords, np.ones(N), shape, duplicates="first")
    return lambda: X.densest((5000, 2000, 100))


def run(program: str) -> None:
    """Run a program in a process of its own."""
    subprocess.run([sys.executable, "-c", program], check=True)


def best(work: Callable[[], object]) -> float:
    """Return the seconds of the fastest run: others may be busy too."""
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def report(what: str, seconds: float) -> None:
    """Print one line."""
    print(f"{what:44} {seconds:6.2f} s", flush=True)


if __name__ == "__main__":
    main()
