"""The start that the data make: it reaches the noise, and respects what is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import reference_path as reference
import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting.penalty import Scale
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.starts.data import data_start, rotated


@pytest.fixture(scope="module")
def planted() -> tuple[vt.SparseTensor, vt.TuckerModel]:
    return vt.datasets.synthetic((30, 25, 20), 3, nnz=6000, sparsity=0.6, noise=0.2, seed=1)


def problem_with(
    X: vt.SparseTensor, options: dict[str, Any] | None = None, **wanted: Any
) -> Problem:
    return problem_of(X, 3, {"threads": 1} | (options or {}), **wanted)


def parts(model: vt.TuckerModel) -> list[bytes]:
    return [part.tobytes() for part in (model.core, *model.factors)]


# --- The burn-ins --------------------------------------------------------------------------------


def test_it_reaches_the_noise(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, truth = planted
    start = data_start(problem_with(X), 4, np.random.default_rng(0))
    model = vt.TuckerModel(start.core, start.factors)
    assert vt.relative_error(model, X) < 1.01 * truth.error
    assert start.title == "data"


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_the_penalty_goes_with_the_noise(
    offset: str | None, planted: tuple[vt.SparseTensor, vt.TuckerModel]
) -> None:
    problem = problem_with(planted[0], {"offset": offset, "penalty": "lf"})
    start = data_start(problem, 1, np.random.default_rng(0))
    X = planted[0]
    left = X.values - (0.0 if problem.offset is None else problem.offset.values_at(X.coords))
    model = vt.TuckerModel(start.core, start.factors, offset=problem.offset)
    square = float(((X.values - model.predict(X)) ** 2).sum() / (left**2).sum())
    size = start.core.size + sum(factor.size for factor in start.factors)
    unit = math.sqrt((left**2).mean()) ** (6 / 4)  # rms^(2 N / (N + 1))
    assert start.lam == pytest.approx(unit * square / (1 - size / X.nnz) / (X.nnz / size))


def test_a_model_as_large_as_the_data_takes_all_for_noise() -> None:
    X, _ = vt.datasets.synthetic((20, 20, 20), 3, nnz=200, seed=0)
    problem = problem_with(X, {"penalty": "lf", "scale_lam": False})
    scale = Scale.of(problem.rms, 3)
    assert scale.lam(problem, 0.01) == scale.lam(problem, 1.0) == pytest.approx(scale.penalty)


def test_more_burn_ins_are_no_worse(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, _ = planted
    one, four = (
        vt.fit(X, 3, init="data", n_starts=n, sparsity=0.0, seed=3, threads=1, preset="paper").error
        for n in (1, 4)
    )
    assert four <= one * (1 + 1e-3)


def test_arrays_given_settle(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, truth = planted
    rng = np.random.default_rng(0)
    start = data_start(problem_with(X), 4, rng, (truth.core, truth.factors))
    assert vt.relative_error(vt.TuckerModel(start.core, start.factors), X) < truth.error
    assert rng.random() == np.random.default_rng(0).random()  # nothing was drawn


def test_nothing_is_left_to_start_from() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1], [1, 0]], [2.0, 2.0, 2.0])
    model = vt.fit(X, 1, init="data", offset="mean", seed=0, preset="paper")
    assert model.error == 0.0


# --- In a fit ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"sparsity": 0.6}, {"sparsity": 0.6, "offset": "mean"}])
def test_the_same_bits_on_any_number_of_threads(
    options: dict[str, Any], planted: tuple[vt.SparseTensor, vt.TuckerModel]
) -> None:
    first, second = (
        vt.fit(planted[0], 3, init="data", loss="lf", seed=5, threads=n, **options) for n in (1, 2)
    )
    assert parts(first) == parts(second)
    assert first.error == second.error


def test_a_planted_model_is_found(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, truth = planted
    options: dict[str, Any] = {
        "penalty": "lf", "allocation": "global", "sparsity": truth.sparsity, "seed": 0,
    }  # fmt: skip
    model = vt.fit(X, 3, init="data", **options, preset="paper")
    usual = vt.fit(X, 3, lam=model.lam, **options, preset="paper")
    true = [truth.core, *truth.factors]
    assert reference.f1([model.core, *model.factors], true) > 0.95
    assert reference.f1([usual.core, *usual.factors], true) < 0.8


def test_the_better_basis_is_kept(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, _ = planted
    problem = problem_with(X, {"penalty": "lf", "allocation": "global", "sparsity": 0.6})
    rng = np.random.default_rng(4)
    plain = data_start(problem, 4, rng)
    turned = rotated(plain, problem, rng)
    assert turned is not None
    options: dict[str, Any] = {
        "penalty": "lf", "allocation": "global", "sparsity": 0.6, "threads": 1,
    }  # fmt: skip
    both = vt.fit(X, 3, init="data", seed=4, **options, preset="paper")
    errors = [
        vt.fit(
            X, 3, init=(start.core, start.factors), lam=both.lam, **options, preset="paper"
        ).error
        for start in (plain, turned)
    ]
    assert both.error == pytest.approx(min(errors), rel=1e-12)
    assert abs(errors[0] - errors[1]) > 0.01


# --- What is known stays -------------------------------------------------------------------------


def test_modes_of_which_something_is_known_are_not_turned(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, truth = planted
    mask = np.ones((30, 3), dtype=bool)
    assert problem_with(X).constraints.turnable(3) == [0, 1, 2]
    assert problem_with(X, nonnegative=[1]).constraints.turnable(3) == [0, 2]
    assert problem_with(X, support={0: mask}).constraints.turnable(3) == [1, 2]
    assert problem_with(X, keep={0: mask}).constraints.turnable(3) == [1, 2]
    assert problem_with(X, fixed={2: truth.factors[2]}).constraints.turnable(3) == [0, 1]
    assert (
        problem_with(X, nonnegative=True).constraints.turnable(3)
        == problem_with(X, nonnegative="core").constraints.turnable(3)
        == []
    )


def test_what_is_known_holds_to_the_end(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, truth = planted
    mask = np.ones((25, 3), dtype=bool)
    mask[:10, 0] = False
    model = vt.fit(
        X, 3, init="data", sparsity=0.3, loss="lf", seed=0, nonnegative=[0], support={1: mask},
        fixed={2: truth.factors[2]},
    )  # fmt: skip
    assert model.factors[0].min() >= 0.0
    assert not model.factors[1][~mask].any()
    assert (model.factors[2] == truth.factors[2]).all()


# --- What is said --------------------------------------------------------------------------------


def test_progress_tells_of_the_burn_ins(
    planted: tuple[vt.SparseTensor, vt.TuckerModel], capsys: pytest.CaptureFixture[str]
) -> None:
    vt.fit(
        planted[0], 3, init="data", n_starts=2, sparsity=0.6, progress=True, seed=0, preset="paper"
    )
    shown = capsys.readouterr().err
    for title in ("burn-in 1/2  ", "burn-in 2/2  ", "settling  ", "data, rotated  ", "data  "):
        assert f"\n{title}iteration" in f"\n{shown}"


def test_lam_auto_searches_from_it(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, truth = planted
    model = vt.fit(X, 3, lam="auto", loss="lf", allocation="global", sparsity=0.6, seed=0)
    assert model.chosen.startswith('init="data"')
    assert model.error < 1.1 * truth.error


def test_weak_components_of_data_without_noise_are_kept() -> None:
    """As in spectra: one component explains nearly all, and the others are still no noise."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.random((dim, 3)) for dim in (20, 20, 15))
    sizes = np.array([1.0, 0.02, 0.02])
    values = np.einsum("ij,kj,lj,j->ikl", a, b - 0.5 * (sizes < 1), c - 0.5 * (sizes < 1), sizes)
    X = vt.SparseTensor.from_dense(values + 0.3)
    model = vt.fit(X, 3, loss="lf", init="data", sparsity=0.0, seed=0)
    without = vt.fit(X, 3, loss="lf", init="data", sparsity=0.0, n_starts=4, seed=0)
    assert model.error < 0.7 * without.error  # the fifth burn-in is the one that does not lose them
