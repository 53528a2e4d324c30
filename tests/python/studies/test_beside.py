"""Where the fits of a study are made."""

from __future__ import annotations

from typing import Any

import vest_tucker as vt
from fingerprints import numbers_of
from vest_tucker.studies.beside import made_elsewhere


class Elsewhere(vt.SparseTensor):
    """A tensor whose fits are made elsewhere, which here is here."""

    def beside(self, work: Any, items: list[Any]) -> Any:
        found = {item: work(self, item) for item in items}
        return found.__getitem__


def work(X: vt.SparseTensor, item: int) -> int:
    return X.nnz + item


def test_a_tensor_that_is_here_has_its_fits_made_here() -> None:
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0])
    assert made_elsewhere(X, work, [1, 2]) is None


def test_a_tensor_elsewhere_says_how() -> None:
    X = Elsewhere([[0, 0], [1, 1]], [1.0, 2.0])
    result = made_elsewhere(X, work, [1, 2])
    assert result is not None
    assert [result(1), result(2)] == [3, 4]


def test_a_study_takes_its_models_from_there() -> None:
    X, _ = vt.datasets.synthetic((12, 8, 6), 2, nnz=300, seed=0)
    there = Elsewhere(X.coords, X.values, X.shape)
    options: dict[str, Any] = {"ranks": 2, "preset": "paper", "lam": 0.01, "max_iter": 3, "seed": 0}
    want = vt.stability(X, n_seeds=2, **options)
    found = vt.stability(there, n_seeds=2, **options)
    assert [list(numbers_of(each)) for each in found.models] == [
        list(numbers_of(each)) for each in want.models
    ]
    folds = vt.cross_validate(X, 2, **options)
    assert vt.cross_validate(there, 2, **options).folds == folds.folds
