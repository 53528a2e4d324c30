"""Fits from several starts as whole fits: the best is that of one machine."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from fingerprints import numbers_of
from vest_tucker.base.telling.warn import warn

distributed = pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
from vest_tucker.dask.fitting.asked import call_of  # noqa: E402 - it needs distributed
from vest_tucker.dask.whole import starts  # noqa: E402
from vest_tucker.dask.whole.tasks import WholeTensor  # noqa: E402
from vest_tucker.studies.beside import made_elsewhere  # noqa: E402

OPTIONS: dict[str, Any] = {
    "ranks": 2, "preset": "paper", "lam": 0.01, "max_iter": 3, "seed": 1, "n_starts": 4,
}  # fmt: skip


@pytest.mark.parametrize("more", [{"sparsity": 0.3}, {"sparsity": 0.0, "nonnegative": True}])
def test_the_best_is_that_of_one_machine(client: Any, more: dict[str, Any]) -> None:
    here, there = both(client)
    want = vt.fit(here, threads=1, **OPTIONS, **more)
    first = vt.fit(here, threads=1, **{**OPTIONS, "n_starts": 1}, **more)
    assert list(numbers_of(want)) != list(numbers_of(first))  # another start than the first wins
    assert list(numbers_of(vtd.fit(there, **OPTIONS, **more))) == list(numbers_of(want))


def test_which_calls_are_made_of_whole_fits(client: Any) -> None:
    _, there = both(client)
    ranks = (2, 2, 2)
    assert isinstance(starts.whole_for_starts(there, call_of(OPTIONS), ranks), WholeTensor)
    for other in ({"n_starts": None}, {"init": "data"}, {"lam": "auto"}, {"callback": print}):
        assert starts.whole_for_starts(there, call_of({**OPTIONS, **other}), ranks) is None


def test_a_warning_that_all_starts_have_is_shown_once(client: Any) -> None:
    _, there = both(client)
    with pytest.warns(vt.errors.EmptyModelWarning) as shown:
        vtd.fit(there, **{**OPTIONS, "lam": 1e6})
    messages = [str(each.message) for each in shown]
    assert messages
    assert len(messages) == len(set(messages))


def test_a_warning_of_a_start_that_is_not_the_best_is_not_shown(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one machine only the best model is looked at."""
    _, there = both(client)
    real = starts.fit_from_start

    def warned(X: Any, number: int, **more: Any) -> Any:
        model = real(X, number, **more)
        if number != 2:
            warn("nothing is left", vt.errors.EmptyModelWarning)
        warn("there is something", UserWarning)
        return dataclasses.replace(model, error=0.1 + abs(number - 2))

    monkeypatch.setattr(starts, "fit_from_start", warned)
    with pytest.warns(UserWarning, match="something") as shown:
        assert vtd.fit(there, **OPTIONS).error == 0.1
    assert [str(each.message) for each in shown] == ["there is something"]


def test_a_generator_is_left_where_it_is_on_one_machine(client: Any) -> None:
    here, there = both(client)
    mine, theirs = np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(2):
        want = vt.fit(here, threads=1, **{**OPTIONS, "seed": mine})
        found = vtd.fit(there, **{**OPTIONS, "seed": theirs})
        assert list(numbers_of(found)) == list(numbers_of(want))
        assert mine.bit_generator.state == theirs.bit_generator.state


def test_a_share_to_hold_out_is_refused(client: Any) -> None:
    _, there = both(client)
    with pytest.raises(vt.errors.OptionError, match="holdout is an option of penalty"):
        vtd.fit(there, holdout=0.3, **OPTIONS)


def test_an_interrupt_leaves_the_best_so_far(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = both(client)
    real, left = made_elsewhere, [1]

    def elsewhere(*args: Any) -> Any:
        result = real(*args)
        assert result is not None

        def once(number: int) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return result(number)

        return once

    monkeypatch.setattr(starts, "made_elsewhere", elsewhere)
    with pytest.warns(vt.errors.InterruptedWarning):
        found = vtd.fit(there, sparsity=0.3, **OPTIONS)
    assert found.stopped == "interrupted"
    first = vt.fit(here, threads=1, sparsity=0.3, **{**OPTIONS, "n_starts": 1})
    assert list(numbers_of(found)) == list(numbers_of(first))
    with pytest.raises(KeyboardInterrupt):
        vtd.fit(there, sparsity=0.3, **OPTIONS)
