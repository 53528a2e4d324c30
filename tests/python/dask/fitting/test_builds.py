"""Machines of a cluster must have the same versions, and run the same kernels."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt
from clustered import both

pytest.importorskip("distributed")
import vest_tucker.dask as vtd
from vest_tucker import _core
from vest_tucker.dask.fitting import builds


def answers(monkeypatch: pytest.MonkeyPatch, *found: Any) -> None:
    told = {f"tcp://10.0.0.{number}:1": each for number, each in enumerate(found)}

    def of_each_worker(_client: Any, _function: Any, _what: str, workers: Any) -> dict[str, Any]:
        return {each: told[each] for each in (told if workers is None else workers)}

    monkeypatch.setattr(builds, "of_each_worker", of_each_worker)


def test_all_workers_are_asked(client: Any) -> None:
    assert builds.same_builds(client) == dict.fromkeys(client.nthreads(), builds.own_build())


@pytest.mark.parametrize(
    ("name", "what"), [("vest_tucker", "0.0.1"), ("numpy", "1.2"), ("python", "3.0")]
)
def test_a_worker_with_another_version_is_named(
    client: Any, monkeypatch: pytest.MonkeyPatch, name: str, what: str
) -> None:
    own = builds.own_build()
    changed: dict[str, Any] = {name: what}
    answers(monkeypatch, own, own._replace(**changed))
    message = rf"10\.0\.0\.1:1 has other versions .*{name} {what} there, "
    with pytest.raises(vt.errors.ClusterError, match=message):
        vtd.fit(both(client)[1], ranks=2, preset="paper", seed=0)
    assert builds.same_builds(client, ["tcp://10.0.0.0:1"])  # the other one was not asked for


def test_a_worker_without_the_package_is_named(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, ModuleNotFoundError("No module named 'vest_tucker'"))
    with pytest.raises(vt.errors.ClusterError, match=r"10\.0\.0\.0:1 cannot tell .*No module"):
        builds.same_builds(client)


def test_kernels_are_the_best_that_all_have(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own, all_here = builds.own_build(), _core.isas()
    assert builds.common_isa(client) == all_here[0]
    answers(monkeypatch, own, own._replace(isas=tuple(all_here[-1:])))
    assert builds.common_isa(client) == all_here[-1]
    answers(monkeypatch, own._replace(isas=("none",)))
    with pytest.raises(vt.errors.ClusterError, match="in common"):
        builds.common_isa(client)
    answers(monkeypatch)
    with pytest.raises(vt.errors.ClusterError, match="no worker"):
        builds.common_isa(client)


def test_a_worker_without_the_kernels_in_use_is_named(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = builds.own_build()
    assert builds.same_builds(client, None, own.isas[-1])
    answers(monkeypatch, own, own._replace(isas=("plain",)))
    builds.same_builds(client)
    with pytest.raises(vt.errors.ClusterError, match=r"10\.0\.0\.1:1 cannot run the kernels"):
        builds.same_builds(client, None, own.isas[0])
