"""Fits in processes of every kind, and beside libraries that have threads of their own."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import needs, run_program

# What a process can do, by a letter: f fits, on three threads, and checks the bits; s, l and t use
# the threads of scikit-learn, LightGBM and PyTorch. Each loads what it needs when it begins.
DEEDS = """
import functools, os, sys
import numpy as np

@functools.cache
def tensor():
    import vest_tucker as vt
    return vt.datasets.synthetic((50, 40, 30), 3, nnz=20_000, seed=0)[0]

def f():
    import vest_tucker as vt
    X = tensor()
    options = {"loss": "lf", "lam": 0.1, "max_iter": 2, "seed": 1}
    got, want = (vt.fit(X, 3, threads=n, **options).core for n in (3, 1))
    assert got.any() and (got == want).all()

def s():
    from sklearn.ensemble import HistGradientBoostingRegressor
    numbers = np.random.default_rng(0).random((500, 4))
    HistGradientBoostingRegressor(max_iter=3).fit(numbers, numbers[:, 0])

def l():
    import lightgbm
    numbers = np.random.default_rng(0).random((500, 4))
    data = lightgbm.Dataset(numbers, numbers[:, 0], params={"verbose": -1})
    lightgbm.train({"verbose": -1, "num_threads": 3}, data, num_boost_round=3)

def t():
    import torch
    torch.set_num_threads(3)
    numbers = torch.rand(300, 300, generator=torch.Generator().manual_seed(0))
    assert torch.isfinite(numbers @ numbers).all()

def do(deeds):
    for deed in deeds:
        globals()[deed]()
"""
OTHERS = [
    pytest.param("s", marks=needs("sklearn"), id="scikit-learn"),
    pytest.param("l", marks=needs("lightgbm"), id="lightgbm"),
    pytest.param("t", marks=needs("torch"), id="torch"),
]
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("deeds", ["{0}f", "f{0}", "f{0}f{0}"])
def test_others_are_loaded_before_or_after(deeds: str, other: str) -> None:
    run_program(f"{DEEDS}do({deeds.format(other)!r})")


FORK = """
before, after = sys.argv[1:]
do(before)
child = os.fork()
if child == 0:
    import signal
    signal.alarm(60)  # nobody else ends a child that hangs
    do(after)
    os._exit(0)
status = os.waitpid(child, 0)[1]
do(before)  # the parent goes on as if nothing had happened
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


@forks
@pytest.mark.parametrize(("before", "after"), [("", "f"), ("f", "f"), ("f", "ff")])
def test_a_forked_child_fits(before: str, after: str) -> None:
    run_program(DEEDS + FORK, before, after)


@forks
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize(
    ("before", "after"), [("{0}", "f"), ("{0}f", "f"), ("f{0}", "ff"), ("f", "{0}f")]
)
def test_a_forked_child_fits_though_others_have_had_threads(
    before: str, after: str, other: str
) -> None:
    """Others may hang in a child themselves if they were used before: they are used once only."""
    run_program(DEEDS + FORK, before.format(other), after.format(other))


@forks
def test_children_of_children_fit() -> None:
    program = """
do("f")
for _ in range(3):
    child = os.fork()
    if child:
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    do("f")
"""
    run_program(DEEDS + program)


@forks
def test_children_forked_in_the_middle_of_a_fit_fit() -> None:
    """The tensor is there before: NumPy's BLAS may hang itself if a fork finds it at work."""
    program = """
import threading
do("f")
ended = threading.Event()
def work():
    while not ended.is_set():
        do("f")
at_work = threading.Thread(target=work)
at_work.start()
for _ in range(4):
    child = os.fork()
    if child == 0:
        do("f")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
ended.set()
at_work.join()
"""
    run_program(DEEDS + program)


@forks
def test_a_forked_child_has_helpers_of_its_own() -> None:
    """Also a solver that had helpers when its process was forked, and lost them."""
    program = """
import threading
import numpy as np
from vest_tucker import _core
rng = np.random.default_rng(0)
coords = rng.integers(0, 100, (50_000, 3), dtype=np.int32)
tensor = _core.SparseTensor(coords, rng.random(len(coords)), (100, 100, 100))
core, factors = rng.random((4, 4, 4)), [rng.random((100, 4)) for _ in range(3)]
penalty = {"kind": _core.PenaltyKind.LF, "lam": 0.1}
solver = _core.Solver(tensor, core, factors, **penalty, threads=3)
def tasks():
    return len(os.listdir("/proc/self/task"))
before = tasks()
want = solver.error()
child = os.fork()
if child == 0:
    alone = tasks()
    same = solver.error() == want
    shared = tasks()
    del solver  # waits for its helpers, and not for those of the parent
    print(alone, same, shared, tasks(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("this system does not tell how many threads there are")
    alone, same, shared, after = run_program(DEEDS + program).split()
    assert (alone, same, after) == ("1", "True", "1")
    assert shared == "3"


@pytest.mark.parametrize("before", ["", "f"])
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_pools_of_every_kind_fit(method: str, before: str, tmp_path: Path) -> None:
    program = f"""{DEEDS}
import multiprocessing
if __name__ == "__main__":
    do({before!r})
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        for waiting in [pool.apply_async(do, ["f"]) for _ in range(3)]:
            waiting.get(60)
"""
    file = tmp_path / "program.py"  # processes that are not forked load it again
    file.write_text(program)
    subprocess.run([sys.executable, "-W", "ignore", str(file)], check=True, timeout=120)
