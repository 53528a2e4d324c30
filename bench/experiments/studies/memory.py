"""How honest `estimate_memory` and the check before a fit are: said against measured.

``python bench/experiments/studies/memory.py`` makes each fit in a process of its own, and prints
the bytes that the check counted beside what the call had taken already, the peak of the process
above what it had just before the call, and the ratio. Peaks are those of Linux (VmHWM); entries are
random, with a mean of a few waves.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PAPER = {"preset": "paper", "max_iter": 4, "seed": 0}
CASES: dict[str, tuple[tuple[int, ...], int, str]] = {
    "paper, small": ((100, 80, 30), 5_000, "fit(X, 5, **PAPER)"),
    "paper, order 2": ((5000, 3000), 500_000, "fit(X, 10, **PAPER)"),
    "paper, order 3": ((5000, 3000, 50), 10**6, "fit(X, 8, **PAPER)"),
    "paper, order 4": ((2000, 500, 50, 20), 500_000, "fit(X, 5, **PAPER)"),
    "paper, order 5": ((200, 100, 50, 20, 20), 300_000, "fit(X, 4, **PAPER)"),
    "paper, long mode": ((10**6, 300, 20), 300_000, "fit(X, 10, **PAPER)"),
    "paper, biases": ((1000, 500, 20), 200_000, "fit(X, 5, **PAPER, offset='biases')"),
    "paper, lam='auto'": ((1000, 500, 20), 200_000, "fit(X, 5, **PAPER, lam='auto')"),
    "paper, init='data'": ((1000, 500, 20), 200_000, "fit(X, 5, **PAPER, init='data')"),
    "paper, n_starts=3": ((100_000, 500, 20), 200_000, "fit(X, 10, **PAPER, n_starts=3)"),
    "paper, path": ((1000, 500, 20), 100_000, "path(X, 5, preset='paper', seed=0)"),
    "plain, small": ((60, 50, 20), 3_000, "fit(X, seed=0)"),
    "plain, dense": ((30, 30, 30), 27_000, "fit(X, seed=0)"),
    "plain, 12,000": ((100, 100, 20), 12_000, "fit(X, seed=0)"),
    "plain, 50,000": ((300, 200, 30), 50_000, "fit(X, seed=0)"),
    "plain, order 2": ((2000, 1500), 150_000, "fit(X, seed=0)"),
    "plain, order 4": ((60, 40, 20, 10), 60_000, "fit(X, seed=0)"),
    "plain, ranks, offset": ((900, 600, 90), 190_000, "fit(X, 4, offset='mean', seed=0)"),
    "plain, path": ((300, 200, 30), 50_000, "path(X, seed=0)"),
    "plain, stability": ((300, 200, 30), 50_000, "stability(X, n_seeds=3, seed=0)"),
    "plain, validation": ((300, 200, 30), 50_000, "fit(X, validation=T(X), seed=0)"),
    "paper, validation": ((5000, 3000, 50), 10**6, "fit(X, 8, **PAPER, validation=T(X))"),
    "paper, weights": ((5000, 3000, 50), 10**6, "fit(W(X), 8, **PAPER)"),
    "paper, cross_validate": ((5000, 3000, 50), 10**6, "cross_validate(X, 2, ranks=5, **PAPER)"),
    "paper, stability": ((5000, 3000, 50), 500_000, "stability(X, 8, 3, **PAPER)"),
    "paper, 5 million": ((20_000, 5_000, 200), 5_000_000, "fit(X, 8, **PAPER)"),
}  # fmt: skip


def field(name: str) -> int:
    """Return a number of bytes that Linux keeps of this process."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


def measure(name: str) -> dict[str, Any]:
    """Make one of the fits; return what was said and what was taken."""
    import numpy as np

    import vest_tucker as vt
    from vest_tucker.base import memory

    shape, nnz, call = CASES[name]
    rng = np.random.default_rng(0)
    coords = np.stack([rng.integers(0, dim, int(1.3 * nnz)) for dim in shape], axis=1)
    coords = np.unique(coords, axis=0) if np.prod(shape, dtype=float) > nnz else coords
    if np.prod(shape, dtype=float) < 4 * nnz:  # nearly all cells
        coords = np.argwhere(np.ones(shape, dtype=bool))
    coords = rng.permutation(coords)[:nnz].astype(np.int32)
    values = rng.normal(size=len(coords)) + np.sin(coords).sum(axis=1)
    X = vt.SparseTensor(coords, values, shape)
    small, _ = vt.datasets.synthetic((6, 5, 4), 2, nnz=60, seed=0)
    vt.fit(small, seed=0)  # what is loaded and made once does not count
    vt.fit(small, 2, preset="paper", max_iter=2, seed=0)
    said: list[float] = []

    def note(bytes_: float, dims: tuple[int, ...]) -> None:
        said.append(bytes_ + field("VmRSS") - before)  # what is asked for, beside what is taken

    memory.require_room = note
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # nothing is left over to be used again
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak begins anew
    before = field("VmRSS")
    names = {"vt": vt, "X": X, "PAPER": PAPER, "W": lambda X: X.with_weights(X.values**2 + 0.1)}
    names["T"] = lambda X: X.subset(range(X.nnz // 10))
    eval(f"vt.{call}", names)
    return {"said": max(said, default=0.0), "peak": field("VmHWM") - before}


def main() -> None:
    """Print the table."""
    print(f"{'':24}{'said':>10}{'taken':>10}  ratio")
    for name in CASES:
        command = [sys.executable, "-W", "ignore", __file__, name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        said, peak = found["said"] / 1e6, found["peak"] / 1e6
        outside = "" if 0.9 <= said / peak <= 1.3 else "  outside"
        print(f"{name:24}{said:7.1f} MB{peak:7.1f} MB  {said / peak:5.2f}{outside}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
    else:
        main()
