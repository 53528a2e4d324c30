"""lam="auto": what it chooses is good on entries that nobody has seen, and is told."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.algorithm import fit_from
from vest_tucker.fitting.lam_search import Choice
from vest_tucker.fitting.starts import KINDS
from vest_tucker.fitting.starts.start import Start


@pytest.fixture(scope="module")
def ratings() -> tuple[vt.SparseTensor, vt.SparseTensor]:
    """Users and movies with biases and two tastes, at hours that do not matter; much noise."""
    rng = np.random.default_rng(3)
    users, movies, n = 150, 100, 6000
    cells = rng.permutation(users * movies)[:n]
    i, j = np.divmod(cells, movies)
    tastes = np.einsum("ij,ij->i", rng.normal(size=(users, 2))[i], rng.normal(size=(movies, 2))[j])
    biases = rng.normal(size=users)[i] * 0.5 + rng.normal(size=movies)[j] * 0.5
    values = 3.0 + biases + 0.6 * tastes + rng.normal(size=n)
    coords = np.stack([i, j, rng.integers(0, 24, n)], axis=1)
    return vt.train_test_split(
        vt.SparseTensor(coords, values, (users, movies, 24)), test=0.2, seed=0
    )


def test_it_beats_the_baseline_and_a_guess_on_unseen_entries(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, test = ratings
    options = {"loss": "lf", "sparsity": 0.5, "allocation": "global", "offset": "biases"}
    model = vt.fit(train, (4, 4, 2), lam="auto", seed=0, **options)  # type: ignore[arg-type]
    assert model.offset is not None
    alone = test.values - model.offset.values_at(test.coords)
    baseline = float(np.linalg.norm(alone)) / test.norm
    assert vt.relative_error(model, test) < 0.97 * baseline
    assert model.sparsity >= 0.5
    for lam in (1e-3, 1e3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.errors.EmptyModelWarning)
            other = vt.fit(train, (4, 4, 2), lam=lam, seed=0, **options)  # type: ignore[arg-type]
        assert vt.relative_error(model, test) < vt.relative_error(other, test)


def test_it_tells_what_it_chose_and_gives_the_same_again(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, _ = ratings
    options = {"loss": "lf", "sparsity": 0.5, "allocation": "global", "offset": "mean"}
    models = [
        vt.fit(train, (3, 3, 1), lam="auto", seed=5, threads=threads, **options, preset="paper")  # type: ignore[arg-type]
        for threads in (1, 2)
    ]
    assert "fits to 90% of the entries: on the others error" in models[0].chosen
    assert models[0].chosen in str(models[0])
    assert models[0].lam > 0.0
    np.testing.assert_array_equal(models[0].core, models[1].core)
    assert models[0].chosen == models[1].chosen


@pytest.mark.parametrize("init", ["random", "pairs"])
@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_a_start_that_is_given_is_kept(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor], init: Any, loss: Any
) -> None:
    model = vt.fit(
        ratings[0], (2, 2, 1), lam="auto", init=init, loss=loss, offset="biases", sparsity=0.3,
        seed=0,
    )  # fmt: skip
    assert f'init="{init}"' in model.chosen
    assert math.isfinite(model.lam)


def test_arrays_to_start_from_are_used_all_the_same(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    X = ratings[0]
    rng = np.random.default_rng(0)
    given = (
        rng.random((2, 2, 1)),
        [rng.random((dim, r)) for dim, r in zip(X.shape, (2, 2, 1), strict=True)],
    )
    model = vt.fit(
        X,
        (2, 2, 1),
        lam="auto",
        init=given,
        max_iter=1,
        sparsity=0.0,
        offset="mean",
        seed=0,
        preset="paper",
    )
    assert model.lam > 0.0
    assert model.chosen.startswith("this lam is the best of")
    warm = vt.fit(
        X, (2, 2, 1), lam="auto", warm_start=model, max_iter=1, sparsity=0.0, seed=0, preset="paper"
    )
    assert warm.chosen.startswith("this lam is the best of")


@pytest.mark.parametrize("init", ["random", "pairs", "data"])
def test_how_lam_is_scaled_does_not_change_what_is_searched(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor], init: Any
) -> None:
    options: Any = {"loss": "lf", "offset": "biases", "sparsity": 0.3, "max_iter": 25}
    models = [
        vt.fit(
            ratings[0],
            (2, 2, 1),
            lam="auto",
            init=init,
            scale_lam=scaled,
            seed=0,
            **options,
            preset="paper",
        )
        for scaled in (True, False)
    ]
    assert models[0].lam_used == pytest.approx(models[1].lam_used, rel=1e-9)
    assert models[0].error == pytest.approx(models[1].error, rel=1e-6)


def test_words_say_when_nothing_is_gained() -> None:
    choice = Choice("pairs", 1.0, tried=9, error=0.25, baseline_error=0.24)
    assert "error 0.2500, no better than baseline 0.2400" in str(choice)
    assert str(Choice()) == ""


def test_an_interrupt_ends_the_search(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        return dataclasses.replace(fit_from(*given), stopped="interrupted")

    monkeypatch.setattr("vest_tucker.fitting.lam_search.fit_from", interrupted)
    with pytest.raises(KeyboardInterrupt):
        vt.fit(
            ratings[0],
            (2, 2, 1),
            lam="auto",
            init="random",
            offset="mean",
            seed=0,
            max_iter=2,
            preset="paper",
        )


def test_entries_to_hold_back_are_looked_at_before_the_search(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.fitting.fit.decide", None)
    with pytest.raises(TypeError, match="validation"):
        vt.fit(ratings[0], (2, 2, 1), lam="auto", validation=0.1, preset="paper")  # type: ignore[arg-type]


def test_too_few_entries_to_hold_any_out_say_so() -> None:
    X = vt.SparseTensor([[0, 0], [1, 1], [1, 0]], [1.0, 2.0, 3.0])
    with pytest.raises(vt.errors.OptionError, match="none of 3; give lam a number"):
        vt.fit(X, 1, lam="auto", preset="paper")


@pytest.mark.parametrize(("most", "words"), [(0.0, "all 4 held out"), (1.0, "all 32 kept")])
def test_entries_that_are_all_zero_judge_nothing(most: float, words: str) -> None:
    coords = np.argwhere(np.ones((6, 6)))
    held = np.random.default_rng(0).permutation(36)[:4]  # as the split of this seed does
    values = np.zeros(36)
    values[held] = most
    values[[i for i in range(36) if i not in held]] = 1.0 - most
    with pytest.raises(
        vt.errors.AllZeroError, match=f'lam="auto" .*{words} are zero.*another seed'
    ):
        vt.fit(vt.SparseTensor(coords, values), 2, lam="auto", seed=0, preset="paper")


@pytest.mark.parametrize("init", ["random", "pairs"])
def test_the_start_that_was_judged_is_the_one_taken(
    ratings: tuple[vt.SparseTensor, vt.SparseTensor], init: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray[Any, Any]] = []
    kind = KINDS[init]

    def noted(start: Start) -> Start:
        seen.append(start.factors[0].copy())
        return start

    spied = dataclasses.replace(
        kind,
        make=lambda *given: noted(kind.make(*given)),
        starts=lambda *given: map(noted, kind.starts(*given)),
    )
    monkeypatch.setitem(KINDS, init, spied)
    vt.fit(ratings[0], (2, 2, 1), lam="auto", init=init, loss="lf", offset="mean", seed=1)
    assert len(seen) == 2  # one to judge, one of all entries
    for start in seen:
        np.testing.assert_array_equal(start, seen[0])
