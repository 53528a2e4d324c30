"""How far off predictions may be: standard deviations, intervals, ranges, and who has none."""

from __future__ import annotations

import dataclasses
import pickle
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from small import LABELS, changed, everywhere, labelled, with_biases, with_variances
from vest_tucker.model.offset import Offset
from vest_tucker.model.uncertainty import half_width

ENTRIES = [np.array(counts) for counts in ([3, 1, 2, 0], [1, 4, 1], [2, 1, 2, 1, 1])]
DAY = LABELS[2][0]


@pytest.fixture
def sure(model: vt.TuckerModel, rng: np.random.Generator) -> vt.TuckerModel:
    return with_variances(labelled(model), rng)


def variances_of(model: vt.TuckerModel) -> list[Any]:
    assert model.core_variance is not None
    assert model.factor_variances is not None
    return [model.core_variance, *model.factor_variances]


def judged(model: vt.TuckerModel, cells: Any) -> Any:
    """Return Var B of cells by the slow twin."""
    problem = reference.Problem(cells, np.zeros(len(cells)), model.core, model.factors)
    return reference.variance(problem, variances_of(model))


# --- Standard deviations --------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_noise_and_elements_add_up(sure: vt.TuckerModel, threads: int) -> None:
    cells = everywhere(sure)
    values, std = sure.predict(cells, return_std=True, threads=threads)
    np.testing.assert_array_equal(values, sure.predict(cells))
    np.testing.assert_allclose(std**2, 0.25 + judged(sure, cells), rtol=1e-12)


def test_every_kind_of_cells_gets_the_same(sure: vt.TuckerModel) -> None:
    cells = everywhere(sure)
    want = sure.predict(cells, return_std=True)[1]
    columns = {name: own[cells[:, n]] for n, (name, own) in enumerate(
        zip(sure.modes, LABELS, strict=True))}  # fmt: skip
    rows = list(zip(*columns.values(), strict=True))
    tensor = vt.SparseTensor(cells, np.ones(len(cells)), modes=sure.modes, labels=sure.labels)
    for given in (columns, rows, tensor):
        np.testing.assert_array_equal(sure.predict(given, return_std=True)[1], want)
    nothing, none = sure.predict(np.empty((0, 3), dtype=int), return_std=True)
    assert nothing.shape == none.shape == (0,)


def test_samples_of_the_elements_scatter_by_it(
    sure: vt.TuckerModel, rng: np.random.Generator
) -> None:
    """With small variances the first order is all there is."""
    small = dataclasses.replace(
        sure,
        core_variance=1e-4 * variances_of(sure)[0],
        factor_variances=[1e-4 * s for s in variances_of(sure)[1:]],
        noise=0.0,
    )
    cells = everywhere(small)
    drawn = []
    for _ in range(4000):
        core, *factors = (
            part + np.sqrt(s) * rng.normal(size=part.shape)
            for part, s in zip((small.core, *small.factors), variances_of(small), strict=True)
        )
        drawn.append(vt.TuckerModel(core, factors).predict(cells))
    _, std = small.predict(cells, return_std=True)
    np.testing.assert_allclose(np.std(drawn, axis=0), std, rtol=0.06, atol=1e-4)


def test_a_part_without_variances_is_exact(sure: vt.TuckerModel) -> None:
    cells = everywhere(sure)
    zero_core = dataclasses.replace(sure, core_variance=np.zeros(sure.ranks))
    no_core = dataclasses.replace(sure, core_variance=None)
    zeros = [np.zeros(factor.shape) for factor in sure.factors]
    zero_factors = dataclasses.replace(sure, factor_variances=zeros)
    no_factors = dataclasses.replace(sure, factor_variances=None)
    for none, zero in ((no_core, zero_core), (no_factors, zero_factors)):
        got, want = (each.predict(cells, return_std=True)[1] for each in (none, zero))
        np.testing.assert_array_equal(got, want)


def test_offsets_of_known_rows_add_nothing(sure: vt.TuckerModel, rng: np.random.Generator) -> None:
    cells = everywhere(sure)
    want = sure.predict(cells, return_std=True)[1]
    for other in (with_biases(sure, rng), dataclasses.replace(sure, offset=Offset("mean", 3.0))):
        values, std = other.predict(cells, return_std=True)
        np.testing.assert_array_equal(values, other.predict(cells))
        np.testing.assert_array_equal(std, want)


# --- What the model has not seen ------------------------------------------------------------------


def test_an_unknown_row_is_one_more_like_the_others(sure: vt.TuckerModel) -> None:
    """It scatters around the average row as the rows do, and as each of them does itself."""
    sure = dataclasses.replace(sure, entries=ENTRIES)
    factor, variance = sure.factors[0], variances_of(sure)[1]
    mean = np.average(factor, axis=0, weights=ENTRIES[0])
    spread = np.average((factor - mean) ** 2 + variance, axis=0, weights=ENTRIES[0])
    known = dataclasses.replace(
        sure,
        factors=[changed(factor, 3, mean), *sure.factors[1:]],
        factor_variances=[changed(variance, 3, spread), *variances_of(sure)[2:]],
        entries=None,
    )
    films = LABELS[1].tolist()
    values, std = sure.predict([("eve", film, DAY) for film in films], return_std=True)
    rows = [("", film, DAY) for film in films]  # the last user: one without entries
    want_values, want_std = known.predict(rows, return_std=True)
    np.testing.assert_allclose(values, want_values, rtol=1e-12)
    np.testing.assert_allclose(std, want_std, rtol=1e-12)
    np.testing.assert_array_equal(sure.predict(rows, return_std=True)[1], std)


