"""What fold_in and update share: rows and biases that learn, against plain loops."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import reference_update as slow
import vest_tucker as vt
from conftest import SmallProblem
from helpers import assert_close, weighted_
from small import fitted, small_model, with_biases
from vest_tucker.learning import learner as module
from vest_tucker.learning.average_outer import average_outer
from vest_tucker.learning.learner import Learner, penalties_of, require_ready, stand_in
from vest_tucker.learning.row_penalty import RowPenalty


@pytest.mark.parametrize("loss", ["lf", "l1"])
@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("block", [10, 1 << 22])
@weighted_
def test_rows_learn_as_in_the_slow_twin(
    loss: str,
    nonnegative: bool,
    block: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    p = small_problem(3, rng, nnz=120, pruned=0.3, weighted=weighted)
    factors = [np.abs(a) if nonnegative else a for a in p.factors]
    whole = [rng.integers(0, 6, dim) for dim in p.shape]
    counts = [n.astype(float) for n in whole]
    learner = Learner(p.core, list(factors), None, p.coords, p.values, counts, 1, p.weights)
    slowly = [a.copy() for a in factors]
    for mode in range(3):
        average = average_outer(p.core, factors, whole, mode)
        lam = np.asarray(rng.uniform(0.1, 1.0, p.core.shape[mode]))
        for new in (True, False):
            learner.learn(mode, average, RowPenalty(loss, lam, nonnegative), new=new)
        slow.learn(
            p.core, slowly, factors, p.coords, p.values, counts, mode, average, loss, lam,
            nonnegative, p.weights,
        )  # fmt: skip
        assert_close(learner.factors[mode], slowly[mode], 1e-6)
        kept = (counts[mode] > 0)[:, None] & (factors[mode] == 0.0)
        assert not learner.factors[mode][kept].any()


def test_unseen_row_is_average_row_or_no_deviation(rng: np.random.Generator) -> None:
    model = small_model(rng)
    cells = [(9, 0, 0)]
    factors = [np.vstack([model.factors[0], stand_in(model, 0)]), *model.factors[1:]]
    told = vt.TuckerModel(model.core, factors).predict([[4, 0, 0]])
    named = dataclasses.replace(model, labels=[[0, 1, 2, 3], None, None])  # type: ignore[arg-type]
    column = {"mode_0": [cells[0][0]], "mode_1": [0], "mode_2": [0]}
    assert told == pytest.approx(named.predict(column))
    assert not stand_in(with_biases(model, rng), 0).any()


def test_signs_are_kept_where_there_are_no_others(rng: np.random.Generator) -> None:
    model = fitted(small_model(rng))
    model.factors[1][0] *= -1.0
    assert [each.nonnegative for each in penalties_of(model, None)] == [True, False, True]
    assert [each.nonnegative for each in penalties_of(model, False)] == [False] * 3
    with pytest.raises(vt.errors.OptionError, match="nonnegative is 'yes'"):
        penalties_of(model, "yes")  # type: ignore[arg-type]


def test_a_model_that_does_not_know_its_penalty_says_so(rng: np.random.Generator) -> None:
    X = vt.SparseTensor([[0, 0, 0]], [1.0])
    with pytest.raises(vt.errors.OptionError, match="its penalty is '' and its lam_used nan"):
        require_ready(small_model(rng), X, "update")
    with pytest.raises(vt.errors.DtypeError, match="update needs a SparseTensor"):
        require_ready(fitted(small_model(rng)), [1.0], "update")  # type: ignore[arg-type]
