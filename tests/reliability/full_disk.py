"""Disks that are full or cannot be written to, and folders that go away."""

from __future__ import annotations

import contextlib
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import outcome_in_child
from reliability.things import call, digest, leftovers, model, tensor

NAMED = {"OSError", "PermissionError", "FileNotFoundError"}
WRITERS: dict[str, Callable[[Path], Any]] = {
    "model.npz": lambda path: model().save(path),
    "report.html": lambda path: model().report(path),
    "entries.tns": lambda path: vt.write(tensor(), path),
    "entries.csv": lambda path: vt.write(tensor(), path),
    "entries.parquet": lambda path: vt.write(tensor(), path),
    "entries.npz": lambda path: vt.write(tensor(), path),
}


@contextlib.contextmanager
def small_disk(kilobytes: int) -> Iterator[Path | None]:
    """Yield the folder of a disk of this size; None where none can be mounted."""
    with tempfile.TemporaryDirectory() as folder:
        options = f"size={kilobytes}k"
        mounting = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
        if (
            shutil.which("mount") is None
            or subprocess.run(mounting, capture_output=True).returncode
        ):
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True, capture_output=True)


def limit_files(n_bytes: int) -> None:
    """Let no file of this process become larger."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


def write(share: Share) -> Tally:
    """Write over old files where there is no room for the new ones."""
    tally, mounted = Tally(), 0
    for turn in share.turns(most=600, least=3 * len(WRITERS)):
        name = list(WRITERS)[turn % len(WRITERS)]
        way = ("full", "read-only", "limit")[turn // len(WRITERS) % 3]
        with small_disk(kilobytes=4096) as disk, tempfile.TemporaryDirectory() as other:
            if disk is None and way != "limit":
                continue
            mounted += disk is not None
            folder = disk if disk is not None and way != "limit" else Path(other)
            path, size = folder / name, share.rng.randrange(0, 3000)
            ended = outcome_in_child(lambda path=path, name=name: WRITERS[name](path) and None)  # type: ignore[misc]
            assert ended.how == "returned", f"{name}: {ended.fault}"
            before = path.read_bytes()
            hinder(way, folder, size)

            def work(name: str = name, path: Path = path, way: str = way, size: int = size) -> None:
                if way == "limit":
                    limit_files(size)
                WRITERS[name](path)

            ended = outcome_in_child(work)
            fault = None
            if ended.how != "raised" or ended.result[0] not in NAMED:
                fault = f"{ended.how} {ended.result}"
            elif path.read_bytes() != before:
                fault = "the old file is not as it was"
            elif leftovers(folder):
                fault = f"a temporary file was left behind: {ended.result}"
            tally.add(fault and f"{name}, {way}: {fault[:120]}")
            if way == "read-only":
                subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
    tally.notes.append("a mounted disk" if mounted else "no disk could be mounted: limits only")
    return tally


def hinder(way: str, folder: Path, left: int) -> None:
    """Leave a disk full but for some bytes, or make it read-only."""
    if way == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    elif way == "full":
        room = shutil.disk_usage(folder).free - left // 4096 * 4096
        (folder / "filler").write_bytes(bytes(max(room, 0)))


def checkpoint(share: Share) -> Tally:
    """Fit with a checkpoint whose disk fills up, becomes read-only, or goes away on the way."""
    tally = Tally()
    wanted = outcome_in_child(lambda: digest(call("paper"))).result
    for turn in share.turns(most=300, least=4):
        way = ("full", "read-only", "deleted", "limit")[turn % 4]
        with small_disk(kilobytes=4096) as disk, tempfile.TemporaryDirectory() as other:
            if disk is None and way in ("full", "read-only"):
                continue
            outside = disk if disk is not None and way in ("full", "read-only") else Path(other)
            folder = outside / "runs"
            folder.mkdir()
            path, after = folder / "run.ckpt", share.rng.randrange(1, 300)
            ended = outcome_in_child(lambda: hindered_fit(way, outside, path, after))  # noqa: B023
            fault = ended.fault
            if fault is None and ended.result != wanted:
                fault = "other bytes"
            if fault is None and "CheckpointWarning" not in ended.warned:
                fault = "no warning"
            if fault is None and way != "deleted":
                again = outcome_in_child(lambda: digest(vt.resume(path, tensor())))  # noqa: B023
                fault = again.fault or (None if again.result == wanted else "resumed: other bytes")
            tally.add(fault and f"{way}: {fault[:120]}")
    return tally


def hindered_fit(way: str, outside: Path, path: Path, after: int) -> str:
    """Fit, and after so many iterations let nothing be written any more."""
    count = 0

    def hinders(record: vt.IterationRecord) -> None:
        nonlocal count
        count += 1
        if count != after:
            return
        if way == "deleted":
            shutil.rmtree(path.parent)
        elif way == "limit":
            limit_files(500)
        else:
            hinder(way, outside, 0)

    result = call("paper", checkpoint=path, checkpoint_every=0.002, callback=hinders)
    if way == "read-only":
        # Others look at the file later, and write again.
        subprocess.run(["mount", "-o", "remount,rw", str(outside)], check=True)
    elif way == "full":
        (outside / "filler").unlink()
    return digest(result)


CASES = [
    Case(
        "models, reports and tensors written over old files on full and read-only disks",
        "an OSError; the old file is as it was, and nothing is left behind",
        write,
    ),
    Case(
        "the disk of a checkpoint fills up, becomes read-only or loses its folder during a fit",
        "a warning; the fit ends with the same bytes; what was written before can be resumed",
        checkpoint,
    ),
]
