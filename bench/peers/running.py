"""Runs one system on one task in a process of its own, which ends when its time is up."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from peers.peer import Peer, Result, Task
from peers.systems import SYSTEMS

BENCH = Path(__file__).resolve().parents[1]
# What libraries read to learn how many threads to use; all must be set before they are loaded.
THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS", "KOKKOS_NUM_THREADS",
)  # fmt: skip


def run(name: str, task: Task, *, limit_seconds: float, limit_bytes: int | None = None) -> Result:
    """Fit and predict in a new process. What goes wrong there is told by `Result.error`.

    Parameters
    ----------
    name : str
        Which of `SYSTEMS`.
    task : Task
        What to fit; its settings are checked before anything runs.
    limit_seconds : float
        The process is killed after this time, in which it loads, fits and predicts.
    limit_bytes : int, optional
        The most memory that it may allocate; by default nine tenths of what can be had.
    """
    peer = SYSTEMS[name]
    task = task.with_settings(peer.settings(task.settings))
    limit = limit_bytes if limit_bytes is not None else int(0.9 * memory_available())
    why_not = impossible(peer, task, limit)
    if why_not is not None:
        return Result.failed(task, why_not)
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        given, found = Path(folder, "task.npz"), Path(folder, "result.npz")
        task.save(given)
        command = [sys.executable, "-m", "peers.worker", name, str(given), str(found), str(limit)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit_seconds,
                env=environment(task.threads),
                cwd=folder,  # some write files where they stand
            )
        except subprocess.TimeoutExpired:
            return Result.failed(task, f"took more than {limit_seconds:g} s")
        if not found.is_file():
            said = done.stderr.strip().splitlines()[-1:]
            return Result.failed(task, said[0] if said else f"ended with code {done.returncode}")
        return Result.load(found)


def impossible(peer: Peer, task: Task, limit: int) -> str | None:
    """Say why the system cannot run here, if that can be known before."""
    for package in peer.requires:
        if importlib.util.find_spec(package) is None:
            return f"the package {package} is not installed"
    if 8 * peer.dense * task.cells > limit:
        return f"{peer.dense} copies of {task.cells:,} cells do not fit in memory"
    return None


def environment(threads: int) -> dict[str, str]:
    """Return this process's environment with our folder on the path and the threads set."""
    path = os.pathsep.join(filter(None, (str(BENCH), os.environ.get("PYTHONPATH"))))
    # Relative folders of the path would mean something else from where the process runs.
    path = os.pathsep.join(str(Path(part).resolve()) for part in path.split(os.pathsep))
    return os.environ | dict.fromkeys(THREADS, str(threads)) | {"PYTHONPATH": path}


def memory_available() -> int:
    """Return how many bytes could be had without swapping."""
    meminfo = Path("/proc/meminfo")
    if meminfo.is_file():
        for line in meminfo.read_text("utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
