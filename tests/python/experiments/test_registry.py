"""The experiments that there are: their jobs have keys of their own, and planted data suffice."""

from __future__ import annotations

from collections import Counter

import pytest

from experiments.registry import EXPERIMENTS

FIGURES = [f"figure{number}" for number in range(1, 9)]


def test_all_figures_are_there() -> None:
    assert list(EXPERIMENTS) == FIGURES


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("whole", [False, True])
def test_no_two_jobs_are_the_same(
    name: str, whole: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("VEST_DATA", str(tmp_path))  # no real data
    keys = Counter(job.key for job in EXPERIMENTS[name].jobs(whole))
    assert not [key for key, times in keys.items() if times > 1]
    assert keys or name == "figure6"  # films cannot be planted


@pytest.mark.parametrize("name", FIGURES)
def test_sources_exist(name: str) -> None:
    assert all(source.exists() for source in EXPERIMENTS[name].sources)
