"""What is installed: version, kernels chosen for this processor, threads, compiler, packages."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable

import numpy as np

from vest_tucker import _core
from vest_tucker.base.public import public

# Packages that only some functions use, and variables that change how many threads there are.
PACKAGES = (
    "narwhals", "pandas", "polars", "pyarrow", "scipy", "sparse", "scikit-learn", "matplotlib",
    "pooch", "tensorly", "pyttb", "shtab", "tqdm",
)  # fmt: skip
VARIABLES = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_WAIT_POLICY")


def config() -> dict[str, str]:
    """Return the names and values that `show_config` prints."""
    chosen, *others = _core.isas()
    said = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    return {
        "vest-tucker": _core.__version__,
        "kernels": f"{chosen} (also here: {', '.join(others)})" if others else chosen,
        "threads": ", ".join([f"{_core.max_threads()} of {os.cpu_count()} processors", *said]),
        "OpenMP": _core.__openmp__,
        "compiler": _core.__compiler__,
        "Python": f"{platform.python_version()}, NumPy {np.__version__}",
        "packages": ", ".join(versions(PACKAGES)) or "none of those that some functions need",
        "platform": platform.platform(),
    }


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
