"""Which structures a plain call compares, on which entries, and which of them it chooses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.noise import best as noise_best
from vest_tucker.fitting.noise.candidates import SHARES, Candidate
from vest_tucker.fitting.noise.held import sample, splits_of
from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.fitting.noise.trials import Known, Trial, Trier


def ratings(seed: int = 0) -> vt.SparseTensor:
    """Effects of two modes and noise: no component."""
    rng = np.random.default_rng(seed)
    coords = np.argwhere(rng.random((40, 30, 3)) < 0.5)
    effects = rng.normal(size=40)[coords[:, 0]] + rng.normal(size=30)[coords[:, 1]]
    return vt.SparseTensor(coords, 3.0 + effects + rng.normal(size=len(coords)), (40, 30, 3))


def test_what_is_chosen_has_the_structure_of_the_data(prunable: vt.SparseTensor) -> None:
    assert search(ratings()).run().candidate.kind == "effects"
    assert search(prunable).run().candidate.kind == "tucker"


def test_more_and_less_noise_are_tried_of_the_best_tucker_model(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    trials, best = run.compare(list(splits_of(prunable, 0.1, None, run.rng)))
    assert best.fits[0].parts.ranks == (2, 2, 2)
    assert sum(1 for each in trials if each.fits) == 1  # others would take memory
    shares = [each.candidate.share for each in trials if each.candidate.kind == "tucker"]
    assert set(shares) == set(SHARES)
    without, _ = search(prunable).compare([(prunable, None)])
    assert {each.candidate.share for each in without} == {shares[0]}


def test_of_trials_of_one_name_the_lowest_error_is_told(prunable: vt.SparseTensor) -> None:
    run = search(prunable, ranks=(4, 4, 4))
    trials, _ = run.compare(list(splits_of(prunable, 0.1, None, run.rng)))
    told = noise_best.errors_by_name(trials)
    assert len(told) < len(trials)
    for name, error in told.items():
        assert error == min(each.error for each in trials if str(each.candidate) == name)


@pytest.mark.parametrize("kind", ["effects", "tucker"])
def test_many_entries_are_compared_on_some_of_them(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    X = ratings() if kind == "effects" else prunable
    monkeypatch.setattr(noise_best, "MANY", 1000)
    monkeypatch.setattr("vest_tucker.fitting.noise.held.SAMPLE", 900)
    run = search(X)
    found = run.run()
    assert found.candidate.kind == kind
    assert found.history[-1].iteration == len(found.history)
    assert len(found.tried) > 3


@pytest.mark.parametrize(("near", "count"), [(100.0, 3), (0.0, 1)])
def test_what_is_near_the_best_tucker_model_on_some_entries_is_fitted_to_all(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch, near: float, count: int
) -> None:
    monkeypatch.setattr("vest_tucker.fitting.noise.held.SAMPLE", 900)
    run = search(prunable)
    splits = list(splits_of(prunable, 0.1, None, run.rng))
    trials, best = run.compare([(sample(splits[0][0], run.rng), splits[0][1])])
    assert best.candidate.kind == "tucker"
    monkeypatch.setattr(noise_best, "NEAR", near)
    again, found = run.compare_again(trials, best, splits)
    offsets = [trial.candidate.offset for trial in again]
    assert best.candidate.offset in offsets
    assert len(set(offsets)) == len(offsets) == count
    assert all(trial.n_fitted == splits[0][0].nnz for trial in again)
    assert found in again


@pytest.mark.parametrize("gains", [0.0, 1e9])
def test_starts_go_on_until_they_find_nothing_better(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch, gains: float
) -> None:
    again, starts = Trier.again, list[Trial]()

    def noted(self: Trier, trial: Trial) -> Trial:
        starts.append(again(self, trial))
        return starts[-1]

    def cheaper(self: Trier, trial: Trial) -> Trial:
        trial.known.cost = -gains * len(starts)
        return trial

    monkeypatch.setattr(Trier, "again", noted)
    monkeypatch.setattr(Trier, "reduced", cheaper)
    run = search(prunable)
    trier = run.on(list(splits_of(prunable, 0.1, None, run.rng)))
    first = trier.fit(Candidate("tucker", (2, 2, 2)))
    _, best = run.reduce([first], trier, several=True)
    assert len(starts) == (noise_best.MOST_STARTS if gains else noise_best.MISSES)
    assert (best is starts[-1]) == bool(gains)
    before = len(starts)
    run.reduce([best], trier, several=False)
    assert len(starts) == before


@pytest.mark.parametrize(("pruned", "kind"), [(None, "tucker"), (1.0, "effects")])
def test_a_tucker_model_that_is_best_once_it_is_pruned_is_chosen(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch, pruned: float | None, kind: str
) -> None:
    """Dense it is worse than effects and pairs, but the evidence is for it."""
    measured = Trier.measured

    def worse(self: Trier, fits: list[Posterior], targets: Any) -> Known:
        known = measured(self, fits, targets)
        known.error *= 1.0 if fits[0].parts.constant else 2.2
        return known

    monkeypatch.setattr(Trier, "measured", worse)
    if pruned is not None:
        monkeypatch.setattr(noise_best.Search, "pruned_error", lambda *_: pruned)
    run = search(prunable, ranks=(4, 4, 4))
    splits = list(splits_of(prunable, 0.1, None, run.rng))
    trials, best = run.compare(splits)
    assert best.candidate.kind == kind
    assert [trial for trial in trials if trial.fits] == [best]
    if kind == "tucker":
        fits = [fit.parts.n_live for fit in best.fits]
        assert best.error == run.pruned_error(best, splits)
        assert [fit.parts.n_live for fit in best.fits] == fits  # copies were pruned
