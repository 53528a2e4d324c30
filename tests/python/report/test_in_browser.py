"""A report in a real browser: it can be searched, it explains, it asks for nothing, it is safe."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from browser import Page, started
from reports import HOSTILE, MODELS, biased, constant, factored, odd
from vest_tucker.reading.relations import Reading
from vest_tucker.report.model_page import Choices, model_page

# What a screen reader must be able to call by a name.
NAMED = {"textbox", "searchbox", "combobox", "button", "link", "table", "image"}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with started() as page:
        page.look()
        yield page


@pytest.fixture(scope="module")
def demo() -> vt.TuckerModel:
    model = vt.fit(vt.datasets.demo(), seed=0)
    return model.name("dish", 2, "breakfast")


def shown(page: Page, model: vt.TuckerModel, where: Path, **options: Any) -> Path:
    """Write a report, open it, and want no complaint and no request."""
    file = where / "report.html"
    file.write_bytes(model_page(model, Choices(**options)))
    page.open(file)
    assert_quiet(page, file)
    return file


def assert_quiet(page: Page, file: Path) -> None:
    assert page.complaints == []
    assert {each.partition("#")[0] for each in page.requests} <= {file.resolve().as_uri()}


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_opens_without_a_complaint(
    name: str, page: Page, tmp_path: Path
) -> None:
    shown(page, MODELS[name](), tmp_path)
    assert page.text("h1").startswith("Groups of")
    assert page.run("getComputedStyle(document.getElementById('cell-form')).display") == "flex"


def test_a_group_is_picked_sorted_and_filtered(
    page: Page, demo: vt.TuckerModel, tmp_path: Path
) -> None:
    file = shown(page, demo, tmp_path)
    page.run(
        "(pick => { pick.value = '1'; pick.dispatchEvent(new Event('change')); })"
        "(document.getElementById('pick-mode'))"
    )
    page.run(
        "(pick => { pick.value = '2'; pick.dispatchEvent(new Event('change')); })"
        "(document.getElementById('pick-component'))"
    )
    assert page.text("#group-title") == "breakfast"
    labels = "[...document.querySelectorAll('table.members tbody th')].map(each => each.innerText)"
    group = Reading(demo).group(1, 2)  # without labels that add next to nothing
    assert page.run(labels) == group.labels.tolist()
    page.run(
        "(pick => { pick.value = 'relevance'; pick.dispatchEvent(new Event('change')); })"
        "(document.getElementById('sort-by'))"
    )
    relevant = [str(label) for label, _ in demo.top("dish", 2, n=len(group), by="relevance")]
    assert page.run(labels) == relevant
    page.type("#filter", "EGG")
    assert page.run(labels) == ["scrambled eggs"]
    assert page.text("table.members mark") == "egg"
    assert_quiet(page, file)


def test_what_joins_a_group_is_a_click_away(
    page: Page, demo: vt.TuckerModel, tmp_path: Path
) -> None:
    file = shown(page, demo, tmp_path)
    page.click("article.relation .group h4 a")
    first = page.text("#group-title")
    assert page.run("document.getElementById('pick-mode').value") == "0"
    page.click("ul.joins a")
    assert page.text("#group-title") != first
    assert page.run("document.activeElement.id") == "group-title"
    assert_quiet(page, file)


def test_a_label_is_found_and_its_groups_are_shown(
    page: Page, demo: vt.TuckerModel, tmp_path: Path
) -> None:
    file = shown(page, demo, tmp_path)
    page.type("#find-label", "clerk")
    assert "labels" in page.text("#labels-found p")
    page.type("#find-label", "mueSLI")
    assert page.text("#label-title") == "muesli"
    assert page.run("document.getElementById('status').textContent") == "muesli, dish"
    assert "breakfast" in page.text("#labels-found table")
    page.click("#labels-found table a")
    assert page.text("#group-title") == "breakfast"
    page.type("#find-label", "no such label")
    assert "No label" in page.text("#labels-found")
    assert_quiet(page, file)


def prediction(page: Page, labels: list[str]) -> float:
    for mode, label in enumerate(labels):
        page.type(f"#cell-{mode}", label)
    return float(page.run("document.getElementById('prediction').dataset.value"))


def test_an_explanation_is_the_prediction(page: Page, demo: vt.TuckerModel, tmp_path: Path) -> None:
    file = shown(page, demo, tmp_path)
    rng = np.random.default_rng(4)
    for _ in range(5):
        row = [int(rng.integers(dim)) for dim in demo.shape]
        labels = [
            str(demo.mode_labels.decode(mode, np.array([at]))[0]) for mode, at in enumerate(row)
        ]
        assert prediction(page, labels) == pytest.approx(
            demo.predict(np.array([row]))[0], abs=1e-9, rel=1e-12
        )
    page.type("#cell-1", "gravel")
    assert "gravel" in page.text("#cell-shown .problem")
    assert page.run("document.getElementById('cell-1').getAttribute('aria-invalid')") == "true"
    assert_quiet(page, file)


@pytest.mark.parametrize("make", [biased, constant, factored])
def test_every_cell_of_a_model_is_explained(make: Any, page: Page, tmp_path: Path) -> None:
    """Also rows without entries, for which an average row stands; modes have no labels here."""
    model = make()
    shown(page, model, tmp_path)
    cells = np.argwhere(np.ones(model.shape))[:: 7 if make is factored else 11]
    cells = np.concatenate([cells, np.array(model.shape)[None] - 1])
    values = page.run(
        f"""{json.dumps(cells.tolist())}.map((cell) => {{
          for (const [mode, label] of cell.entries()) {{
            document.getElementById(`cell-${{mode}}`).value = label;
          }}
          document.getElementById("cell-0").dispatchEvent(new Event("change"));
          return Number(document.getElementById("prediction").dataset.value);
        }})"""
    )
    np.testing.assert_allclose(values, model.predict(cells), rtol=1e-12, atol=1e-9)


def test_what_a_budget_leaves_out_is_not_guessed(page: Page, tmp_path: Path) -> None:
    model = factored(shape=(9000, 7, 5))
    file = shown(page, model, tmp_path, budget=180_000)
    assert model.entries is not None
    kept, left = int(model.entries[0].argmax()), int(model.entries[0].argmin())
    assert prediction(page, [str(kept), "2", "3"]) == pytest.approx(
        model.predict(np.array([[kept, 2, 3]]))[0], abs=1e-9
    )
    page.type("#cell-0", str(left))
    assert "There is no label" in page.text("#cell-shown")
    assert " of 9,000 labels" in page.text("footer")
    assert_quiet(page, file)


def test_the_terms_of_an_explanation_add_up(page: Page, tmp_path: Path) -> None:
    shown(page, biased(), tmp_path)
    rows = page.run(
        "[...document.querySelectorAll('#cell-shown tbody tr td.number')]"
        ".map(each => Number(each.innerText.replace('\u2212', '-')))"
    )
    assert len(rows) > 4
    assert sum(rows[:-1]) == pytest.approx(rows[-1], abs=0.01)


def test_labels_are_text_and_nothing_else(page: Page, tmp_path: Path) -> None:
    file = shown(page, odd(), tmp_path)
    page.type("#find-label", "o")
    page.type("#filter", "script")
    page.type("#cell-0", HOSTILE)
    page.click("#labels-found a")
    assert page.run("document.title") == "Groups of " + f"who {HOSTILE}, dish and hour"
    assert page.run("document.querySelectorAll('img, iframe, object').length") == 0
    assert page.run("document.querySelectorAll('script').length") == 2
    assert page.run("document.getElementById('cell-0').value") == HOSTILE
    assert_quiet(page, file)


def test_even_a_script_that_got_in_would_not_run(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    bad = (
        b"<script>document.title = 'owned'</script><p onclick='x()' style='color:red'>x</p></main>"
    )
    file.write_bytes(model_page(factored()).replace(b"</main>", bad))
    page.open(file)
    assert page.run("document.title") != "owned"
    assert any("Content Security Policy" in each for each in page.complaints)


def test_without_a_script_it_can_be_read(page: Page, demo: vt.TuckerModel, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(model_page(demo, Choices(note="Made up.")))
    page.open(file, script=False)
    text = page.text("body")
    for wanted in (
        "Made up.", "of the variation in 2,000 values", "mean and biases alone", "breakfast",
        "muesli", "together: the prediction", "sha256", "All groups of dish",
    ):  # fmt: skip
        assert wanted in text
    assert "Find a label" not in text
    assert_quiet(page, file)


def saved(page: Page, selector: str) -> str:
    """Return what a button would save, caught on its way to the disk."""
    return str(
        page.run(
            f"""new Promise((done) => {{
              const before = URL.createObjectURL;
              URL.createObjectURL = (blob) => {{
                URL.createObjectURL = before;
                blob.text().then(done);
                return "#";
              }};
              document.querySelector({json.dumps(selector)}).click();
            }})"""
        )
    )


def test_weights_are_downloaded_with_all_their_digits(
    page: Page, demo: vt.TuckerModel, tmp_path: Path
) -> None:
    shown(page, demo, tmp_path)
    lines = saved(page, "button[data-file='weights-dish.csv']").splitlines()
    assert lines[0] == "dish,component,title,weight,adds,std_error,entries"
    found = {(label, int(j)): float(w) for label, j, _, w, *_ in (x.split(",") for x in lines[1:])}
    frame = demo.oriented().factor_frame("dish", nonzero=True).to_numpy().tolist()
    assert found == {(label, j): weight for label, j, weight, *_ in frame}


def test_tables_in_links_are_downloaded(page: Page, demo: vt.TuckerModel, tmp_path: Path) -> None:
    shown(page, demo, tmp_path)
    there = tmp_path / "saved"
    page.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(there))
    page.click("a[download='errors.csv']")
    for _ in range(100):
        if (there / "errors.csv").exists():
            break
        page.settle()
    assert (
        (there / "errors.csv").read_text("utf-8-sig").startswith("what_predicts,measured_on,error")
    )


def test_no_spreadsheet_runs_a_label(page: Page, tmp_path: Path) -> None:
    shown(page, odd(), tmp_path)
    text = saved(page, "button[data-table='labels 0']")
    assert "'=1+1," in text
    assert "'@SUM(A1)," in text
    assert "\n=1" not in text


def test_it_is_light_or_dark_as_the_system_or_as_one_likes(
    page: Page, demo: vt.TuckerModel, tmp_path: Path
) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page.look(dark=True)
    shown(page, demo, tmp_path)
    dark = page.run(colour)
    page.look()
    light = page.run(colour)
    assert light != dark
    page.click("#theme")
    page.click("#theme")
    assert page.run(colour) == dark


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_nothing_is_wider_than_a_phone(make: Any, page: Page, tmp_path: Path) -> None:
    page.look(width=390, height=844)
    try:
        shown(page, make(), tmp_path)
        assert page.run("document.documentElement.scrollWidth") <= 390
    finally:
        page.look()


def test_it_is_printed_in_black_on_white_with_everything_open(
    page: Page, demo: vt.TuckerModel, tmp_path: Path
) -> None:
    page.look(dark=True)
    shown(page, demo, tmp_path)
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert "together: the prediction" in page.text("#explain table caption + thead + tbody")
    assert page.run("document.querySelector('#explain .panel').checkVisibility()") is False
    page.pdf(tmp_path / "report.pdf")
    page.send("Emulation.setEmulatedMedia", media="")
    page.look()
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_keyboard_and_screen_reader(page: Page, demo: vt.TuckerModel, tmp_path: Path) -> None:
    shown(page, demo, tmp_path)
    page.press("Tab", 9)
    assert page.run("document.activeElement.innerText") == "Skip to the content"
    tree = page.send("Accessibility.getFullAXTree")["nodes"]
    nameless = [
        node["role"]["value"]
        for node in tree
        if node["role"]["value"] in NAMED
        and not node.get("name", {}).get("value")
        and not node.get("ignored")
    ]  # fmt: skip
    assert nameless == []
    levels = page.run(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    ids = page.run("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))
