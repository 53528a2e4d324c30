"""No memory left: a MemoryError, and the process goes on.

Two ways: every process may have a limit for its addresses, which also lets no thread begin and no
file be mapped; and a library in front of C's own lets the k-th call for a large piece fail, and all
after it, for any k.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from reliability.case import Case, Share, Tally

SOURCE = Path(__file__).with_name("failing_malloc.c")
DEEDS = ("read npz", "read tns", "read csv", "plan", "fit", "search", "plain", "predict", "save",
         "load", "report")  # fmt: skip
# What these say when they end a process, which nobody who called them can prevent.
KNOWN = {
    "OpenBLAS error: Memory allocation": "NumPy's OpenBLAS ends the process",
    "cannot allocate memory for thread-local data": "the GNU C library ends the process",
}
# Arrow, which parses text, makes a table's reader where nobody catches this.
ARROW = ("instance of 'St9bad_alloc'", "instance of 'std::bad_alloc'")
PROGRAM = """
import ctypes, errno, os, resource, sys, tempfile
import numpy as np
import vest_tucker as vt
deed, how, amount = sys.argv[1], sys.argv[2], float(sys.argv[3])
rng = np.random.default_rng(0)
shape = (400, 300, 200)
coords = rng.integers(0, shape, (20_000, 3))
X = vt.SparseTensor(coords, rng.random(len(coords)) + coords[:, 0] % 3, shape=shape,
                    duplicates="mean")
paper = {"preset": "paper", "lam": 0.01, "seed": 0}
model = vt.fit(X, 3, max_iter=1, **paper)
os.chdir(tempfile.mkdtemp(dir=sys.argv[4]))
if deed.startswith("read"):
    vt.write(X, "x." + deed.split()[1])
    if how == "calls":
        vt.read("x." + deed.split()[1])  # what it needs is loaded
model.save("model.npz")
deeds = {
    "read npz": lambda: vt.read("x.npz"),
    "read tns": lambda: vt.read("x.tns"),
    "read csv": lambda: vt.read("x.csv"),
    "plan": lambda: vt.fit(X, 10, max_iter=1, check_memory=False, **paper),
    "fit": lambda: vt.fit(X, 6, max_iter=3, threads=2, check_memory=False, **paper),
    "search": lambda: vt.fit(X, 2, penalty="lf", lam="auto", max_iter=2, seed=0),
    "plain": lambda: vt.fit(X.subset(np.arange(X.nnz) < 500), 2, offset="mean", seed=0),
    "predict": lambda: model.predict(np.zeros((300_000, 3), dtype=np.int64)),
    "save": lambda: model.save("model.npz"),
    "load": lambda: vt.TuckerModel.load("model.npz"),
    "report": lambda: model.report("model.html"),
}
before = open("model.npz", "rb").read()
if how == "addresses":
    in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    limit = in_use + int(amount * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    lift = lambda: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
else:
    library = ctypes.CDLL(None)
    library.vest_begin.argtypes = [ctypes.c_long]
    lift = lambda: library.vest_begin(-1)
    library.vest_begin(int(amount))
try:
    deeds[deed]()
    told = "done"
except MemoryError:
    told = "MemoryError"
except OSError as error:  # the system's word for it, where it has one
    told = "MemoryError" if error.errno == errno.ENOMEM else f"{type(error).__name__}: {error}"
except BaseException as error:
    told = f"{type(error).__name__}: {error}"
lift()
assert open("model.npz", "rb").read() == before, "the old file is gone"
assert np.isfinite(vt.fit(X, 2, max_iter=1, **paper).error)
print(told)
"""


def refuse(share: Share, how: str) -> Tally:
    """Let memory end at random moments of everything that takes much of it."""
    tally, errors = Tally(), 0
    with tempfile.TemporaryDirectory() as folder:
        around = dict(os.environ)
        if how == "calls":
            library = compiled(Path(folder))
            if library is None:
                tally.notes.append("left out: no C compiler, or not Linux with the GNU C library")
                return tally
            around["LD_PRELOAD"] = str(library)
        for turn in share.turns(most=2000, least=len(DEEDS)):
            deed = DEEDS[turn % len(DEEDS)]
            # Small amounts are the most telling: numbers are spread over their orders.
            amount = 2.0 ** share.rng.uniform(0.0, 7.0)
            command = [
                sys.executable,
                "-W",
                "ignore",
                "-c",
                PROGRAM,
                deed,
                how,
                str(amount),
                folder,
            ]
            done = subprocess.run(
                command, env=around, capture_output=True, text=True, timeout=300, check=False
            )
            told = done.stdout.strip().splitlines()
            errors += told[-1:] == ["MemoryError"]
            known = known_in(deed, done.stderr) if done.returncode else None
            fault = known or fault_of(deed, done.returncode, told, done.stderr)
            tally.add(fault, is_known=known is not None)
    tally.notes.append(f"{errors} times there was not enough")
    return tally


def known_in(deed: str, errors: str) -> str | None:
    """Return which library ended the process, if it is one that knows no other way."""
    if deed in ("read tns", "read csv") and any(words in errors for words in ARROW):
        return "Arrow ends the process"
    return next((what for words, what in KNOWN.items() if words in errors), None)


def fault_of(deed: str, code: int, told: list[str], errors: str) -> str | None:
    """Return what is wrong with how a process ended, in a few words."""
    if code == 0 and told[-1:] in (["done"], ["MemoryError"]):
        return None
    if code == 0:
        return f"{deed}: {told[-1][:100]}"
    last = (errors.strip().splitlines() or ["nothing is said"])[-1]
    return f"{deed}: ends with code {code}, {last[:100]}"


def compiled(folder: Path, source: Path = SOURCE) -> Path | None:
    """Return a library that takes the place of functions of C; None where it cannot be made."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or sys.platform != "linux":
        return None
    library = (folder / source.name).with_suffix(".so")
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    return None if subprocess.run(command, capture_output=True).returncode else library


CASES = [
    Case(
        "the k-th call for much memory fails, and all after it: read, fit, predict, save, report",
        "a MemoryError; the process goes on and fits again; files are as they were",
        functools.partial(refuse, how="calls"),
        weight=2.0,
    ),
    Case(
        "the same with a limit of the addresses that a process may use",
        "a MemoryError; the process goes on and fits again; files are as they were",
        functools.partial(refuse, how="addresses"),
        weight=2.0,
    ),
]
