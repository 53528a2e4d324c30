"""The summary: names of parts, zeros, empty rows and components, and the verdict in words."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import vest_tucker as vt
from small import fitted, labelled, with_biases
from vest_tucker.model.offset import Offset
from vest_tucker.model.text import lines as lines_of
from vest_tucker.model.text import why_zero


def test_the_summary_of_a_fit(model: vt.TuckerModel) -> None:
    lines = list(lines_of(fitted(model)))
    assert lines == [
        "Tucker model of a 4 x 3 x 5 tensor, ranks 2 x 1 x 3",
        "  fitted to   12,345 entries, L1 penalty, lam 5 (12.5 after scaling)",
        "  stopped     reached max_iter while still pruning after 1 iteration, 0.5 s",
        "  error       0.2000, always predicting the mean 0.2500",
        "              20 % lower error than always predicting the mean",
        "  sparsity    0.094 (29 elements are not zero)",
        "                    zeros          of    share  empty rows",
        "    core                0           6    0.0 %",
        "    factor 0            2           8   25.0 %           1",
        "    factor 1            0           3    0.0 %           0",
        "    factor 2            1          15    6.7 %           0",
    ]


@pytest.mark.parametrize(
    ("error", "baseline", "words"),
    [
        (0.3, 0.25, "WORSE than always predicting the mean"),
        (0.25, 0.25, "0 % lower error"),
        (1e-9, 1e-17, "all values are the same"),
        (math.nan, 0.25, "interrupted before the error"),
    ],
)
def test_the_error_is_compared_with_the_mean(
    model: vt.TuckerModel, error: float, baseline: float, words: str
) -> None:
    assert words in str(fitted(model, error=error, baseline_error=baseline))


def test_a_model_of_zeros_says_so(model: vt.TuckerModel) -> None:
    zeros = dataclasses.replace(model, core=np.zeros(model.ranks))
    assert "predicts 0 everywhere" in str(fitted(zeros, error=1.0))


def test_the_summary_of_an_offset(model: vt.TuckerModel, rng: np.random.Generator) -> None:
    lines = str(fitted(with_biases(model, rng))).splitlines()
    assert lines[5] == "  offset      mean 3.5 and 9 biases, error alone 0.2200"
    assert lines[6] == "  sparsity    0.094 (29 elements are not zero)"
    mean = fitted(model, offset=Offset("mean", 1234.5))
    assert str(mean).splitlines()[5] == "  offset      mean 1234"


@pytest.mark.parametrize(
    ("offset", "baseline", "words"),
    [
        (Offset("mean", 3.5), 0.25, "predicts the mean everywhere, for a part"),
        (Offset("mean", 3.5, error=0.0), 0.0, "all values are the same, so the mean is exact"),
        (Offset("biases", 3.5, (np.ones(4), np.ones(3), np.ones(5))), 0.25, "its biases alone"),
        (
            Offset("biases", 3.5, (np.ones(4), np.ones(3), np.ones(5)), error=1e-16),
            0.25,
            "mean and biases alone explain the values",
        ),
    ],
)
def test_a_model_of_its_offset_alone_says_so(
    model: vt.TuckerModel, offset: Offset, baseline: float, words: str
) -> None:
    zeros = dataclasses.replace(model, core=np.zeros(model.ranks), offset=offset)
    assert words in str(fitted(zeros, baseline_error=baseline))


def test_the_summary_of_a_model_made_by_hand(model: vt.TuckerModel) -> None:
    assert "fitted" not in str(model)
    assert "error" not in str(model)
    assert "after scaling" not in str(fitted(model, lam_used=5.0))


def test_modes_with_names_are_called_by_them(model: vt.TuckerModel) -> None:
    lines = list(lines_of(labelled(model)))
    assert lines[0] == "Tucker model of a 4 x 3 x 5 tensor (user, film, day), ranks 2 x 1 x 3"
    assert lines[-3:] == [
        "    user                2           8   25.0 %           1",
        "    film                0           3    0.0 %           0",
        "    day                 1          15    6.7 %           0",
    ]
    long = "a name that is longer than the column"
    lines = list(lines_of(dataclasses.replace(model, modes=("user", long, "day"))))
    assert len({len(line) for line in lines[-3:]}) == 1
    assert lines[-2].startswith(f"    {long} ")


def test_empty_components_are_listed(model: vt.TuckerModel) -> None:
    assert "empty components" not in str(model)
    model.factors[0][:, 1] = 0.0
    model.factors[2][:, [0, 2]] = 0.0
    line = list(lines_of(labelled(model)))[-1]
    assert line == "    empty components: 1 of user; 0, 2 of day"


def test_the_printed_summary_ends_with_the_strongest_relations(model: vt.TuckerModel) -> None:
    named = labelled(model).name("film", 0, "every film")
    printed = str(named).splitlines()
    own = list(lines_of(named))
    assert printed[: len(own)] == own
    assert printed[len(own)].startswith("  strongest relations")
    assert all("every film" in line for line in printed[len(own) + 1 : -1])
    assert printed[-1] == "    and 1 more; model.describe() tells them"


def test_of_many_empty_components_some_are_listed() -> None:
    model = vt.TuckerModel(np.ones((20, 1)), [np.zeros((20, 20)), np.ones((3, 1))])
    line = str(model).splitlines()[-1]
    assert line == "    empty components: 0, 1, 2, 3, 4, 5, 6, 7 and 12 more of factor 0"


def test_why_a_fit_ended_all_zero() -> None:
    assert "try lam=0.5" in why_zero(5.0, 5.0, 2.0)
    assert "try lam=0.05, or multiply the values by 10" in why_zero(5.0, 5.0, 0.1)
    assert "lower the sparsity" in why_zero(0.0, 0.0, 0.1)
