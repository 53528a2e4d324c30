"""Whole fits, iteration by iteration, against the stored ones of tests/data."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

HAS_ALLOCATION = "allocation" in inspect.signature(vt.fit).parameters


@pytest.mark.parametrize("threads", [1, 2])
def test_fit_matches_the_stored_one(golden: dict[str, Any], threads: int) -> None:
    options = {}
    if golden["allocation"] != "per_matrix":
        if not HAS_ALLOCATION:
            pytest.skip("vest_tucker.fit has no `allocation`: it prunes each part by itself")
        options["allocation"] = golden["allocation"]
    model = vt.fit(
        vt.SparseTensor(golden["coords"], golden["values"], golden["shape"]),
        tuple(golden["ranks"].tolist()),
        loss=golden["loss"],
        sparsity=golden["sparsity"],
        lam=golden["lam"],
        scale_lam=False,
        standardize=False,
        tol=None,
        max_iter=golden["iterations"],
        init=(golden["init_core"], golden["init_factors"]),
        threads=threads,
        **options,
    )
    history = model.history
    np.testing.assert_allclose([r.error for r in history], golden["error"], rtol=1e-9)
    np.testing.assert_array_equal([r.sparsity for r in history], golden["zeros"])
    np.testing.assert_array_equal([r.pruned for r in history], golden["pruned"])
    wanted = [golden["core"], *golden["factors"]]
    for got, want in zip([model.core, *model.factors], wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7)
        np.testing.assert_array_equal(got == 0.0, want == 0.0)
