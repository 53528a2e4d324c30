"""Films that stay dense have titles where a MovieLens folder is given, from row to page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.measures import comparison, discovery
from experiments.page.discovery import section
from experiments.sets.tensors import SETS
from peers import SYSTEMS

FILMS, USERS = 40, 30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the layout of MovieLens 1M: the first films are rated most, by taste."""
    rng = np.random.default_rng(0)
    lines = []
    for film in range(1, FILMS + 1):
        for user in rng.permutation(USERS)[: max(3, USERS - film)] + 1:
            stars = 1 + 4 * (user % 2 == film % 2)
            lines.append(f"{user}::{film}::{stars}::{978300760 + 3600 * int(rng.integers(24))}\n")
    (tmp_path / "ratings.dat").write_text("".join(lines))
    films = (f"{film}::Film No. {film} (19{50 + film})::Comedy\n" for film in range(1, FILMS + 1))
    (tmp_path / "movies.dat").write_text("".join(films))
    (tmp_path / "users.dat").write_text("1::F::1::10::48067\n")
    monkeypatch.setenv("VEST_MOVIELENS", str(tmp_path))
    monkeypatch.delenv("VEST_DATA", raising=False)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_titles_of_the_densest_films_reach_the_page() -> None:
    (job,) = (
        job
        for job in discovery.jobs(False)
        if job.seed == 0 and job.settings == {"set": "MovieLens", "system": "vest-l1-auto"}
    )
    found = job.measure()
    assert found["of"] == FILMS
    titles = [film[0] for film in found["films"]]
    assert len(titles) == discovery.SHOWN
    assert set(titles) <= {f"Film No. {film} (19{50 + film})" for film in range(1, FILMS + 1)}
    for title, _, ratings, place in found["films"]:
        number = int(title.split()[2])
        assert ratings == max(3, USERS - number)
        assert place == min(number, USERS - 3)  # those with the fewest ratings share a place
    text = "\n".join(section(document(found)))
    assert "The 20 densest rows of VeST, L1, auto, seed 0 (films): " in text
    assert all(f"{title} (" in text for title in titles)
    assert "has no titles" not in text


def document(found: dict[str, Any]) -> dict[str, Any]:
    settings = {"set": "MovieLens", "system": "vest-l1-auto"}
    row = {"figure": "figure6", "settings": settings, "seed": 0, "found": found}
    titles = {name: {"title": peer.title} for name, peer in SYSTEMS.items()}
    return {"rows": [row], "systems": titles}


@pytest.mark.usefixtures("folder")
def test_the_densest_part_of_a_folder_is_among_the_small_tensors() -> None:
    assert "MovieLens-s" in {job.settings["set"] for job in comparison.jobs(False)}
    train, test = SETS["MovieLens-s"].split(0)
    assert train.order == 3
    assert train.shape[0] == USERS
    assert train.nnz + test.nnz == sum(max(3, USERS - film) for film in range(1, FILMS + 1))


def test_without_a_folder_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VEST_MOVIELENS", raising=False)
    assert not SETS["MovieLens-s"].is_here
    assert "MovieLens" not in discovery.tensors()
