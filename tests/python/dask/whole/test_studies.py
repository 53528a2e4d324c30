"""Studies on a cluster: the bytes of those of one machine, whole or in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import vest_tucker as vt
from clustered import both
from fingerprints import numbers_of

distributed = pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
from vest_tucker.dask.whole import studies  # noqa: E402 - it needs distributed
from vest_tucker.dask.whole.tasks import WholeTensor  # noqa: E402

PAPER: dict[str, Any] = {"ranks": 2, "preset": "paper", "seed": 0}
SHORT: dict[str, Any] = {**PAPER, "lam": 0.01, "sparsity": 0.3, "max_iter": 3}


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

    def none(*_: Any) -> Any:
        raise AssertionError("a fit is made again")

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
    monkeypatch.setattr(studies, "fits_at_once", lambda *_: 0)
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
