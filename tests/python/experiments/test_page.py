"""The page of the evaluation: made of its numbers alone, and what is worked out by hand in it."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import reference
import vest_tucker as vt
from experiments.page import example, recovery, settings
from experiments.page.comparison import like_the_mean
from experiments.page.pictures import FOLDER, PICTURES
from experiments.page.write import page
from experiments.publish import DOCS, PAGE, RESULTS, page_of

needs_results = pytest.mark.skipif(not RESULTS.exists(), reason="no results in this archive")


@needs_results
def test_page_and_numbers_agree() -> None:
    assert page_of(RESULTS) == PAGE.read_text("utf-8"), "python -m experiments --draw mends it"


@needs_results
def test_every_picture_is_named_and_there() -> None:
    shown = set(re.findall(rf"\]\({FOLDER}/(evaluation-[\w-]+\.svg)\)", PAGE.read_text("utf-8")))
    assert shown == {file.name for file in (DOCS / FOLDER).glob("evaluation-*.svg")}
    assert shown <= {each.file for each in PICTURES.values()}
    for name in shown:
        assert (DOCS / FOLDER / name).stat().st_size < 300_000


@needs_results
def test_other_numbers_make_another_page() -> None:
    document = json.loads(RESULTS.read_text("utf-8"))
    before = page(document, "a file")
    for row in document["rows"]:
        settings = row["settings"]
        if row["figure"] == "figure1" and settings["system"] == "smurff":
            row["found"]["test"] = 0.9
    after = page(document, "a file")
    assert before.count("0.9000 ± 0.0000") < after.count("0.9000 ± 0.0000")


@needs_results
def test_every_row_says_where_it_comes_from() -> None:
    document = json.loads(RESULTS.read_text("utf-8"))
    for row in document["rows"]:
        for name in ("settings", "seed", "machine", "commit", "seconds", "code", "date"):
            assert name in row, row
    text = RESULTS.read_text("utf-8")
    assert not re.search(r'"/(home|root|tmp|work)/', text)  # no folder of anybody's machine


def test_who_is_now_better_now_worse_than_the_mean_has_found_something() -> None:
    tests = {"mean": (0.3, 0.3), "myfm": (0.27, 0.33), "smurff": (0.3, 0.30001), "ttp": (0.4, 0.4)}
    rows = [
        {"figure": "figure1", "settings": {"set": "S", "system": name}, "seed": seed, "found": each}
        for name, errors in tests.items()
        for seed, each in enumerate({"test": error} for error in errors)
    ]
    document = {"rows": rows, "systems": {name: {"title": name} for name in tests}}
    assert like_the_mean(document, "S") == ["smurff"]


def by_the_definition() -> reference.Problem:
    coords = np.array(list(example.ENTRIES), dtype=np.int32) - 1
    core = np.zeros((2, 2, 2))
    core[0, 0, 0] = core[1, 1, 1] = 1.0
    factors = [np.array(each, dtype=float) for each in (example.A, example.B, example.C)]
    return reference.Problem(coords, np.array(list(example.ENTRIES.values()), float), core, factors)


def test_the_example_by_hand_is_what_the_definition_says() -> None:
    problem = by_the_definition()
    left, total = example.squares()
    assert reference.error(problem) == pytest.approx(math.sqrt(left / total))
    grown = reference.responsibilities(problem, 3)
    model = vt.TuckerModel(problem.core, problem.factors)
    X = vt.SparseTensor(problem.coords, problem.values, (3, 3, 3))
    of_library = model.responsibilities(X)[3]
    for row, column in example.ELEMENTS:
        by_hand = float(example.growth((row, column))[2])
        assert grown[row - 1, column - 1] == pytest.approx(by_hand)
        assert of_library[row - 1, column - 1] == pytest.approx(by_hand)


def test_the_example_shows_what_it_is_for() -> None:
    growths = {each: example.growth(each)[2] for each in example.ELEMENTS}
    assert list(growths.values()) == [124, 8, 16]
    values = {each: Fraction(example.C[each[0] - 1][each[1] - 1]) for each in example.ELEMENTS}
    assert min(growths, key=lambda each: growths[each]) == max(values, key=lambda e: values[e])
    text = "\n".join(example.section())
    assert "RE = √(2/150) = 0.115" in text
    assert "| C(1, 1) | 1/2 | 8 | 464 | 124 | 0.917 | 2 | 3 |" in text


def test_pictures_are_drawn_from_a_document_alone(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    if not RESULTS.exists():
        pytest.skip("no results in this archive")
    from experiments.drawing.all import draw_all

    document = json.loads(RESULTS.read_text("utf-8"))
    document["rows"] = [row for row in document["rows"] if row["figure"] == "figure5"]
    (drawn,) = draw_all(document, tmp_path)
    text = drawn.read_text("utf-8")
    assert "responsibility, held out" in text
    assert drawn.name == PICTURES["pruning"].file
    draw_all(document, tmp_path)
    assert drawn.read_text("utf-8") == text  # the same numbers make the same bytes


def test_only_rows_whose_seconds_are_shown_say_how_busy_the_machine_was() -> None:
    rows = [
        {"figure": figure, "load": load, "found": {}}
        for figure, load in (("figure1", 9.0), ("figure1", 8.0), ("figure2", 1.25))
    ]
    document = {"rows": rows, "timed": ["figure2"], "machine": "M, 2 cores, L"}
    (line,) = settings.load(document)
    assert "was 1.2 to 1.2, 1.2 in the middle" in line
    assert line.endswith("little else ran.")
    rows[2]["load"] = 5.0
    assert "others worked on it" in next(settings.load(document))


def test_how_runs_of_both_scales_differ_is_said_of_their_jobs() -> None:
    figures = {
        "figure1": {"title": "A", "jobs": [2, 4], "seeds": [5, 5], "sets": ["S"], "most": []},
        "figure4": {"title": "B", "jobs": [8, 8], "seeds": [2, 2], "sets": [], "most": ["1e7"]},
    }
    said = "".join(settings.more_in_full({"jobs": 12, "figures": figures}))
    assert "12 measurements" in said
    assert "A 4 for 2 (S as well), B sizes up to 1e7" in said
    assert "seeds" not in said


def test_fits_that_failed_are_counted_and_what_their_patterns_hide() -> None:
    who = "smurff-spike-and-slab"
    rows = [
        {
            "figure": "figure7",
            "settings": {"system": who, "diagonal": True},
            "seed": seed,
            "found": {"to_truth": error, "spiked_f1": f1, "chains": 6, "stuck": 3},
        }
        for seed, (error, f1) in enumerate([(0.05, 1.0), (2.0, 0.99), (0.6, 0.5)])
    ]
    failed, stuck, _ = recovery.failed({"rows": rows, "systems": {}})
    assert "2 of 3 fits of SMURFF, spike and slab (from 0.60 to 2.00; in 1 of them" in failed
    assert stuck.startswith("Of SMURFF's single chains 50 % are")
