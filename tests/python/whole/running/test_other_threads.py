"""Threads beside those of others: limits that others set, fits at once, and the end of Python."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import needs, run_program
from vest_tucker import _core

with_openmp = pytest.mark.skipif(
    _core.__openmp__ == "none", reason="without OpenMP there is one thread"
)

# Prints nothing; `threads(n)` is how many threads a solver uses that is told to use n.
THREADS = """
def threads(n=0):
    import numpy as np
    from vest_tucker import _core
    tensor = _core.SparseTensor(np.zeros((1, 2), np.int32), np.ones(1), (1, 1))
    ones = np.ones((1, 1))
    penalty = {"kind": _core.PenaltyKind.LF, "lam": 0.1}
    solver = _core.Solver(tensor, ones, [ones.copy(), ones.copy()], **penalty, threads=n)
    return solver.threads
"""

# --- Limits --------------------------------------------------------------------------------------


@with_openmp
@pytest.mark.parametrize(
    ("told", "variables", "used"),
    [
        (0, {"OMP_NUM_THREADS": "1"}, 1),
        (0, {"OMP_NUM_THREADS": "3"}, 3),  # an order, also for more than there are processors
        (0, {"OMP_NUM_THREADS": "3,2"}, 3),
        (0, {"OMP_NUM_THREADS": "4", "OMP_THREAD_LIMIT": "3"}, 3),
        (0, {"OMP_THREAD_LIMIT": "1"}, 1),
        (4, {"OMP_NUM_THREADS": "1"}, 4),
        (4, {"OMP_THREAD_LIMIT": "3"}, 3),
        (2, {"OMP_THREAD_LIMIT": "3"}, 2),
    ],
)
def test_variables_of_openmp(told: int, variables: dict[str, str], used: int) -> None:
    assert run_program(f"{THREADS}print(threads({told}))", **variables) == f"{used}\n"


@with_openmp
def test_a_variable_that_comes_late_is_heard() -> None:
    late = """
import os
threads()
os.environ["OMP_NUM_THREADS"] = "1"
print(threads())
"""
    assert run_program(THREADS + late, OMP_NUM_THREADS="4") == "1\n"


@with_openmp
def test_a_binding_of_the_process_is_respected() -> None:
    bound = """
import os
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    print(threads())
else:
    print(1)
"""
    assert run_program(THREADS + bound) == "1\n"


@with_openmp
@needs("threadpoolctl")
@pytest.mark.parametrize("limits", ["1", '1, user_api="openmp"', "{'openmp': 1}"])
def test_threadpoolctl_sees_and_limits_us(limits: str) -> None:
    program = f"""
import threadpoolctl
before = threads()
runtimes = [found for found in threadpoolctl.threadpool_info() if found["user_api"] == "openmp"]
with threadpoolctl.threadpool_limits({limits}):
    within = threads(), threads(4)
print(len(runtimes), runtimes[0]["internal_api"], *within, threads() == before)
"""
    assert run_program(THREADS + program, OMP_NUM_THREADS="3") == "1 openmp 1 4 True\n"


@with_openmp
@needs("threadpoolctl")
def test_the_reason_is_told_within_limits() -> None:
    program = """
import threadpoolctl, vest_tucker as vt
with threadpoolctl.threadpool_limits(1):
    vt.show_config()
"""
    assert "processors: OpenMP was told so, by thr" in run_program(program, OMP_NUM_THREADS="3")


@with_openmp
@needs("joblib")
def test_workers_of_joblib_share_the_processors() -> None:
    program = """
import joblib
def ask(**options):
    with joblib.parallel_config("loky", **options):
        return joblib.Parallel(n_jobs=2)(joblib.delayed(threads)() for _ in range(4))
if __name__ == "__main__":
    print(*ask(inner_max_num_threads=3))
    print(set(ask()) == {max(1, joblib.cpu_count() // 2)})
    print(*joblib.Parallel(n_jobs=2)(joblib.delayed(threads)(2) for _ in range(2)))
"""
    assert run_program(THREADS + program) == "3 3 3 3\nTrue\n2 2\n"


@with_openmp
@needs("distributed")
def test_workers_of_dask_share_the_processors() -> None:
    """Their nannies say OMP_NUM_THREADS=1, so that tasks at once use a processor each."""
    program = """
def main():
    import distributed
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(1, threads_per_worker=2, **quiet) as cluster:
        with distributed.Client(cluster) as client:
            asked = [client.submit(threads, pure=False) for _ in range(3)]
            told = client.submit(threads, 2)
            print(*client.gather(asked), told.result())
if __name__ == "__main__":
    main()
"""
    assert run_program(THREADS + program) == "1 1 1 2\n"


# --- Fits at once --------------------------------------------------------------------------------


def fits_at_once(number: int, **options: Any) -> list[vt.TuckerModel]:
    X, _ = vt.datasets.synthetic((40, 30, 20), 2, nnz=8000, seed=0)
    together = threading.Barrier(number)

    def fit(_: int) -> vt.TuckerModel:
        together.wait(60)
        return vt.fit(X, 3, seed=1, **options)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(fit, range(number)))


@pytest.mark.parametrize("number", [4, 8])
@pytest.mark.parametrize(
    "options",
    [
        {"loss": "lf", "lam": 0.1, "sparsity": 0.5, "max_iter": 8, "threads": 2},
        {"offset": "mean", "threads": 3},
    ],
    ids=["paper", "plain"],
)
def test_fits_in_many_python_threads_at_once_give_the_same_bits(
    number: int, options: dict[str, Any]
) -> None:
    (want,) = fits_at_once(1, **options)
    assert not want.is_zero
    for got in fits_at_once(number, **options):
        np.testing.assert_array_equal(got.core, want.core)
        for one, other in zip(got.factors, want.factors, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="a Python with a GIL")
def test_a_python_without_a_gil_stays_without() -> None:
    """Python would bring the GIL back with a module that does not say it can do without."""
    program = "import sys, vest_tucker; print(sys._is_gil_enabled())"
    assert run_program(program) == "False\n"


# --- The end of Python ---------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("step", ["update_core()", "error()", "update_factor(0)"])
def test_python_may_end_while_a_thread_is_at_work(step: str, threads: int) -> None:
    """The thread asks for the GIL when a step is over, and in long ones to hear of Ctrl-C."""
    program = f"""
import threading
import numpy as np
from vest_tucker import _core
rng = np.random.default_rng(0)
coords = rng.integers(0, 100, (100_000, 3), dtype=np.int32)
tensor = _core.SparseTensor(coords, rng.random(len(coords)), (100, 100, 100))
core, factors = rng.random((4, 4, 4)), [rng.random((100, 4)) for _ in range(3)]
penalty = {{"kind": _core.PenaltyKind.LF, "lam": 0.1}}
solver = _core.Solver(tensor, core, factors, **penalty, threads={threads})
begun = threading.Event()
def work():
    while True:
        solver.{step}
        begun.set()
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
