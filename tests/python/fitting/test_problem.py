"""What a fit solves: penalties per part and row as the reference has them, fixed parts, offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from helpers import DEFAULTS, assert_close
from vest_tucker.base.options import FitOptions
from vest_tucker.fitting.problem import Problem, pose, row_weights
from vest_tucker.fitting.starts.start import Start, random_start

SHAPE, RANKS = (9, 8, 7), (3, 2, 2)


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic(SHAPE, RANKS, nnz=200, missing="skewed", seed=3)[0]


def posed(X: vt.SparseTensor, told: dict[str, Any] | None = None, **options: Any) -> Problem:
    return pose(X, RANKS, FitOptions(**(DEFAULTS | options)), **(told or {}))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_an_iteration_pays_as_the_reference_does(
    tensor: vt.SparseTensor, loss: str, threads: int
) -> None:
    centred = vt.SparseTensor(tensor.coords, tensor.values - tensor.mean, SHAPE)
    problem = posed(
        centred, {"nonnegative": ["mode_1", "core"]}, loss=loss, lam=0.3, lam_core=0.7,
        lam_rows="entries", scale_lam=False, threads=threads,
    )  # fmt: skip
    core, factors = random_start(SHAPE, RANKS, 1)
    p = reference.Problem(centred.coords, centred.values, core, factors)
    solver = problem.solver(Start(core, factors), 0.3)
    for _ in range(2):
        for mode in range(3):
            counts = np.bincount(tensor.coords[:, mode], minlength=SHAPE[mode])
            weight = counts / (tensor.nnz / np.count_nonzero(counts))
            reference.update_factor(p, mode, loss, 0.3, weight, nonnegative=mode == 1)
            solver.update_factor(mode)
        reference.update_core(p, loss, 0.7, nonnegative=True)
        solver.update_core()
    for got, want in zip([core, *factors], p.parts, strict=True):
        assert_close(got, want)
    assert p.factors[1].min() == 0.0 <= p.core.min()  # the sign was felt


def test_row_weights_average_one_over_rows_with_entries() -> None:
    weights = row_weights(np.array([5, 0, 1, 3]), 0.5)
    assert weights[weights > 0].mean() == pytest.approx(1.0)
    assert weights[1] == 0.0


def test_lam_is_scaled_by_entries_per_element(tensor: vt.SparseTensor) -> None:
    assert posed(tensor).lam_scale == 200 / (12 + 27 + 16 + 14)
    assert posed(tensor, scale_lam=False).lam_scale == 1.0


def test_values_are_what_the_offset_leaves(tensor: vt.SparseTensor) -> None:
    problem = posed(tensor, offset="mean")
    assert problem.rms == pytest.approx(float(np.std(tensor.values)))
    assert posed(tensor).offset is None


def test_a_larger_lam_for_the_core_shrinks_the_core(tensor: vt.SparseTensor) -> None:
    norms = []
    for lam_core in (None, 50.0):
        model = vt.fit(
            tensor, RANKS, loss="lf", lam=0.1, lam_core=lam_core, scale_lam=False, sparsity=0.0,
            standardize=False, max_iter=5, seed=0,
        )  # fmt: skip
        norms.append(np.linalg.norm(model.core))
    assert norms[1] < 0.7 * norms[0]


def test_rows_of_many_entries_pay_more(tensor: vt.SparseTensor) -> None:
    norms = []
    for rows in ("equal", "entries"):
        model = vt.fit(
            tensor, RANKS, loss="lf", lam=2.0, lam_rows=rows, sparsity=0.0, standardize=False,
            max_iter=3, seed=0,
        )  # fmt: skip
        counts = np.bincount(tensor.coords[:, 0], minlength=9)
        heavy = np.linalg.norm(model.factors[0][counts.argmax()])
        norms.append(heavy / np.linalg.norm(model.factors[0]))
    assert norms[1] < norms[0]


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("lam_rows", "some", "lam_rows is 'some'"),
        ("lam_core", -1.0, "lam_core is -1.0"),
        ("patience", 0, "patience is 0"),
    ],
)
def test_bad_options_name_themselves(
    tensor: vt.SparseTensor, option: str, value: Any, words: str
) -> None:
    with pytest.raises(vt.OptionError, match=words):
        vt.fit(tensor, RANKS, **{option: value})
