"""Effects of one mode: how large, the largest both ways, those of few entries behind."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from small import made
from vest_tucker.reading.effects import biases_of, effects_of
from vest_tucker.reading.relations import Reading


def test_effects_are_what_they_add(rated: vt.TuckerModel) -> None:
    film = next(each for each in effects_of(Reading(rated)) if each.group.mode_name == "film")
    want = rated.factors[1][:, 1] * rated.core[0, 1, 0]
    np.testing.assert_allclose(film.group.effects, want[film.group.rows])
    assert rated.entries is not None
    spread = math.sqrt(np.average(want**2, weights=rated.entries[1] * (want != 0.0)))
    assert film.spread == pytest.approx(spread)
    assert film.index == (0, 1, 0)


def test_poles_have_the_largest_effects_first(rated: vt.TuckerModel) -> None:
    for each in effects_of(Reading(rated)):
        up, down = (each.pole(up=up, n=4) for up in (True, False))
        assert [effect for _, effect in up] == sorted((e for _, e in up), reverse=True)
        assert [effect for _, effect in down] == sorted(e for _, e in down)
        assert min(e for _, e in up) > 0.0 > max(e for _, e in down)


def test_a_bias_of_two_entries_does_not_come_first() -> None:
    offset = vt.Offset("biases", 3.0, (np.array([1.5, 1.0, -0.5]), np.array([0.0])))
    model = made(
        [[1.0]], [np.ones((3, 1)), [[1.0]]], offset=offset,
        labels=[["rare", "good", "bad"], None], entries=[[2, 500, 500], [1002]],
    )  # fmt: skip
    film, other = biases_of(model)
    assert [label for label, _ in film.pole(up=True, n=1)] == ["good"]
    assert list(film.lines(2)) == [
        "Biases of mode_0: typically 0.793", "  rare +1.5, good +1", "  bad -0.5",
    ]  # fmt: skip
    assert list(other.lines(2)) == ["Biases of mode_1: typically 0"]


def test_other_models_have_none(model: vt.TuckerModel) -> None:
    assert list(effects_of(Reading(model))) == list(biases_of(model)) == []
