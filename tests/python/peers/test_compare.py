"""A comparison as `make peers` makes it: plain values for every system, errors among them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from peers.compare import compare, relative_error, versions
from peers.peer import Floats
from peers.table import table
from peers.tensors import Split
from planted_tasks import pairs_task


def test_figures_and_failures() -> None:
    planted = pairs_task()
    task = planted.task
    split = Split(task.shape, task.ranks, task.coords, task.values, task.test_coords, planted.truth)
    runs = list(compare(split, ["mean", "biases", "p-tucker-approx"], 1, 60.0))
    assert [run["system"] for run in runs] == ["mean", "biases", "p-tucker-approx"]
    mean = np.full(len(planted.truth), task.values.mean())
    assert runs[0]["test_error"] == pytest.approx(relative_error(planted.truth, mean))
    assert runs[1]["test_error"] < runs[0]["test_error"]
    late = list(compare(split, ["p-tucker-approx"], 1, 0.01))
    assert late[0]["failed"] == "took more than 0.01 s"
    assert len(list(table("pairs", runs + late))) == 6
    json.dumps(runs)


def test_relative_error() -> None:
    values: Floats = np.array([3.0, 4.0])
    assert relative_error(values, np.zeros(2)) == 1.0
    assert relative_error(values, np.array([3.0, 4.5])) == pytest.approx(0.1)


def test_versions_are_those_of_the_packages() -> None:
    assert versions()["numpy"] == np.__version__
