"""What is done with the best candidate."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.noise.finish import Finish, chosen_text
from vest_tucker.fitting.noise.held import Judge, Split
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.tucker import Tell

SMALL = (3, 3, 3)  # where how ranks are found is not in question


def test_a_model_worse_than_what_was_measured_is_not_returned(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_all = Finish.on_all

    def spoilt(self: Finish, target: Target, *rest: Any, **more: Any) -> Posterior:
        posterior = on_all(self, target, *rest, **more)
        posterior.error = 10.0
        return posterior

    monkeypatch.setattr(Finish, "on_all", spoilt)
    found = search(prunable, ranks=SMALL).run()
    assert found.error < 1.2 * found.held_out
    assert "because on all the error became" in found.chosen


def test_rows_choose_where_that_costs_nothing(prunable: vt.SparseTensor) -> None:
    finish, splits = finished(prunable)
    (_, held), fitted = splits[0], finish.best.fits[0]
    before = fitted.parts.n_live
    pruned = finish.sparse(fitted, held)
    assert pruned.by_rows
    assert pruned.parts.n_live < before
    assert held is not None
    assert pruned.held_out == Judge(held, fitted.target).error(pruned.parts)


def test_where_rows_choose_badly_the_fit_is_pruned_as_a_whole(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish, splits = finished(prunable)
    (_, held), fitted = splits[0], finish.best.fits[0]

    def spoil(posterior: Posterior, tell: Tell) -> None:
        tell(posterior)
        posterior.parts.core[:] = 0.0

    monkeypatch.setattr("vest_tucker.fitting.noise.finish.prune_by_rows", spoil)
    assert held is not None
    error = Judge(held, fitted.target).error(fitted.parts)
    assert finish.by_rows(fitted, Judge(held, fitted.target)) is None
    assert Judge(held, fitted.target).error(fitted.parts) == error  # as it was
    pruned = finish.sparse(fitted, held)
    assert not pruned.by_rows
    assert pruned.held_out < 1.1 * error


def test_all_entries_are_pruned_by_rows_as_their_parts_were(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    on_all = Finish.on_all

    def noted(self: Finish, *rest: Any, by_rows: bool) -> Posterior:
        told.append(by_rows)
        return on_all(self, *rest, by_rows=by_rows)

    monkeypatch.setattr(Finish, "on_all", noted)
    search(prunable, ranks=SMALL).run()
    search(prunable, ranks=SMALL, sparsity=0.3).run()
    assert told == [True, False]


def finished(X: vt.SparseTensor) -> tuple[Finish, list[Split]]:
    """Return what is done with the best trial, and the splits."""
    run = search(X, ranks=SMALL)
    best, splits, _ = run.choose()
    return Finish(X, run.wanted, run.rng, best), splits


def test_why_a_structure_with_a_larger_error_was_chosen() -> None:
    chosen: Any = "Tucker"
    tried = {"Tucker": 0.30, "pairs": 0.31}
    assert chosen_text(chosen, "", tried, 0.305).endswith("pairs 0.3100")
    assert chosen_text(chosen, "", tried, 0.32).endswith(
        "(before pruning, as this one with 0.3000)"
    )
    text = chosen_text(chosen, "", {"Tucker": 0.312, "pairs": 0.31}, 0.32)
    assert "pairs 0.3100 (lower by no more than chance" in text
