"""Where and of what a row was measured: machine, commit, and a sum over the code that matters."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = (ROOT / "python" / "vest_tucker", ROOT / "cpp")
CODE = {".py", ".cpp", ".hpp", ".txt"}
PACKAGES = (
    "numpy", "scipy", "scikit-learn", "tensorly", "pyttb", "pygenten", "myfm", "smurff",
    "scikit-surprise", "matplotlib",
)  # fmt: skip


def fingerprint(sources: Iterable[Path], *, library: bool = True, data: str = "") -> str:
    """Return a sum over these sources, the library and the data: equal ones make equal rows."""
    total = hashlib.sha256(data.encode())
    for place in (*(LIBRARY if library else ()), *sources):
        total.update(_sum_of(place))
    return total.hexdigest()[:12]


@functools.cache
def _sum_of(place: Path) -> bytes:
    """Return a sum over the code in a folder, or over a file."""
    total = hashlib.sha256()
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if file.suffix in CODE and file.is_file():
            total.update(str(file.relative_to(ROOT)).encode())
            total.update(file.read_bytes())
    return total.digest()


@functools.cache
def commit() -> str:
    """Return the short name of the commit, with a mark if files have changed since."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    changed = "".join(line for line in changed.splitlines() if "bench/results" not in line)
    return f"{name}-changed" if changed else name


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@functools.cache
def machine() -> str:
    """Return processor, cores, memory, system and Python in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}"
    )


def processor() -> str:
    """Return what the processor calls itself."""
    about = Path("/proc/cpuinfo")
    if about.is_file():
        for line in about.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def packages() -> dict[str, str]:
    """Return the releases of the packages that are compared, those that are installed."""
    installed = {each.name: each.version for each in metadata.distributions()}
    return {name: installed[name] for name in PACKAGES if name in installed}
