"""Whether all machines of a cluster have the same vest-tucker, and which kernels all of them run.

Shards travel as the compiled core lays them out, and sums are those of the kernels and of NumPy. So
another version on one worker could mean other bytes, or none that make sense.
"""

from __future__ import annotations

import platform
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import ClusterError
from vest_tucker.dask.questions import of_each_worker

ASKING = "asking for versions"


class Build(NamedTuple):
    """What is installed somewhere: versions up to what may change bits, and builds of kernels."""

    vest_tucker: str
    numpy: str
    python: str
    isas: tuple[str, ...]


def own_build() -> Build:
    """Return that of this process."""
    versions = (np.__version__, platform.python_version())
    numpy, python = (each.rpartition(".")[0] for each in versions)
    return Build(_core.__version__, numpy, python, tuple(_core.isas()))


def same_builds(
    client: Any, workers: Collection[str] | None = None, isa: str | None = None
) -> dict[str, Build]:
    """Return what workers have installed; raise, and name the worker, if one differs from this.

    By default all are asked; with ``isa`` whether they can run this build of the kernels, too.
    """
    builds: dict[str, Build] = {}
    for address, found in of_each_worker(client, own_build, ASKING, workers).items():
        if not isinstance(found, Build):
            raise ClusterError(
                f"the worker {address} cannot tell which vest-tucker it has ({found!r}); install "
                f"vest-tucker {_core.__version__} there"
            )
        require_same(address, found, own_build())
        if isa is not None and isa not in found.isas:
            raise ClusterError(
                f"the worker {address} cannot run the kernels of this fit, {isa!r}, but only "
                f"{', '.join(found.isas)}; take it away and fit again, or begin anew with it there"
            )
        builds[address] = found
    return builds


def require_same(address: str, found: Build, own: Build) -> None:
    """Raise if a worker has other versions than this process."""
    differing = [
        f"{name} {theirs} there, {mine} here"
        for name, theirs, mine in zip(Build._fields[:3], found, own, strict=False)
        if theirs != mine
    ]
    if differing:
        raise ClusterError(
            f"the worker {address} has other versions than the client ({'; '.join(differing)}), so "
            f"that the same bytes cannot be promised; install the same ones on all machines"
        )


def common_isa(client: Any) -> str:
    """Return the best build of the kernels that all machines can run, this one too."""
    theirs = same_builds(client).values()
    if not theirs:
        raise ClusterError("no worker of the cluster has answered; look at its dashboard")
    for name in _core.isas():
        if all(name in each.isas for each in theirs):
            return name
    raise ClusterError("the machines of the cluster have no kernels in common with this one")
