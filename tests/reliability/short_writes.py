"""A system that writes only a part of what it is asked to: whoever writes goes on with the rest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from reliability.case import Case, Share, Tally
from reliability.memory import compiled

SOURCE = Path(__file__).with_name("short_writes.c")
PROGRAM = """
import ctypes, sys
import numpy as np
import vest_tucker as vt
seed, folder = int(sys.argv[1]), sys.argv[2]
X, _ = vt.datasets.synthetic((60, 40, 20), 2, nnz=6000, noise=0.1, seed=seed)
model = vt.fit(X, 3, preset="paper", lam=0.01, max_iter=3, seed=0,
               checkpoint=folder + "/run.ckpt", checkpoint_every=0.0)
assert vt.resume(folder + "/run.ckpt", X) == model, "run.ckpt"
for name in ("x.npz", "x.tns", "x.csv", "x.tns.gz", "x.parquet"):
    vt.write(X, folder + "/" + name)
    read = vt.read(folder + "/" + name)
    assert np.array_equal(np.sort(read.values), np.sort(X.values)), name
model.save(folder + "/model.npz")
assert vt.TuckerModel.load(folder + "/model.npz") == model, "model.npz"
model.report(folder + "/model.html")
assert open(folder + "/model.html", encoding="utf-8").read().rstrip().endswith("</html>")
print(ctypes.CDLL(None).vest_shortened(), "writes were cut short")
"""


def write(share: Share) -> Tally:
    """Write files of every kind, and read them again."""
    tally, shortened = Tally(), 0
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(Path(folder), SOURCE)
        if library is None:
            tally.notes.append("left out: no C compiler, or not Linux with the GNU C library")
            return tally
        around = dict(os.environ) | {"LD_PRELOAD": str(library)}
        for turn in share.turns(most=20):
            files = Path(folder) / str(turn)
            files.mkdir()
            command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(turn), str(files)]
            done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
            found = re.search(r"(\d+) writes were cut short", done.stdout)
            shortened += int(found[1]) if found else 0
            last = (done.stderr.strip().splitlines() or ["nothing is said"])[-1]
            tally.add(None if done.returncode == 0 and found and int(found[1]) else last[:100])
    tally.notes.append(f"{shortened} writes were cut short")
    return tally


CASES = [
    Case(
        "the system writes only a part of what it is given, or is interrupted: all kinds of files",
        "the rest is written as well: what is read again is the same",
        write,
        weight=0.2,
    )
]
