"""The scale on which lam works: where the penalty is least, whatever the columns are scaled to."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.learning.column_penalties import column_penalties
from vest_tucker.model.standardize import unit_columns


@pytest.fixture
def model(rng: np.random.Generator) -> vt.TuckerModel:
    shape, ranks = (9, 7, 5), (3, 2, 2)
    factors = [rng.normal(size=size) for size in zip(shape, ranks, strict=True)]
    factors[0][:, 2] = 0.0
    core = rng.normal(size=ranks)
    core[0, 1] = 0.0
    return vt.TuckerModel(core, factors)


def paid(model: vt.TuckerModel, scales: list[np.ndarray], power: int) -> float:
    core = np.einsum("abc,a,b,c->abc", model.core, *(1.0 / each for each in scales))
    parts = [core, *(a * each for a, each in zip(model.factors, scales, strict=True))]
    return float(sum(np.sum(np.abs(part) ** power) for part in parts))


@pytest.mark.parametrize(("loss", "power"), [("lf", 2), ("l1", 1)])
def test_no_other_scale_pays_less(
    model: vt.TuckerModel, loss: str, power: int, rng: np.random.Generator
) -> None:
    costs = column_penalties(model.core, model.factors, loss, 1.0)
    scales = [cost ** (1.0 / power) for cost in costs]
    least = paid(model, scales, power)
    for _ in range(50):
        others = [each * rng.uniform(0.9, 1.1, len(each)) for each in scales]
        others[0][2] = scales[0][2]  # an empty column, whose slice of the core costs less and less
        assert paid(model, others, power) > least


@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_what_an_element_pays_does_not_depend_on_the_scale_it_is_kept_at(
    model: vt.TuckerModel, loss: str
) -> None:
    power = 2 if loss == "lf" else 1
    full = vt.TuckerModel(model.core[:2], [model.factors[0][:, :2], *model.factors[1:]])
    core, factors = unit_columns(full.core, full.factors)
    pairs = zip(
        column_penalties(full.core, full.factors, loss, 0.3), full.factors,
        column_penalties(core, factors, loss, 0.3), factors, strict=True,
    )  # fmt: skip
    for lam, a, lam_unit, unit in pairs:
        np.testing.assert_allclose(lam * np.abs(a) ** power, lam_unit * np.abs(unit) ** power)
