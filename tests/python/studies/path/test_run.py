"""The call of a path: presets, and options that go with one loss alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.studies.path.run import OF_THE_PAPER

QUICK: dict[str, Any] = {"step": 0.2, "n_starts": 1, "seed": 0, "threads": 1}


def test_a_loss_of_the_paper_brings_its_defaults(prunable: vt.SparseTensor) -> None:
    preset = vt.path(prunable, 2, preset="paper", **QUICK)
    given: dict[str, Any] = OF_THE_PAPER
    assert vt.path(prunable, 2, **given, **QUICK).steps == preset.steps
    assert vt.path(prunable, 2, loss="lf", **QUICK).steps == preset.steps
    assert (preset[0].loss, preset[0].offset, preset.knee) == ("lf", None, "curve")
    assert preset[0].core_variance is None


def test_former_names_of_options(prunable: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(prunable, seed=0)
    former = vt.path(train, 2, loss="lf", elbow="validation", validation=held, **QUICK)
    now = vt.path(train, 2, penalty="lf", knee="validation", validation=held, **QUICK)
    assert former.steps == now.steps
    assert former.elbow == former.knee == now.knee == "validation"
    with pytest.raises(TypeError, match="elbow='curve' and knee='worth' are two names of one"):
        vt.path(train, 2, knee="worth", elbow="curve")


def test_alone_it_needs_nothing(prunable: vt.SparseTensor) -> None:
    path = vt.path(prunable.subset(np.arange(prunable.nnz) < 1500), step=0.5, seed=0, threads=1)
    assert (path.best.loss, path.knee) == ("bayes", "holdout")
    assert path.best.core_variance is not None


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"knee": "sharp"}, vt.errors.OptionError, "knee is 'sharp'"),
        (
            {"knee": "holdout", "holdout": 0.0},
            vt.errors.OptionError,
            "knee='holdout' needs entries",
        ),
        (
            {"knee": "worth", "loss": "lf"},
            vt.errors.OptionError,
            'knee="worth" is for penalty="bayes"',
        ),
        (
            {"knee": "holdout", "loss": "lf"},
            vt.errors.OptionError,
            "knee='holdout' needs entries",
        ),
        ({"holdout": 0.2, "loss": "lf"}, vt.errors.OptionError, "holdout is an option of"),
        ({"holdout": 1.5}, vt.errors.OptionError, r"holdout is 1\.5"),
        ({"ranks": "auto", "loss": "l1"}, vt.errors.RankError, "needs numbers"),
        ({"basis": "turned"}, vt.errors.OptionError, "basis is 'turned'"),
        ({"step": 0.0}, vt.errors.OptionError, r"step is 0\.0"),
        ({"refit": 0}, vt.errors.OptionError, "refit is 0"),
        ({"lam": 0.1}, vt.errors.OptionError, "lam is an option of the penalties"),
        ({"n_starts": 2}, vt.errors.OptionError, "n_starts is an option of the penalties"),
        ({"init": "random"}, vt.errors.OptionError, "init='random'"),
        (
            {"preset": "paper", "loss": "bayes"},
            vt.errors.OptionError,
            "is not a penalty of the paper",
        ),
    ],
)
def test_bad_options(
    prunable: vt.SparseTensor, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        vt.path(prunable, **({"ranks": 2, "seed": 0} | options))


def test_something_else_than_a_tensor() -> None:
    with pytest.raises(TypeError, match="path"):
        vt.path([[1.0]])  # type: ignore[arg-type]
