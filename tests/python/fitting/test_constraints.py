"""Prior knowledge: signs, zeros, elements to keep and fixed parts reach the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from vest_tucker.data.labels import ModeLabels
from vest_tucker.fitting.constraints import parse
from vest_tucker.fitting.starts.random import random_start, scale_to_values

SHAPE, RANKS = (9, 8, 7), (3, 2, 2)
DISHES = ["soup", "rice", "tea", "bun", "stew", "egg", "jam", "pie"]
MODES = ModeLabels(3, ["user", "dish", "day"], {"dish": DISHES})


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    X, _ = vt.datasets.synthetic(SHAPE, RANKS, nnz=300, seed=3)
    values = X.values - X.values.mean()
    return vt.SparseTensor(X.coords, values, SHAPE, modes=MODES.names, labels={"dish": DISHES})


def fitted(X: vt.SparseTensor, **options: Any) -> vt.TuckerModel:
    settings = {"loss": "lf", "lam": 0.01, "sparsity": 0.0, "seed": 0, "max_iter": 20}
    return vt.fit(X, RANKS, **(settings | options), preset="paper")  # type: ignore[arg-type]


# --- Signs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        (True, {0, 1, 2, 3}),
        (False, set()),
        ("dish", {2}),
        (0, {1}),
        (["core", -1], {0, 3}),
        ((), set()),
    ],
)
def test_which_parts_have_no_negative_element(given: Any, parts: set[int]) -> None:
    assert parse(MODES, SHAPE, RANKS, nonnegative=given).nonnegative == parts


@pytest.mark.parametrize("loss", ["l1", "lf"])
@pytest.mark.parametrize("sparsity", [0.0, 0.4, "auto"])
def test_nothing_is_below_zero_where_that_is_known(
    tensor: vt.SparseTensor, loss: str, sparsity: Any
) -> None:
    free = fitted(tensor, loss=loss, sparsity=sparsity)
    assert min(part.min() for part in (free.core, *free.factors)) < 0.0
    model = fitted(tensor, loss=loss, sparsity=sparsity, nonnegative=True)
    assert min(part.min() for part in (model.core, *model.factors)) >= 0.0
    some = fitted(tensor, loss=loss, sparsity=sparsity, nonnegative=["dish"])
    assert some.factors[1].min() >= 0.0 > min(some.factors[0].min(), some.core.min())


def test_a_start_below_zero_is_refused(tensor: vt.SparseTensor) -> None:
    core, factors = random_start(SHAPE, RANKS, 0)
    factors[1][2, 1] = -0.5
    with pytest.raises(vt.errors.InitError, match=r"-0\.5 in factor 1, which nonnegative= forbids"):
        fitted(tensor, init=(core, factors), nonnegative=True)


# --- Zeros and elements to keep -------------------------------------------------------------------


def test_groups_of_labels_load_on_their_components_alone(tensor: vt.SparseTensor) -> None:
    groups = [(["tea", "jam"], 1), ("soup", [0]), (["pie"], [])]
    model = fitted(tensor, support={"dish": groups})
    zero = model.factors[1] == 0.0
    want = np.zeros((8, 2), dtype=bool)
    want[[2, 6], 0] = want[0, 1] = want[7] = True
    np.testing.assert_array_equal(zero, want)


def test_a_mask_holds_the_zeros(tensor: vt.SparseTensor) -> None:
    core = np.ones(RANKS, dtype=bool)
    core[0, 1] = False
    users = np.arange(27).reshape(9, 3) % 4 != 0
    model = fitted(tensor, support={"core": core, 0: users}, sparsity=0.5, allocation="global")
    assert not model.core[0, 1].any()
    assert not model.factors[0][~users].any()
    assert model.history[-1].pruned == pytest.approx(35 / 69)  # those forbidden count


@pytest.mark.parametrize("allocation", ["per_matrix", "global"])
def test_kept_elements_are_never_pruned(tensor: vt.SparseTensor, allocation: str) -> None:
    keep = {"dish": [(["tea", "rice", "pie"], [0, 1])], "day": np.ones((7, 2), dtype=bool)}
    options = {"sparsity": 0.5, "allocation": allocation}
    model = fitted(tensor, keep=keep, **options)
    assert model.factors[1][[1, 2, 7]].all()
    assert model.factors[2].all()
    plain = fitted(tensor, **options)
    assert not plain.factors[1][[1, 2, 7]].all()  # it mattered
    assert not plain.factors[2].all()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fit_with_all_of_it_follows_the_reference(tensor: vt.SparseTensor, threads: int) -> None:
    support = {"dish": [("tea", 1), (["soup", "rice"], 0)]}
    keep = {"user": [([0, 1], [2])]}
    model = fitted(
        tensor, support=support, keep=keep, nonnegative=["day"], sparsity=0.5, threads=threads,
        allocation="global", scale_lam=False, lam=0.3, tol=None, max_iter=12, standardize=False,
    )  # fmt: skip
    core, factors = random_start(SHAPE, RANKS, 0)
    for i, j in [(2, 0), (0, 1), (1, 1)]:
        factors[1][i, j] = 0.0
    scale_to_values(core, factors, tensor, tensor.values)
    p = reference.Problem(tensor.coords, tensor.values, core, factors)
    p.pruned[2][:2, 1] = p.pruned[2][2, 0] = True
    p.kept[1][:2, 2] = True
    done = 3
    for t in range(1, 13):
        for mode in range(3):
            reference.update_factor(p, mode, "lf", 0.3, nonnegative=mode == 2)
        reference.update_core(p, "lf", 0.3)
        assert model.history[t - 1].error == pytest.approx(reference.error(p), rel=1e-9)
        count = reference.batch_size(reference.prune_rate(t), 69, 35, done)
        reference.prune_global(p, count)
        done += count
    for got, want in zip([model.core, *model.factors], p.parts, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9)


# --- Fixed parts ----------------------------------------------------------------------------------


def test_fixed_factors_stay_and_the_rest_fits_around_them(tensor: vt.SparseTensor) -> None:
    given = np.random.default_rng(5).normal(size=(8, 2))
    model = fitted(tensor, fixed={"dish": given}, sparsity=0.5)
    np.testing.assert_array_equal(model.factors[1], given)
    assert np.linalg.norm(model.factors[0], axis=0) == pytest.approx(np.ones(3))
    assert model.error < 1.0
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)
    rest = [model.core, model.factors[0], model.factors[2]]
    assert sum((part == 0.0).sum() for part in rest) >= 0.5 * sum(part.size for part in rest)


def test_a_fixed_core_is_not_scaled(tensor: vt.SparseTensor) -> None:
    core = np.zeros(RANKS)
    core[0, 0, 0] = core[1, 1, 1] = 1.0
    model = fitted(tensor, fixed={"core": core}, allocation="global", sparsity=0.2)
    np.testing.assert_array_equal(model.core, core)
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)


def test_all_factors_fixed_leaves_the_core(tensor: vt.SparseTensor) -> None:
    truth = fitted(tensor, max_iter=100, lam=0.0)
    fixed = dict(enumerate(truth.factors))
    model = fitted(tensor, fixed=fixed, max_iter=1000, tol=1e-12, lam=0.0)
    assert model.error <= truth.error * (1 + 1e-6)


# --- What cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"nonnegative": "dsh"}, "nonnegative: there is no mode 'dsh'"),
        ({"nonnegative": 2.5}, "there is no mode 2.5"),
        ({"support": [1, 2]}, 'support must be a dict by mode or "core"'),
        ({"support": {"dish": np.ones((8, 3), dtype=bool)}}, r"shape \(8, 2\), but has .*\(8, 3\)"),
        ({"support": {"dish": np.ones((8, 2))}}, "True and False of the shape"),
        ({"support": {"dish": "tea"}}, r"list of pairs \(labels, components\), but is 'tea'"),
        ({"support": {"dish": [("ham", 0)]}}, "mode 'dish' has no 'ham'"),
        ({"support": {"user": [(9, 0)]}}, "mode 'user' has no 9"),
        ({"support": {"dish": [("tea", 2)]}}, "no component 2; they go from 0 to 1"),
        ({"support": {"dish": [("tea", True)]}}, "no component True"),
        ({"support": {"core": [("tea", 0)]}}, r"must be a mask of the core's shape"),
        ({"support": {"dish": [("tea", 0)], 1: [("tea", 0)]}}, "names factor 1 twice"),
        (
            {"support": {"dish": [("tea", 0)]}, "keep": {"dish": [("tea", 1)]}},
            r"keep= wants \(2, 1\) of factor 1, which support= forbids",
        ),
        ({"fixed": {"dish": np.ones((2, 8))}}, r"shape \(8, 2\), but has the shape \(2, 8\)"),
        ({"fixed": {"dish": "all"}}, "not an array of numbers"),
        (
            {"fixed": {"dish": np.ones((8, 2))}, "keep": {"dish": [("tea", 1)]}},
            "factor 1 is fixed",
        ),
    ],
)
def test_what_cannot_be_names_itself(told: dict[str, Any], words: str) -> None:
    with pytest.raises(vt.errors.OptionError, match=words):
        parse(MODES, SHAPE, RANKS, **told)


def test_infinite_numbers_cannot_be_fixed() -> None:
    with pytest.raises(vt.errors.OptionError, match="finite"):
        parse(MODES, SHAPE, RANKS, fixed={0: np.full((9, 3), np.inf)})


def test_fixed_parts_are_named_once_and_keep_to_the_signs() -> None:
    modes = ModeLabels(2, ["user", "dish"])
    with pytest.raises(vt.errors.OptionError, match="fixed names factor 0 twice"):
        parse(modes, (3, 2), (1, 1), fixed={"user": np.ones((3, 1)), 0: np.zeros((3, 1))})
    with pytest.raises(vt.errors.OptionError, match="fixed has -1 in factor 1, which nonnegative"):
        parse(modes, (3, 2), (1, 1), fixed={1: -np.ones((2, 1))}, nonnegative=True)
