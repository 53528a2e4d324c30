"""What notebooks show: labels of any kind as text, and nothing but plain elements."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import made

HOSTILE = """<script>alert("x")</script> & '"""
PLAIN = {"div", "table", "thead", "tbody", "tr", "th", "td", "p", "pre", "span", "strong"}


class Shown(HTMLParser):
    """The text of a page and its elements; whether all that opens closes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags, self.open = "", set[str](), list[str]()
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def hostile(rng: np.random.Generator) -> tuple[vt.TuckerModel, vt.SparseTensor]:
    """A model and a tensor, every text of which could be taken for HTML."""
    labels = [[f"{HOSTILE}{mode}{row}" for row in range(4)] for mode in range(2)]
    modes = (f"<i>{HOSTILE}", "b")
    cells = np.argwhere(np.ones((4, 4)))
    X = vt.SparseTensor(cells, rng.normal(size=16), modes=modes, labels=labels)
    offset = vt.Offset("biases", 1.0, (np.arange(4.0) - 1.0, np.arange(4.0) - 2.0))
    model = made(
        rng.normal(size=(2, 2)), [rng.normal(size=(4, 2)) for _ in range(2)], modes=modes,
        labels=labels, offset=offset,
    )  # fmt: skip
    return model.name(0, 0, HOSTILE).measure_importance(X), X


def test_hostile_labels_are_text(hostile: tuple[vt.TuckerModel, vt.SparseTensor]) -> None:
    model, X = hostile
    things: list[Any] = [X, model, model.describe(), model.explain(X), model.importance()]
    for thing in things:
        shown = Shown(thing._repr_html_())
        assert shown.tags <= PLAIN, type(thing)
        assert HOSTILE in shown.text, type(thing)


def test_a_tensor_shows_modes_and_first_entries() -> None:
    text = Shown(vt.datasets.demo()._repr_html_()).text
    assert "160 x 24 x 17 tensor, 20,000 entries" in text
    assert "and 19,995 more entries" in text


def test_a_model_shows_its_strongest_relations(town: vt.TuckerModel) -> None:
    named = dataclasses.replace(town).name("hour", 3, "evening")
    text = Shown(named._repr_html_()).text
    assert "Tucker model of a 160 x 24 x 17 tensor" in text
    assert "strongest relations (" not in text  # a table instead
    assert "× evening" in text
    assert "0.5755" in text


def test_effects_and_families(rated: vt.TuckerModel) -> None:
    text = Shown(rated.describe()._repr_html_()).text
    for words in ("Effects of film", "user × film", "unexplained", "error without"):
        assert words in text


def test_many_terms_and_cells(rng: np.random.Generator) -> None:
    model = made(rng.random((4, 4)), [rng.random((5, 4))] * 2)
    text = Shown(model.explain(np.argwhere(np.ones((5, 5))))._repr_html_()).text
    assert "4 more terms" in text
    assert "and 15 more cells" in text


def test_paths_and_stability_show_their_text(prunable: vt.SparseTensor) -> None:
    path = vt.path(prunable, 2, step=0.2, basis="plain", seed=0)
    stability = vt.stability(prunable, 2, n_seeds=2, preset="paper", lam=0.1, seed=0)
    things: list[Any] = [path, stability]
    for thing in things:
        shown = Shown(thing._repr_html_())
        assert shown.text.strip() == str(thing)
