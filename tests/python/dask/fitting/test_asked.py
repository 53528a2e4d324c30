"""Calls are checked as on one machine, before a worker is asked for anything."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt
from clustered import both

pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
asked = pytest.importorskip("vest_tucker.dask.fitting.asked")

BAD: list[Any] = [0, -1, [0, 2, 2], (2, 2), (2, 2, "x"), 2.5, "many", None, {"a": 0}]
PAPER: dict[str, Any] = {"preset": "paper", "lam": 0.1, "max_iter": 1, "seed": 0}


@pytest.mark.parametrize("ranks", BAD, ids=str)
@pytest.mark.parametrize("options", [{}, PAPER, {**PAPER, "n_starts": 2}], ids=len)
def test_bad_ranks_are_told_as_on_one_machine(
    client: Any, ranks: Any, options: dict[str, Any]
) -> None:
    here, there = both(client)
    with pytest.raises((vt.errors.RankError, vt.errors.ShapeError)) as expected:
        vt.fit(here, ranks, **options)
    of_path = {name: each for name, each in options.items() if name != "max_iter"}
    for call, own in ((vtd.fit, options), (vtd.stability, options), (vtd.path, of_path)):
        with pytest.raises(expected.type) as found:
            call(there, ranks, **own)
        assert str(found.value) == str(expected.value)
    with pytest.raises(expected.type):
        vtd.cross_validate(there, 2, ranks=ranks, **options)
    with pytest.raises(expected.type):
        vtd.fit(there, ranks, shards=2, **options)


@pytest.mark.parametrize("penalty", ["bayes", "lf"])
def test_upper_bounds_of_a_plain_call_and_ranks_of_the_paper(client: Any, penalty: str) -> None:
    _, there = both(client)
    assert asked.ranks_of(there, 2, penalty) == (2, 2, 2)
    assert asked.ranks_of(there, (1, 2, 2), penalty) == (1, 2, 2)
    if penalty == "bayes":
        assert asked.ranks_of(there, "auto", penalty) is None
        assert asked.ranks_of(there, {"a": 2}, penalty) is None
        assert max(asked.ranks_of(there, 10**9, penalty)) < max(there.shape)


def test_ranks_may_be_an_iterator(client: Any) -> None:
    here, there = both(client)
    want = vt.fit(here, 2, threads=1, **PAPER)
    assert vtd.fit(there, iter((2, 2, 2)), shards=1, **PAPER) == want


@pytest.mark.parametrize("more", [{}, {"n_starts": 2}, {"shards": 2}])
def test_names_that_are_no_options_are_refused(client: Any, more: dict[str, Any]) -> None:
    _, there = both(client)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        vtd.fit(there, 2, nonsense=1, **PAPER, **more)
    with pytest.raises(vt.errors.OptionError, match="check_memory"):
        vtd.fit(there, 2, check_memory="no", **PAPER, **more)
    with pytest.raises(vt.errors.OptionError, match="shards"):
        vtd.fit(there, 2, **PAPER, **{**more, "shards": 2.5})