def test_unknown_rows_add_to_known_cells_nothing(sure: vt.TuckerModel) -> None:
    cells = [("ann", 30, DAY), ("eve", 30, DAY), ("bob", 99, None)]
    _, std = sure.predict(cells, return_std=True)
    assert std[0] == sure.predict(cells[:1], return_std=True)[1]
    assert np.isfinite(std).all()
    values, std = sure.predict(cells, return_std=True, unseen="nan")
    np.testing.assert_array_equal(np.isnan(values), [False, True, True])
    np.testing.assert_array_equal(np.isnan(std), [False, True, True])
    with pytest.raises(vt.errors.LabelError, match="row 1 has 'eve'"):
        sure.predict(cells, return_std=True, unseen="error")


def test_where_zeros_stand_in_rows_scatter_around_zero(
    sure: vt.TuckerModel, rng: np.random.Generator
) -> None:
    sure = dataclasses.replace(sure, entries=ENTRIES)
    factor, variance = sure.factors[0], variances_of(sure)[1]
    square = np.average(factor**2 + variance, axis=0, weights=ENTRIES[0])
    known = dataclasses.replace(
        sure,
        factors=[changed(factor, 3, 0.0), *sure.factors[1:]],
        factor_variances=[changed(variance, 3, square), *variances_of(sure)[2:]],
        entries=None,
    )
    _, want = known.predict([("", 10, DAY)], return_std=True)
    values, std = sure.predict([("eve", 10, DAY)], return_std=True, unseen="zero")
    assert values == [0.0]
    np.testing.assert_allclose(std, want, rtol=1e-12)
    biased = with_biases(sure, rng)
    assert biased.offset is not None
    bias = np.average(biased.offset.biases[0] ** 2, weights=ENTRIES[0])
    for unseen in ("mean", "zero"):
        _, std = biased.predict([("eve", 10, DAY)], return_std=True, unseen=unseen)
        np.testing.assert_allclose(std**2, want**2 + bias, rtol=1e-12)


# --- Intervals and ranges -------------------------------------------------------------------------


def test_intervals_are_quantiles(sure: vt.TuckerModel) -> None:
    cells = everywhere(sure)
    values, std, lower, upper = sure.predict(cells, return_std=True, interval=0.9)
    of_std = sure.predict(cells, return_std=True)
    of_interval = sure.predict(cells, interval=0.9)
    for got, want in zip((values, std), of_std, strict=True):
        np.testing.assert_array_equal(got, want)
    for got, want in zip((values, lower, upper), of_interval, strict=True):
        np.testing.assert_array_equal(got, want)
    for n in range(len(cells)):
        new = NormalDist(values[n], std[n])
        assert new.cdf(lower[n]) == pytest.approx(0.05)
        assert new.cdf(upper[n]) == pytest.approx(0.95)
    assert half_width(np.float64(0.5)) == pytest.approx(0.6744897501960817)


@pytest.mark.parametrize("interval", [0, 1.0, 90, -0.5, np.nan, "0.9x", [0.9]])
def test_intervals_are_shares(sure: vt.TuckerModel, interval: Any) -> None:
    with pytest.raises(
        vt.errors.OptionError, match=r"interval is .*; give the share of new values"
    ):
        sure.predict([[0, 0, 0]], interval=interval)


def test_clip_cuts_values_and_bounds(sure: vt.TuckerModel) -> None:
    cells = everywhere(sure)
    plain = sure.predict(cells, return_std=True, interval=0.9)
    low, high = float(np.median(plain[0])), float(plain[0].max()) + 0.1
    seen = dataclasses.replace(sure, value_range=(low, high))
    ways: list[tuple[vt.TuckerModel, Any]] = [
        (sure, (low, high)), (sure, [low, high]), (seen, "seen")
    ]  # fmt: skip
    for model, clip in ways:
        got = model.predict(cells, return_std=True, interval=0.9, clip=clip)
        np.testing.assert_array_equal(got[1], plain[1])
        for n in (0, 2, 3):
            np.testing.assert_array_equal(got[n], plain[n].clip(low, high))
        np.testing.assert_array_equal(model.predict(cells, clip=clip), got[0])
    assert np.isnan(sure.predict([("eve", 10, DAY)], unseen="nan", clip=(0, 1))).all()
    np.testing.assert_array_equal(sure.predict(cells, clip=(-np.inf, np.inf)), plain[0])


