"""Jobs become rows, rows are kept, and a run that was ended goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.harness.job import Experiment, Job, beyond
from experiments.harness.machine import fingerprint
from experiments.harness.run import run
from experiments.harness.store import Store, gathered, plain, write_document


class Counted:
    """An experiment of three turns of two settings, which counts what it measures."""

    def __init__(self) -> None:
        self.measured: list[tuple[str, int]] = []

    def one(self, name: str, seed: int) -> dict[str, Any]:
        self.measured.append((name, seed))
        if name == "bad":
            raise ValueError("it broke")
        return {"error_of_mine": np.float64(0.123456789), "seed": seed}

    def jobs(self, whole: bool) -> Iterator[Job]:
        for name in ("good", "bad"):
            for seed in range(3 if whole else 2):
                yield Job({"name": name}, seed, partial(self.one, name, seed), seed)


@pytest.fixture
def counted() -> Counted:
    return Counted()


def experiment(counted: Counted) -> Experiment:
    return Experiment("figure0", "counting", counted.jobs)


def test_turns_come_one_after_the_other_and_failures_are_rows(
    counted: Counted, tmp_path: Path
) -> None:
    rows, left = run([experiment(counted)], Store(tmp_path / "rows.jsonl"), 60.0, False)
    assert counted.measured == [("good", 0), ("bad", 0), ("good", 1), ("bad", 1)]
    assert not left
    assert [row["found"].get("error") for row in rows[:2]] == [None, "ValueError: it broke"]
    for row in rows:
        assert {"settings", "seed", "machine", "commit", "seconds", "date"} <= set(row)


def test_what_was_measured_is_not_measured_again(counted: Counted, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    first, _ = run([experiment(counted)], Store(file), 60.0, False)
    with file.open("a") as lines:
        lines.write('{"figure": "figure0", "sett')  # killed while it wrote
    again, _ = run([experiment(counted)], Store(file), 60.0, True)
    assert counted.measured[4:] == [("good", 2), ("bad", 2)]
    assert again[:4] == first
    assert len(Store(file).rows) == 6


def test_parts_are_of_what_shows_no_seconds_and_share_nothing(
    counted: Counted, tmp_path: Path
) -> None:
    timed = Experiment("figure9", "seconds", counted.jobs, timed=True)
    stores = [Store(tmp_path / f"{k}.jsonl") for k in range(2)]
    for k, store in enumerate(stores):
        run([experiment(counted), timed], store, 60.0, False, (k, 2))
    assert sorted(counted.measured) == [("bad", 0), ("bad", 1), ("good", 0), ("good", 1)]
    both = Store(stores[0].file, [stores[1].file])
    rows, _ = run([experiment(counted)], both, -1.0, False)
    assert len(rows) == 4


def test_other_code_measures_anew(
    counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.jsonl"
    run([experiment(counted)], Store(file), 60.0, False)
    monkeypatch.setattr("experiments.harness.run.fingerprint", lambda *_, **__: "other")
    run([experiment(counted)], Store(file), 60.0, False)
    assert len(counted.measured) == 8


def test_when_the_time_is_over_jobs_are_left(counted: Counted, tmp_path: Path) -> None:
    rows, left = run([experiment(counted)], Store(tmp_path / "rows.jsonl"), -1.0, False)
    assert not rows
    assert not counted.measured
    assert [name for name, _ in left] == ["figure0"] * 4


def test_fingerprints_depend_on_files_data_and_the_library(tmp_path: Path) -> None:
    here = Path(__file__)
    assert fingerprint([here]) == fingerprint([here])
    assert len({
        fingerprint([here]), fingerprint([]), fingerprint([here], library=False),
        fingerprint([here], library=False, data="some"),
    }) == 4  # fmt: skip


def test_documents_keep_figures_that_were_not_run_now(tmp_path: Path) -> None:
    old = {"rows": [{"figure": "figure1", "seed": 0}, {"figure": "figure2", "seed": 0}]}
    document = gathered(old, [{"figure": "figure2", "seed": 7}], {"commit": "abc"})
    write_document(tmp_path / "all.json", document)
    read = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert read == {
        "commit": "abc",
        "rows": [{"figure": "figure1", "seed": 0}, {"figure": "figure2", "seed": 7}],
    }


def test_rows_hold_plain_values() -> None:
    given = {"a": np.float32(1 / 3), "b": (np.int64(2), np.bool_(True)), "c": float("inf")}
    assert plain(given) == {"a": 0.333333, "b": [2, True], "c": None}


def test_what_a_full_run_has_more_is_counted(counted: Counted) -> None:
    def jobs(whole: bool) -> Iterator[Job]:
        for name in ("T", "U") if whole else ("T",):
            yield Job({"set": name}, 0, dict)

    same = Experiment("figure9", "the same", lambda _: [Job({}, 0, dict)])
    found = beyond([experiment(counted), Experiment("figure1", "sets", jobs), same])
    assert found["jobs"] == 6 + 2 + 1
    assert list(found["figures"]) == ["figure0", "figure1"]
    assert found["figures"]["figure0"]["seeds"] == [2, 3]
    assert found["figures"]["figure0"]["jobs"] == [4, 6]
    assert found["figures"]["figure1"]["sets"] == ["U"]
