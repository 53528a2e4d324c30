"""Whole fits, iteration by iteration, against the stored ones of tests/data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt


@pytest.mark.parametrize("threads", [1, 2])
def test_fit_matches_the_stored_one(golden: dict[str, Any], threads: int) -> None:
    model = vt.fit(
        vt.SparseTensor(golden["coords"], golden["values"], golden["shape"]),
        tuple(golden["ranks"].tolist()),
        loss=golden["loss"],
        sparsity=golden["sparsity"],
        allocation=golden["allocation"],
        lam=golden["lam"],
        scale_lam=False,
        standardize=False,
        tol=None,
        max_iter=golden["iterations"],
        init=(golden["init_core"], golden["init_factors"]),
        threads=threads,
    )
    history = model.history
    np.testing.assert_allclose([r.error for r in history], golden["error"], rtol=1e-9)
    np.testing.assert_array_equal([r.sparsity for r in history], golden["zeros"])
    np.testing.assert_array_equal([r.pruned for r in history], golden["pruned"])
    wanted = [golden["core"], *golden["factors"]]
    for got, want in zip([model.core, *model.factors], wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7)
        np.testing.assert_array_equal(got == 0.0, want == 0.0)
