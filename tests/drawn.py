"""What tests of pictures share: drawing them for real, the texts in them, a model to draw."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

pyplot = pytest.importorskip("matplotlib.pyplot")

# Long, empty, of several lines and scripts, with signs that mean something elsewhere.
HOSTILE = (
    "Προϊόν", "東京都千代田区丸の内一丁目", "مطعم الشرق", "हिन्दी खाना", r"$\frac{1}{2}$ & 100%",
    "</script><b>", "_hidden", "two\nlines\x00", "", "$5 and $6", "\U0001f600",
    "https://example.org/a/very/long/address/1", "https://example.org/no/shorter/address/1",
)  # fmt: skip


def finished(axes: Any) -> Any:
    """Draw the picture to its end, where missing glyphs and bad formulas would show."""
    figure = np.ravel(np.asarray(axes, dtype=object))[0].figure.figure
    figure.savefig(io.BytesIO(), format="png", dpi=50)
    return axes


def texts(ax: Any) -> list[str]:
    """All texts of one axes that are not empty."""
    found = ax.findobj(pyplot.Text)
    return [each.get_text() for each in found if each.get_visible() and each.get_text()]


def labels(axis: Any) -> list[str]:
    return [each.get_text() for each in axis.get_ticklabels()]


def overlaps(ax: Any) -> list[tuple[str, str]]:
    """Pairs of labels of the vertical axis that cover each other."""
    boxes = [
        (each.get_text(), each.get_window_extent())
        for each in finished(ax).yaxis.get_ticklabels()
        if each.get_text()
    ]
    return [(one, two) for (one, a), (two, b) in pairwise(boxes) if a.overlaps(b)]


def model_of(core: Any, factors: Any, **fields: Any) -> vt.TuckerModel:
    """Make a model of lists."""
    return vt.TuckerModel(core, factors, **fields)


def sparse_model(rng: np.random.Generator, rows: int = 30, **fields: Any) -> vt.TuckerModel:
    """Make one of hostile labels, many people and weeks out of order; one component is empty."""
    shape, ranks = (len(HOSTILE), rows, 8), (3, 4, 2)
    factors = [rng.normal(0.2, 1.0, size) for size in zip(shape, ranks, strict=True)]
    for factor in factors:
        factor[rng.random(factor.shape) < 0.4] = 0.0
    core = rng.normal(0.0, 2.0, ranks)
    core[rng.random(ranks) < 0.4] = 0.0
    core[:, 2] = factors[1][:, 2] = 0.0
    weeks = np.datetime64("2020-02-19") - 7 * np.arange(8)
    people = [f"person {i:04} of a long list of people" for i in range(rows)]
    named: dict[str, Any] = {"modes": ("食べ物 $x$", "person", "week")}
    named["labels"] = (np.array(HOSTILE, dtype=object), people, weeks)
    return vt.TuckerModel(core, factors, **(named | fields))


def entries_of(model: vt.TuckerModel, rng: np.random.Generator, n: int = 600) -> vt.SparseTensor:
    """Sample cells of a model, with noise."""
    coords = np.unique(np.stack([rng.integers(0, dim, n) for dim in model.shape], 1), axis=0)
    values = model.predict(coords) + rng.normal(0.0, 0.5, len(coords))
    return vt.SparseTensor(coords, values, model.shape, modes=model.modes, labels=model.labels)


def constant_model() -> vt.TuckerModel:
    """Make one with a mean of 10, effects of films and of users, and a pair of both."""
    ones = np.ones(3)
    film = np.stack([ones, [2.0, -1.0, 0.0]], axis=1)
    user = np.stack([ones, [0.5, 0.0, 1.0]], axis=1)
    day = np.stack([ones[:2], [0.0, 1.0]], axis=1)
    core = np.zeros((2, 2, 2))
    core[0, 0, 0], core[1, 0, 0], core[0, 1, 0], core[1, 1, 0] = 10.0, 2.0, -1.0, 0.5
    return model_of(
        core, [film, user, day], constant=True, modes=("film", "user", "day"),
        labels=[["Alien", "Brazil", "Cube"], ["ann", "bob", "eve"], ["Mon", "Tue"]],
    )  # fmt: skip
