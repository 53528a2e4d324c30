"""A model and entries that are hard to draw, and the styles to draw them in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import vest_tucker as vt
from drawn import entries_of, pyplot, sparse_model


@pytest.fixture
def sparse(rng: np.random.Generator) -> vt.TuckerModel:
    """A model with all that is hard to draw."""
    return sparse_model(rng)


@pytest.fixture
def entries(sparse: vt.TuckerModel, rng: np.random.Generator) -> vt.SparseTensor:
    """Entries of the model ``sparse``."""
    return entries_of(sparse, rng)


@pytest.fixture(params=["default", "dark_background"])
def style(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each style in turn, in use while the test runs."""
    with pyplot.style.context(request.param):
        yield request.param
