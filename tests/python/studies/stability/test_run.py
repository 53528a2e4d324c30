"""The same fit from several seeds: what is planted comes back, what is noise does not."""

from __future__ import annotations

import dataclasses
import logging
import signal
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.checks import MAX_ORDER
from vest_tucker.fitting import fit
from vest_tucker.fitting.problem import Problem
from vest_tucker.studies.stability import run
from vest_tucker.studies.stability.recurrence import recurrences

pytest.importorskip("scipy")

QUICK: dict[str, Any] = {
    "preset": "paper", "lam": 0.1, "sparsity": 0.3, "max_iter": 15, "threads": 1
}  # fmt: skip


def parts(model: vt.TuckerModel) -> list[bytes]:
    return [part.tobytes() for part in (model.core, *model.factors)]


@pytest.fixture
def interrupted_fit(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ctrl-C in the middle of the fit whose number is in the list."""
    at, calls = [0], [0]

    def fit_problem(problem: Problem, *args: Any, **options: Any) -> vt.TuckerModel:
        calls[0] += 1

        def disturbed(record: vt.IterationRecord) -> None:
            if calls == at and record.iteration == 2:
                signal.raise_signal(signal.SIGINT)

        calling = dataclasses.replace(problem.options, callback=disturbed)
        return fit.fit_problem(dataclasses.replace(problem, options=calling), *args, **options)

    monkeypatch.setattr(run, "fit_problem", fit_problem)
    return at


# --- What comes back -----------------------------------------------------------------------------


def test_planted_groups_come_back() -> None:
    train = vt.datasets.demo()
    result = vt.stability(
        train, 4, 5, preset="paper", sparsity=0.72, max_prune_rate=0.02, seed=0, threads=1
    )
    people = result.modes[0]
    assert people.returned.all()
    assert people.similarity.mean() > 0.95 > 0.5 > people.chance
    kinds = []
    for component in range(4):
        frame = result.labels_frame("person", nonzero=True)
        own = frame[(frame["component"] == component) & (frame["loading"].abs() > 0.05)]
        assert (own["share_nonzero"] >= 0.75).all()
        kinds.append({label.partition("(")[2] for label in own["person"]})
    assert sorted(len(kind) for kind in kinds) == [1, 1, 1, 1]
    assert len(set.union(*kinds)) == 4


def test_noise_does_not_come_back() -> None:
    rng = np.random.default_rng(3)
    cells = np.argwhere(rng.random((30, 25, 20)) < 0.3)
    X = vt.SparseTensor(cells, rng.normal(size=len(cells)), shape=(30, 25, 20))
    result = vt.stability(X, 3, 6, loss="l1", lam=0.01, sparsity=0.3, seed=0, threads=1)
    shares = np.concatenate([mode.returned.mean(axis=0) for mode in result.modes])
    assert shares.mean() < 0.2
    assert result.core.returned.mean() < 0.1
    assert result.core.similarity.mean() < 0.1


def test_the_reference_is_the_fit_of_lowest_error(tensor: vt.SparseTensor) -> None:
    result = vt.stability(tensor, 2, 5, seed=0, **QUICK)
    assert result.reference is result.models[result.best]
    assert result.reference.error == min(model.error for model in result.models)


@pytest.mark.parametrize("order", [2, 4, MAX_ORDER])
def test_any_order(order: int) -> None:
    rng = np.random.default_rng(0)
    shape = (5, 4, *(2,) * (order - 2))
    coords = np.unique(rng.integers(0, shape, (60, order)), axis=0)
    X = vt.SparseTensor(coords, 1.0 + rng.random(len(coords)), shape=shape)
    ranks = (2, *(1,) * (order - 1))
    result = vt.stability(X, ranks, 3, loss="l1", seed=0, max_iter=5, lam=0.0, threads=1)
    assert [mode.returned.shape for mode in result.modes] == [(2, 2), *[(2, 1)] * (order - 1)]
    assert f"ranks 2 x 1{' x 1' * (order - 2)}" in str(result)
    assert len(result.core_frame()) == np.count_nonzero(result.reference.core)


# --- Plain calls ---------------------------------------------------------------------------------


def test_a_plain_call_finds_what_is_planted_from_every_seed() -> None:
    X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, noise=0.1, seed=1)
    result = vt.stability(X, 4, n_seeds=3, seed=0, threads=1)
    assert {model.ranks for model in result.models} == {truth.ranks}
    for mode in result.modes:
        assert mode.returned.all()
        assert mode.similarity.min() > 0.95
    assert result.core.similarity.min() > 0.95


def test_a_plain_fit_can_be_made_again_by_its_seed(tensor: vt.SparseTensor) -> None:
    options: dict[str, Any] = {"holdout": 0.2, "offset": "mean", "threads": 1}
    result = vt.stability(tensor, 3, 2, seed=7, **options)
    for seed, model in zip(result.seeds, result.models, strict=True):
        assert parts(vt.fit(tensor, 3, seed=seed, **options)) == parts(model)


def test_effects_are_components_and_constants_are_not() -> None:
    rng = np.random.default_rng(0)
    cells = np.argwhere(rng.random((40, 30)) < 0.6)
    mild, good = rng.normal(size=40), rng.normal(size=30)
    values = 5.0 + mild[cells[:, 0]] + good[cells[:, 1]] + 0.1 * rng.normal(size=len(cells))
    result = vt.stability(vt.SparseTensor(cells, values), n_seeds=3, seed=0, threads=1)
    assert result.reference.constant
    assert 0 not in set(result.components_frame()["component"])
    for mode in result.modes:
        assert not mode.exists[0]
        assert mode.returned[:, 1].all()
    assert "pruned away in the reference: 0" not in str(result)


def test_an_interrupt_of_a_plain_fit(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [0]

    def disturbed(*args: Any, **options: Any) -> vt.TuckerModel:
        calls[0] += 1

        def callback(record: vt.IterationRecord) -> None:
            if calls[0] == 3:
                signal.raise_signal(signal.SIGINT)

        return vt.fit(*args, **{**options, "callback": callback})

    monkeypatch.setattr(run, "fit", disturbed)
    with pytest.warns(RuntimeWarning, match="interrupted after 2 of 4 fits") as caught:
        result = vt.stability(tensor, 2, 4, offset="mean", seed=0, threads=1)
    assert len(caught) == 1
    assert len(result.models) == 2


# --- Seeds and threads ---------------------------------------------------------------------------


def test_each_fit_can_be_made_again_by_its_seed(tensor: vt.SparseTensor) -> None:
    result = vt.stability(tensor, 2, 3, seed=7, **QUICK)
    for seed, model in zip(result.seeds, result.models, strict=True):
        assert parts(vt.fit(tensor, 2, seed=seed, **QUICK)) == parts(model)
    assert len({model.error for model in result.models}) == 3


def test_the_same_seed_gives_the_same_fits_and_more_when_asked(tensor: vt.SparseTensor) -> None:
    three = vt.stability(tensor, 2, 3, seed=7, **QUICK)
    again = vt.stability(tensor, 2, 3, seed=np.random.default_rng(7), **QUICK)
    five = vt.stability(tensor, 2, 5, seed=7, **QUICK)
    assert three.seeds == again.seeds == five.seeds[:3]
    assert str(three) == str(again)


@pytest.mark.unseeded
def test_without_a_seed_every_call_takes_others(tensor: vt.SparseTensor) -> None:
    assert vt.stability(tensor, 2, 2, **QUICK).seeds != vt.stability(tensor, 2, 2, **QUICK).seeds


def test_a_generator_gives_other_seeds_the_next_time(tensor: vt.SparseTensor) -> None:
    rng = np.random.default_rng(0)
    first, second = (vt.stability(tensor, 2, 2, seed=rng, **QUICK).seeds for _ in range(2))
    assert not set(first) & set(second)


def test_the_number_of_threads_changes_nothing(tensor: vt.SparseTensor) -> None:
    results = [vt.stability(tensor, 2, 3, seed=0, **QUICK | {"threads": n}) for n in (1, 3)]
    one, three = results
    assert str(one) == str(three)
    for here, there in zip([*one.modes, one.core], [*three.modes, three.core], strict=True):
        for mine, theirs in zip(here, there, strict=True):
            assert np.asarray(mine).tobytes() == np.asarray(theirs).tobytes()


# --- Options -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["init", "warm_start", "callback"])
def test_options_that_make_no_sense_here(tensor: vt.SparseTensor, name: str) -> None:
    options: dict[str, Any] = {name: None}
    with pytest.raises(vt.errors.OptionError, match=f"{name} is not an option of stability: "):
        vt.stability(tensor, 2, **options)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sparsty", "did you mean sparsity?"),
        ("nseeds", "did you mean n_seeds"),
        ("q", "are preset, penalty,"),
    ],
)
def test_unknown_options_are_named(tensor: vt.SparseTensor, name: str, hint: str) -> None:
    options: dict[str, Any] = {name: 1}
    with pytest.raises(TypeError, match=rf"{name} is not an option of fit or stability; .*{hint}"):
        vt.stability(tensor, 2, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_seeds": 1}, "n_seeds is 1; choose a whole number of at least 2"),
        ({"n_seeds": 2.5}, r"n_seeds is 2\.5"),
        ({"threshold": 0.0}, r"threshold is 0\.0"),
        ({"threshold": 1.5}, r"threshold is 1\.5; similarities are at most 1"),
        ({"threshold": "high"}, "threshold is 'high'"),
        ({"seed": -1}, "seed is -1"),
        ({"progress": "yes"}, "progress is 'yes'"),
        ({"max_iter": 0}, "max_iter is 0"),
    ],
)
def test_values_out_of_range_are_named(
    tensor: vt.SparseTensor, options: dict[str, Any], message: str
) -> None:
    given: dict[str, Any] = {"seed": 0, "preset": "paper"}
    with pytest.raises(vt.errors.OptionError, match=message):
        vt.stability(tensor, 2, **(given | options))


def test_other_arguments_are_checked_as_fit_does(tensor: vt.SparseTensor) -> None:
    with pytest.raises(vt.errors.RankError):
        vt.stability(tensor, 0, preset="paper", seed=0)
    with pytest.raises(vt.errors.RankError):
        vt.stability(tensor, 0, seed=0)
    with pytest.raises(vt.errors.OptionError, match="holdout is an option"):
        vt.stability(tensor, 2, loss="lf", holdout=0.2, seed=0)
    with pytest.raises(TypeError, match="stability"):
        vt.stability([[1.0]], 2)  # type: ignore[arg-type]


def test_without_scipy_nothing_is_fitted(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "run", lambda *_: pytest.fail("fitted"))
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"scipy.*vest-tucker\[stability\]"):
        vt.stability(tensor, 2, seed=0)


def test_progress_counts_the_fits(
    tensor: vt.SparseTensor,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    vt.stability(tensor, 2, 2, seed=0, **QUICK)
    assert capsys.readouterr().err == ""
    caplog.set_level(logging.INFO, "vest_tucker")
    vt.stability(tensor, 2, 2, seed=0, progress=True, **QUICK)
    shown = capsys.readouterr().err.splitlines()
    assert "] stability: 0 of 2 > fit > iterating, random: 1 of 15, error" in shown[0]
    assert shown[-1].endswith("] stability: 2 of 2")
    told = "stability: 1 of 2 > fit > iterating, random: 15 of 15, error"
    assert any(each.startswith(told) for each in caplog.messages)


# --- What can happen -----------------------------------------------------------------------------


def test_empty_models_are_warned_of_once(tensor: vt.SparseTensor) -> None:
    with pytest.warns(
        vt.errors.EmptyModelWarning, match=r"too large.*\(in 3 of 3 fits\)"
    ) as caught:
        result = vt.stability(tensor, 2, 3, seed=0, **QUICK | {"lam": 1e6})
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "3 fits, which have nothing to say" in str(result)
    assert len(result.components_frame()) == len(result.core_frame()) == 0
    assert len(result.labels_frame(0)) == 0


def test_an_interrupt_leaves_the_fits_that_are_complete(
    tensor: vt.SparseTensor, interrupted_fit: list[int]
) -> None:
    interrupted_fit[0] = 3
    with pytest.warns(RuntimeWarning, match="interrupted after 2 of 5 fits") as caught:
        result = vt.stability(tensor, 2, 5, seed=0, **QUICK)
    assert len(caught) == 1
    assert len(result.models) == len(result.seeds) == 2
    assert all(model.n_iter == QUICK["max_iter"] for model in result.models)


def test_an_interrupt_after_one_fit_keeps_that_fit(
    tensor: vt.SparseTensor, interrupted_fit: list[int]
) -> None:
    interrupted_fit[0] = 2
    with pytest.warns(RuntimeWarning, match="interrupted after 1 of 5 fits"):
        result = vt.stability(tensor, 2, 5, seed=0, **QUICK)
    assert "There is no other fit to compare it with" in str(result)
    assert result.components_frame()["share"].isna().all()
    assert result.core_frame()["share"].isna().all()
    assert result.labels_frame(0)["mean"].isna().all()


def test_an_interrupt_of_the_first_fit_goes_through(
    tensor: vt.SparseTensor, interrupted_fit: list[int]
) -> None:
    interrupted_fit[0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            vt.stability(tensor, 2, 5, seed=0, **QUICK)


def test_an_interrupt_between_fits_is_handled_like_one_within(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[vt.TuckerModel] = []

    def fit_problem(*args: Any, **options: Any) -> vt.TuckerModel:
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(fit.fit_problem(*args, **options))
        return made[-1]

    monkeypatch.setattr(run, "fit_problem", fit_problem)
    with pytest.warns(RuntimeWarning, match="interrupted after 3 of 5 fits"):
        assert vt.stability(tensor, 2, 5, seed=0, **QUICK).models == made


def test_an_interrupt_while_comparing_loses_nothing(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def disturbed(*args: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return recurrences(*args)

    monkeypatch.setattr("vest_tucker.studies.stability.result.recurrences", disturbed)
    with pytest.warns(RuntimeWarning, match="interrupted after 3 of 3 fits"):
        result = vt.stability(tensor, 2, 3, seed=0, **QUICK)
    monkeypatch.undo()
    assert str(result) == str(vt.stability(tensor, 2, 3, seed=0, **QUICK))
