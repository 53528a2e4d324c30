"""Studies on a cluster: the bytes of those of one machine, whole or in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from fingerprints import numbers_of

distributed = pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
from vest_tucker.dask.fit import spread_over as spread_over_here  # noqa: E402 - it needs distributed
from vest_tucker.dask.fitting import builds  # noqa: E402 - it needs distributed
from vest_tucker.dask.whole import choice, studies  # noqa: E402 - it needs distributed
from vest_tucker.dask.whole.tasks import WholeTensor  # noqa: E402

PAPER: dict[str, Any] = {"ranks": 2, "preset": "paper", "seed": 0}
SHORT: dict[str, Any] = {**PAPER, "lam": 0.01, "sparsity": 0.3, "max_iter": 3}


def none(*_: Any) -> Any:
    raise AssertionError("a fit is made")


def bytes_of(models: Any) -> list[list[bytes]]:
    return [list(numbers_of(model)) for model in models]


@pytest.mark.parametrize("options", [SHORT, {"ranks": 1, "holdout": 0.0, "seed": 0}])
def test_stability_of_a_tensor_there_and_here(client: Any, options: dict[str, Any]) -> None:
    here, there = both(client)
    want = vt.stability(here, n_seeds=3, threads=1, **options)
    found = vtd.stability(there, n_seeds=3, **options)
    assert bytes_of(found.models) == bytes_of(want.models)
    assert str(found) == str(want)
    if options is SHORT:
        sent = vtd.stability(here, n_seeds=3, client=client, **options)
        assert bytes_of(sent.models) == bytes_of(want.models)


def test_stability_in_shards(client: Any) -> None:
    here, there = both(client)
    want = vt.stability(here, n_seeds=2, threads=1, **SHORT)
    assert bytes_of(vtd.stability(there, n_seeds=2, shards=2, **SHORT).models) == bytes_of(
        want.models
    )


def test_complete_fits_are_in_the_checkpoint(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, there = both(client)
    options = {**SHORT, "n_seeds": 3, "checkpoint": tmp_path / "study"}
    first = vtd.stability(there, **options)

    monkeypatch.setattr("vest_tucker.dask.whole.tasks.Beside._submit", none)
    assert bytes_of(vtd.stability(there, **options).models) == bytes_of(first.models)


def test_a_path(client: Any) -> None:
    here, there = both(client)
    want = vt.path(here, step=0.2, threads=1, **PAPER)
    found = vtd.path(there, step=0.2, **PAPER)
    assert str(found) == str(want)
    assert bytes_of([found.best]) == bytes_of([want.best])


def test_a_path_with_a_checkpoint_is_made_in_shards(client: Any, tmp_path: Path) -> None:
    here, there = both(client)
    options = {**PAPER, "step": 0.4, "refit": 1, "n_starts": 1}
    want = vt.path(here, threads=1, **options)
    found = vtd.path(there, checkpoint=tmp_path / "path", **options)
    assert str(found) == str(want)
    assert (tmp_path / "path").exists()
    with pytest.raises(vt.errors.OptionError, match="checkpoint"):
        vtd.path(here, client=client, checkpoint=tmp_path / "other", **options)


def test_a_path_with_a_checkpoint_has_the_shards_that_memory_allows(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One a thread, as it was, may be too large to be made."""
    _, there = both(client)
    monkeypatch.setattr("vest_tucker.dask.room.SHARD", 100)
    monkeypatch.setattr("vest_tucker.dask.room.SPILLING", 0.0)
    options = {**PAPER, "step": 0.4, "refit": 1, "n_starts": 1}
    seen: list[int] = []
    real = spread_over_here

    def spread_over(*args: Any, **more: Any) -> Any:
        found = real(*args, **more)
        seen.append(found._shards)
        raise KeyboardInterrupt

    monkeypatch.setattr(studies, "spread_over", spread_over)
    with pytest.raises(KeyboardInterrupt):
        vtd.path(there, checkpoint=tmp_path / "path", **options)
    assert seen > [2]


def test_a_generator_is_left_where_it_is_on_one_machine(client: Any) -> None:
    here, there = both(client)
    options = {**PAPER, "step": 0.4, "refit": 1, "n_starts": 2}
    mine, theirs = np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(2):
        want = vt.path(here, threads=1, **{**options, "seed": mine})
        found = vtd.path(there, **{**options, "seed": theirs})
        assert bytes_of([found.best]) == bytes_of([want.best])
        assert mine.bit_generator.state == theirs.bit_generator.state


def test_names_that_are_no_options_are_told_at_once(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, there = both(client)
    monkeypatch.setattr("vest_tucker.dask.whole.tasks.Source.made", none)
    for study in (vtd.stability, vtd.path):
        with pytest.raises(TypeError, match="nonsense"):
            study(there, nonsense=1, **SHORT)
    with pytest.raises(vt.errors.OptionError, match="nonsense"):
        vtd.cross_validate(there, nonsense=1, **SHORT)


def test_what_is_wrong_with_shards_of_a_tensor_here_is_told(client: Any) -> None:
    here, _ = both(client)
    for study in (vtd.stability, vtd.path):
        with pytest.raises(vt.errors.OptionError, match="shards=2 is an option for a Cluster"):
            study(here, client=client, shards=2, **PAPER)


def test_workers_of_different_kernels_make_no_whole_fits(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = both(client)
    own = builds.own_build()
    told = {"tcp://one:1": own, "tcp://two:2": own._replace(isas=("other", *own.isas))}
    monkeypatch.setattr(choice, "same_builds", lambda *_: told)
    message = rf"different kernels \({own.isas[0]} on tcp://one:1; other on tcp://two:2\)"
    with pytest.raises(vt.errors.ClusterError, match=message):
        vtd.cross_validate(there, **SHORT)
    with pytest.raises(vt.errors.ClusterError, match=message):
        vtd.path(here, client=client, **PAPER)
    found = vtd.stability(there, n_seeds=2, **SHORT)  # in shards, which run what all can
    assert bytes_of(found.models) == bytes_of(
        vt.stability(here, n_seeds=2, threads=1, **SHORT).models
    )


def test_cross_validation(client: Any) -> None:
    here, there = both(client)
    want = vt.cross_validate(here, 3, threads=1, **SHORT)
    found = vtd.cross_validate(there, 3, **SHORT)
    assert bytes_of(found.models) == bytes_of(want.models)
    assert found.folds == want.folds


@pytest.mark.parametrize("name", ["checkpoint", "callback"])
def test_what_cross_validation_has_not_there_is_refused(client: Any, name: str) -> None:
    _, there = both(client)
    with pytest.raises(vt.errors.OptionError, match=name):
        vtd.cross_validate(there, 3, **{**SHORT, name: print})


def test_what_fits_no_worker_goes_to_shards_or_is_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = both(client)
    monkeypatch.setattr(choice, "fits_at_once", lambda *_: 0)
    assert not isinstance(studies._spread(there, None, None, SHORT, 2), WholeTensor)
    with pytest.raises(vt.errors.ClusterError, match="as a whole"):
        vtd.stability(here, client=client, **SHORT)
    with pytest.raises(vt.errors.ClusterError, match="folds"):
        vtd.cross_validate(there, **SHORT)


def test_what_is_no_tensor_is_refused(client: Any) -> None:
    with pytest.raises(vt.errors.DtypeError, match="list"):
        vtd.stability([1.0], client=client)
    with pytest.raises(vt.errors.OptionError, match="threads"):
        vtd.path(both(client)[1], threads=2)
