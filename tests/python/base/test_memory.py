"""Memory told before a fit, and a fit refused for want of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.base import memory

SMALL = ((50, 40, 30), 3)


def test_the_estimate_grows_with_shape_entries_and_ranks() -> None:
    least = vt.estimate_memory((1000, 900, 800), 100_000, 4)
    assert least > 100_000 * (3 * 4 + 8)  # the tensor itself, to begin with
    assert vt.estimate_memory((1000, 900, 800), 200_000, 4) > least
    assert vt.estimate_memory((2000, 900, 800), 100_000, 4) > least
    assert vt.estimate_memory((1000, 900, 800), 100_000, 8) > least


def test_the_largest_case_of_the_paper_fits_in_20_gib() -> None:
    assert vt.estimate_memory((10**8,) * 3, 10**8, 3, threads=2) < 20 * 2**30


def test_workers_share_the_entries_and_each_has_the_model() -> None:
    shape, nnz = (100_000, 9_000, 800), 10**8
    few, many = (vt.estimate_memory(shape, nnz, 4, workers=each) for each in (4, 16))
    assert 2.0 < few.worker / many.worker < 4.0
    assert few.driver == many.driver > 8 * 4 * sum(shape)
    with pytest.raises(vt.errors.OptionError, match="workers"):
        vt.estimate_memory(shape, nnz, 4, workers=0)


def test_a_worker_has_its_share_in_shards_and_little_else() -> None:
    shape = (10**6, 10**5, 10**3)
    each = vt.estimate_memory(shape, 10**8, 3, workers=4)
    assert 1.0 < each.worker / (25e6 * 3 * 16) < 1.4
    threads = memory.on_cluster(shape, 25 * 10**6, (3, 3, 3), weighted=False, threads=8)
    assert threads.worker > each.worker  # each thread makes a shard
    weighted = vt.estimate_memory(shape, 10**8, 3, workers=4, weighted=True)
    assert weighted.worker - each.worker > 25e6 * 3 * 8
    assert memory.in_block((256, 257, 65537), weighted=True) == 1 + 2 + 4 + 8 + 8


def test_memory_that_arrow_keeps_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    pool = SimpleNamespace(release_unused=lambda: told.append("released"))
    arrow: Any = SimpleNamespace(default_memory_pool=lambda: pool)
    monkeypatch.setitem(sys.modules, "pyarrow", arrow)
    memory.give_back()
    assert told == ["released"]
    monkeypatch.delitem(sys.modules, "pyarrow")
    memory.give_back()
    assert "pyarrow" not in sys.modules


def test_arguments_are_checked() -> None:
    with pytest.raises(vt.errors.RankError):
        vt.estimate_memory((10, 10), 50, 11)
    with pytest.raises(vt.errors.OptionError, match="nnz"):
        vt.estimate_memory((10, 10), 0, 2)
    with pytest.raises(vt.errors.OptionError, match=r"nnz .* below 2\*\*63"):
        vt.estimate_memory((10, 10), 10**30, 2)
    with pytest.raises(vt.errors.ThreadsError):
        vt.estimate_memory((10, 10), 10, 2, threads=-1)


def test_a_fit_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = vt.datasets.synthetic(*SMALL, nnz=2000, seed=0)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    with pytest.raises(
        vt.errors.NotEnoughMemoryError, match=r"GiB are available.*check_memory=False"
    ):
        vt.fit(X, 3, max_iter=1, seed=0, preset="paper")
    assert vt.fit(X, 3, max_iter=1, seed=0, check_memory=False, preset="paper").n_iter == 1


def _room(bytes_: Mapping[str, float], shape: tuple[int, ...], nnz: int) -> int:
    """Return the bytes that a fit takes by an estimate of the core, and one more."""
    return int(bytes_["model"] + bytes_["plan"] + memory.later(bytes_, nnz)) + 1


def test_copies_for_searches_and_starts_are_counted() -> None:
    shape, nnz, ranks = (500, 400, 30), 20_000, (3, 3, 3)
    alone = memory.needed(shape, nnz, ranks, 1)
    assert memory.needed(shape, nnz, ranks, 1, split=True) == alone + nnz * (3 * 4 + 8)
    held, passing = memory.held_and_passing(shape, nnz, ranks, 1)
    assert held + passing == pytest.approx(alone)
    assert passing > 0.0


def test_sorting_and_working_do_not_add_up() -> None:
    bytes_ = {"sorting": 10e6, "workspace": 7e6}
    assert memory.later(bytes_, 100_000) == memory.BASE + 10e6
    assert memory.later(bytes_, 1_000_000) == memory.BASE + 15e6  # numbers of Python's come on top
    assert memory.later(bytes_, 100_000, turning=9e6) == memory.BASE + 16e6


def test_variances_and_sparse_cores_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, nnz, ranks = (500, 400, 30), 20_000, (12, 12, 12)
    plain = _core.estimate_memory(shape, nnz, ranks, threads=1)
    noisy = _core.estimate_memory(shape, nnz, ranks, threads=1, noise=True)
    assert noisy["model"] - plain["model"] == 8 * (12**3 + 12 * sum(shape))
    sparse = _core.estimate_memory(shape, nnz, ranks, threads=1, noise=True, sparse_core=True)
    assert sparse["workspace"] < noisy["workspace"] / 4  # neither tables nor a Gram matrix
    monkeypatch.setattr(memory, "available", lambda: _room(plain, shape, nnz))
    memory.require(shape, nnz, ranks, 1)
    with pytest.raises(vt.errors.NotEnoughMemoryError):
        memory.require(shape, nnz, ranks, 1, noise=True)
    memory.require(shape, nnz, ranks, 1, noise=True, sparse_core=True)


def test_the_values_left_by_an_offset_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, nnz, ranks = (50, 40, 30), 2000, (3, 3, 3)
    needed = _core.estimate_memory(shape, nnz, ranks, threads=1)
    there = _room(needed, shape, nnz)
    monkeypatch.setattr(memory, "available", lambda: there)
    memory.require(shape, nnz, ranks, 1)
    with pytest.raises(vt.errors.NotEnoughMemoryError):
        memory.require(shape, nnz, ranks, 1, offset=True)
    there += int(8 * (memory.IN_OFFSETS * nnz + sum(shape)))
    memory.require(shape, nnz, ranks, 1, offset=True)


def test_a_fit_runs_where_available_memory_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = vt.datasets.synthetic(*SMALL, nnz=2000, seed=0)
    monkeypatch.setattr(memory, "available", lambda: None)
    assert vt.fit(X, 3, max_iter=1, seed=0, preset="paper").n_iter == 1


@pytest.fixture
def all_of_it() -> int:
    """All memory of this machine in bytes."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        pytest.skip("this system does not tell how much memory it has")
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_available_memory_is_a_part_of_all(all_of_it: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_control_group", lambda: None)
    there = memory.available()
    assert there is not None
    assert all_of_it / 1000 < there <= all_of_it  # kibibytes taken for bytes would be too few


def test_without_proc_all_memory_counts_as_available(
    all_of_it: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_control_group", lambda: None)
    monkeypatch.setattr(memory, "_meminfo", lambda: None)
    assert memory.available() == all_of_it
    monkeypatch.delattr(os, "sysconf")
    assert memory.available() is None


def test_the_smaller_limit_of_machine_and_container_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_meminfo", lambda: 500)
    monkeypatch.setattr(memory, "_control_group", lambda: 300)
    assert memory.available() == 300
    monkeypatch.setattr(memory, "_control_group", lambda: None)
    assert memory.available() == 500


# What a container says of itself -> the bytes that are left.
GROUPS: dict[str, tuple[dict[str, str], int | None]] = {
    "nothing": ({}, None),
    "version 2": ({"memory.max": "1000", "memory.current": "700"}, 300),
    "version 2, files cached": (
        {"memory.max": "1000", "memory.current": "700",
         "memory.stat": "anon 300\ninactive_file 150\nactive_file 50"}, 500),
    "version 2, no limit": ({"memory.max": "max", "memory.current": "700"}, None),
    "version 2, over its limit": ({"memory.max": "1000", "memory.current": "1100"}, 0),
    "version 1": (
        {"memory/memory.limit_in_bytes": "1000", "memory/memory.usage_in_bytes": "900",
         "memory/memory.stat": "inactive_file 1\ntotal_inactive_file 200\ntotal_active_file 30"},
        330),
    "version 1, no limit": (
        {"memory/memory.limit_in_bytes": str(2**63 - 4096), "memory/memory.usage_in_bytes": "9"},
        None),
}  # fmt: skip


@pytest.mark.parametrize("what", GROUPS)
def test_the_memory_that_a_container_leaves(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, left = GROUPS[what]
    (tmp_path / "memory").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text + "\n", "ascii")
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)
    assert memory._control_group() == left


def test_the_peak_of_a_real_fit_is_close_to_the_estimate(tmp_path: Path) -> None:
    """The peak of a real fit, in a process of its own, is near what was said of it."""
    if not Path("/proc/self/status").exists():
        pytest.skip("nobody tells the peak of a process here")
    # Not ru_maxrss, in which a process inherits the peak of the one that started it.
    program = """
from pathlib import Path
import numpy as np, vest_tucker as vt

def told(name):
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))

rng = np.random.default_rng(0)
shape, n, ranks = (30_000, 8_000, 20, 24), 700_000, (6, 6, 2, 2)
coords = np.stack([rng.integers(0, d, n, dtype=np.int32) for d in shape], axis=1)
values = rng.random(n)
X = vt.SparseTensor(coords, values, shape, duplicates="first")
del coords, values
Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak begins anew
before = told("VmRSS:")
vt.fit(X, ranks, preset="paper", max_iter=2, sparsity=0.5, threads=2, seed=0)
print(told("VmHWM:") - before)
print(vt.estimate_memory(shape, n, ranks, threads=2) - n * 24)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    grown, estimated = (int(word) for word in done.stdout.split())
    assert 0.9 < estimated / (1024 * grown) < 1.3


@pytest.mark.parametrize("there", [None, 800])
def test_arrays_of_all_cells_are_refused_without_room(
    monkeypatch: pytest.MonkeyPatch, there: int | None
) -> None:
    monkeypatch.setattr(memory, "available", lambda: there)
    memory.require_for_dense((10, 10), "it")
    few = (10, 11) if there else (2**31, 2**31)
    with pytest.raises(
        vt.errors.NotEnoughMemoryError, match=r"it would hold .* cells, which takes"
    ):
        memory.require_for_dense(few, "it")
