"""What is installed: version, kernels chosen for this processor, threads, compiler, packages."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable

import numpy as np

from vest_tucker import _core
from vest_tucker.base.public import public

# Packages that only some functions use.
PACKAGES = (
    "narwhals", "pandas", "polars", "pyarrow", "scipy", "sparse", "scikit-learn", "matplotlib",
    "pooch", "tensorly", "pyttb", "shtab", "tqdm", "xarray", "dask", "distributed",
)  # fmt: skip


def config() -> dict[str, str]:
    """Return the names and values that `show_config` prints."""
    chosen, *others = _core.isas()
    return {
        "vest-tucker": _core.__version__,
        "kernels": f"{chosen} (also here: {', '.join(others)})" if others else chosen,
        "threads": f"{_core.max_threads()} of {os.cpu_count()} processors: {why_so_many()}",
        "OpenMP": _core.__openmp__,
        "compiler": _core.__compiler__,
        "Python": f"{platform.python_version()}, NumPy {np.__version__}",
        "packages": ", ".join(versions(PACKAGES)) or "none of those that some functions need",
        "platform": platform.platform(),
    }


def why_so_many() -> str:
    """Return what decides how many threads a fit of this thread uses, if it is not told."""
    used, limits = _core.max_threads(), _core.thread_limits()
    if _core.__openmp__ == "none":
        return "built without OpenMP"
    if used == limits["limit"]:
        return f"OMP_THREAD_LIMIT={used}"
    if used == limits["said"]:
        return f"OMP_NUM_THREADS={os.environ['OMP_NUM_THREADS']}"
    if used == limits["processors"]:
        everything = used == os.cpu_count()
        return "all of them" if everything else "affinity and quotas of this process"
    if used == limits["openmp"]:
        return "OpenMP was told so, by threadpoolctl or another library"
    return "more would help nobody"


def versions(packages: Iterable[str]) -> list[str]:
    """Return those packages that are installed, with their versions; none of them is loaded."""
    from importlib import metadata  # takes longer to load than this file

    found = []
    for name in packages:
        there = list(metadata.distributions(name=name))
        found += [f"{name} {there[0].version}"] if there else []
    return found


@public
def show_config() -> None:
    """Print what a bug report should say: version, kernels, threads, compiler, other packages.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> vt.show_config()  # doctest: +ELLIPSIS
    vest-tucker  ...
    kernels      ...
    """
    for name, value in config().items():
        print(f"{name:<12} {value}")