@pytest.mark.parametrize(
    ("clip", "why"),
    [
        ("seen", "value_range is None; give the range as a pair"),
        ("all", "clip is 'all'; choose \"seen\", a pair"),
        ((5, 1), "low first"),
        ((1, 2, 3), "give a pair of numbers"),
        ((1, np.nan), "give a pair of numbers"),
        (3.0, "give a pair of numbers"),
        (("a", "b"), "give a pair of numbers"),
    ],
)
def test_other_ranges_are_refused(sure: vt.TuckerModel, clip: Any, why: str) -> None:
    with pytest.raises(vt.errors.OptionError, match=why):
        sure.predict([[0, 0, 0]], clip=clip)


def test_a_fit_remembers_the_range_of_its_values() -> None:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=600, noise=0.1, seed=0)
    offsets: list[Any] = [None, "biases"]
    for offset in offsets:
        model = vt.fit(X, 2, offset=offset, lam=0.01, max_iter=3, seed=0, preset="paper")
        assert model.value_range == (X.values.min(), X.values.max())
    low, high = float(X.values.min()), float(X.values.max())
    clipped = model.predict(X, clip="seen")
    assert low <= clipped.min() <= clipped.max() <= high
    more = vt.SparseTensor([[0, 0, 0]], [high + 5.0], shape=X.shape)
    assert model.update(more).value_range == (low, high + 5.0)
    assert vt.path(X, 2, preset="paper", lam=0.01, seed=0).best.value_range == (low, high)


# --- Models without variances ---------------------------------------------------------------------


def test_models_without_variances_say_what_to_do(sure: vt.TuckerModel) -> None:
    bare = dataclasses.replace(sure, core_variance=None, factor_variances=None)
    silent = dataclasses.replace(sure, noise=np.nan)
    asking: list[dict[str, Any]] = [{"return_std": True}, {"interval": 0.9}]
    for asked in asking:
        with pytest.raises(vt.errors.VarianceError, match=r"are None; .* fit as by default"):
            bare.predict([[0, 0, 0]], **asked)
        with pytest.raises(vt.errors.VarianceError, match=r"noise is NaN; dataclasses\.replace"):
            silent.predict([[0, 0, 0]], **asked)


def test_variances_are_checked(sure: vt.TuckerModel) -> None:
    core, *factors = variances_of(sure)
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"core_variance": core[0]}, vt.errors.ShapeError, "variances of the core have the shape"),
        ({"core_variance": -core}, vt.errors.VarianceError, r"the core has -0\..* at \(0, 0, 0\)"),
        (
            {"core_variance": core * np.inf},
            vt.errors.NonFiniteError,
            "variance of the core has inf",
        ),
        ({"factor_variances": factors[:2]}, vt.errors.ShapeError, "3 factors but variances for 2"),
        ({"factor_variances": factors[::-1]}, vt.errors.ShapeError, "variances of factor 0 have"),
        (
            {"factor_variances": [*factors[:2], -factors[2]]},
            vt.errors.VarianceError,
            "of factor 2 has",
        ),
        ({"noise": -1.0}, vt.errors.VarianceError, "noise is -1.0"),
        ({"noise": np.inf}, vt.errors.VarianceError, "noise is inf"),
        ({"value_range": (2, 1)}, vt.errors.OptionError, "value_range is"),
        ({"ranks_before": (2, 1)}, vt.errors.RankError, "2 ranks"),
    ]
    for fields, error, why in wrong:
        with pytest.raises(error, match=why):
            dataclasses.replace(sure, **fields)
    lists: dict[str, Any] = {"core_variance": core.tolist(), "noise": 1, "value_range": [1, 5]}
    taken = dataclasses.replace(sure, **lists)
    assert isinstance(taken.core_variance, np.ndarray)
    assert (taken.noise, taken.value_range) == (1.0, (1.0, 5.0))


def test_pickles_and_copies_keep_them(sure: vt.TuckerModel) -> None:
    sure = dataclasses.replace(sure, value_range=(1.0, 5.0))
    cells = everywhere(sure)
    again = pickle.loads(pickle.dumps(sure))
    for other in (again, dataclasses.replace(sure, error=0.5)):
        assert (other.noise, other.value_range) == (0.25, (1.0, 5.0))
        for got, want in zip(
            other.predict(cells, interval=0.5), sure.predict(cells, interval=0.5), strict=True
        ):
            np.testing.assert_array_equal(got, want)


def test_what_learns_has_no_variances_any_more(rng: np.random.Generator) -> None:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=600, noise=0.1, seed=0)
    model = with_variances(vt.fit(X, 2, lam=0.01, max_iter=3, seed=0, preset="paper"), rng)
    new = vt.SparseTensor([[20, 1, 1], [20, 2, 3]], [1.0, -9.0], shape=(21, 15, 10))
    for learned in (model.update(X), model.fold_in(0, new)):
        assert learned.core_variance is None
        assert learned.factor_variances is None
        assert learned.noise == 0.25
        with pytest.raises(
            vt.errors.VarianceError, match="core_variance and factor_variances are None"
        ):
            learned.predict([[0, 0, 0]], return_std=True)
    assert model.fold_in(0, new).value_range == (min(-9.0, X.values.min()), X.values.max())


def test_the_summary_tells_the_noise(sure: vt.TuckerModel) -> None:
    assert "  noise       standard deviation 0.5" in str(sure).splitlines()
