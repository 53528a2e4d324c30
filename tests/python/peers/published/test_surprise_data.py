"""Surprise sees the two longest modes."""

from __future__ import annotations

import pytest

from planted_tasks import pairs_task

pytest.importorskip("surprise")


def test_the_two_longest_modes_in_order() -> None:
    from peers.published.surprise_data import train_set, two_modes

    task = pairs_task(shape=(20, 30, 4)).task
    assert two_modes(task) == (0, 1)
    assert two_modes(pairs_task(shape=(5, 30, 40)).task) == (1, 2)
    ratings = train_set(task)
    assert (ratings.n_users, ratings.n_items) == (20, 30)
    assert ratings.n_ratings == len(task.values)
    assert ratings.global_mean == pytest.approx(task.values.mean())
