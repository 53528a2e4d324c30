"""The methods that ask a model: what they return is what the reading room makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from small import labelled


def test_the_oriented_model_predicts_the_same(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    model.core[...] = rng.normal(size=model.core.shape)
    for factor in model.factors:
        factor *= rng.choice([-1.0, 1.0], size=factor.shape[1])
    cells = np.argwhere(np.ones(model.shape))
    turned = model.oriented()
    np.testing.assert_allclose(turned.predict(cells), model.predict(cells), rtol=1e-12)
    assert all((factor.sum(axis=0) >= 0.0).all() for factor in turned.factors)


def test_what_notebooks_show(model: vt.TuckerModel) -> None:
    page = labelled(model)._repr_html_()
    assert "Tucker model of a 4 x 3 x 5 tensor" in page
    assert "Zoë" in page


def test_asking_needs_what_it_asks_for(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="measure_importance"):
        model.importance()
    with pytest.raises(vt.errors.OptionError, match="n is -1"):
        model.describe(-1)
