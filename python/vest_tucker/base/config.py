"""What is installed: version, kernels chosen for this processor, threads, compiler."""

from __future__ import annotations

import platform

import numpy as np

from vest_tucker import _core
from vest_tucker.base.public import public


def config() -> dict[str, str]:
    """Return the names and values that `show_config` prints."""
    chosen, *others = _core.isas()
    return {
        "vest-tucker": _core.__version__,
        "kernels": f"{chosen} (also here: {', '.join(others)})" if others else chosen,
        "threads": str(_core.max_threads()),
        "OpenMP": _core.__openmp__,
        "compiler": _core.__compiler__,
        "Python": f"{platform.python_version()}, NumPy {np.__version__}",
        "platform": platform.platform(),
    }


@public
def show_config() -> None:
    """Print version, kernels, threads and compiler: what a bug report or a benchmark should say.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> vt.show_config()  # doctest: +ELLIPSIS
    vest-tucker  ...
    kernels      ...
    """
    for name, value in config().items():
        print(f"{name:<12} {value}")
