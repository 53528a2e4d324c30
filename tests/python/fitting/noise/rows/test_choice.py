"""Which elements of rows are kept."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from vest_tucker.base.types import Floats
from vest_tucker.fitting.noise.rows.choice import chosen_elements, price_of_rarity

NOISE = 0.3
PRECISION = np.array([0.5, 1.0, 2.0])


def evidence(V: Floats, b: Floats, chosen: list[int], price: float) -> float:
    """Twice the logarithm of the evidence of a row with these elements, up to a constant."""
    if not chosen:
        return 0.0
    block = np.ix_(chosen, chosen)
    exact = V[block] / NOISE + np.diag(PRECISION[chosen])
    h = b[chosen] / NOISE
    narrowed = np.linalg.slogdet(exact / PRECISION[chosen])[1]
    return float(h @ np.linalg.solve(exact, h) - narrowed) - price * len(chosen)


def row(rng: np.random.Generator, values: list[float]) -> tuple[Floats, Floats]:
    features = rng.standard_normal((40, 3))
    told = features @ values + np.sqrt(NOISE) * rng.standard_normal(40)
    return features.T @ features, features.T @ told


@pytest.mark.parametrize("price", [0.0, 3.0])
@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [1.0, 0.0, -0.8]])
def test_rows_have_the_elements_of_largest_evidence(values: list[float], price: float) -> None:
    rng = np.random.default_rng(0)
    rows = [row(rng, values) for _ in range(30)]
    V, b = np.stack([each[0] for each in rows]), np.stack([each[1] for each in rows])
    means, kept = chosen_elements(V, b, PRECISION, NOISE, price)
    subsets = [list(some) for n in range(4) for some in combinations(range(3), n)]
    for k in range(len(rows)):
        chosen = np.flatnonzero(kept[k]).tolist()
        assert chosen == max(subsets, key=lambda some: evidence(V[k], b[k], some, price))
        exact = V[k][np.ix_(chosen, chosen)] / NOISE + np.diag(PRECISION[chosen])
        np.testing.assert_allclose(means[k, chosen], np.linalg.solve(exact, b[k, chosen] / NOISE))
        assert not means[k, ~kept[k]].any()
    true = (np.array(values) != 0.0).astype(float)
    np.testing.assert_allclose(kept.mean(axis=0), true, atol=0.2)


def test_elements_that_only_stand_for_each_other_go_together() -> None:
    """Each is far from zero given the other, and there is nothing that both explain."""
    one = np.array([1.0, 1.001, 0.0])
    V = 1e4 * (np.outer(one, one) + np.diag([1e-7, 1e-7, 0.0]))
    b = V @ [1.0, -1.0, 0.0]
    given_the_other = b[0] - V[0, 1] * -1.0
    assert given_the_other**2 / (V[0, 0] * NOISE) > 100.0
    means, kept = chosen_elements(V[None], b[None], PRECISION, NOISE)
    assert not kept.any()
    assert not means.any()


def test_rows_without_entries_have_no_elements() -> None:
    means, kept = chosen_elements(np.zeros((2, 3, 3)), np.zeros((2, 3)), PRECISION, NOISE)
    assert not kept.any()
    assert not means.any()


def test_a_column_in_which_most_are_zero_is_dear() -> None:
    live = np.zeros((100, 3), dtype=bool)
    live[:10, 0] = live[:60, 1] = True
    np.testing.assert_allclose(price_of_rarity(live), [2.0 * np.log(9.0), 0.0, 2.0 * np.log(100.0)])
