"""A process is killed while it writes a file: there is the old one or the new one."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import Child, outcome_in_child
from reliability.things import leftovers, model, tensor

WRITERS: dict[str, Callable[[Path, int], object]] = {
    "model.npz": lambda path, turn: model(turn).save(path),
    "report.html": lambda path, turn: model(turn).report(path),
    "entries.tns": lambda path, turn: vt.write(tensors(turn), path),
    "entries.csv": lambda path, turn: vt.write(tensors(turn), path),
    "entries.npz": lambda path, turn: vt.write(tensors(turn), path),
}


def tensors(turn: int) -> vt.SparseTensor:
    """Return one of two tensors."""
    X = tensor()
    return X if turn == 0 else vt.SparseTensor(X.coords, X.values + 1.0, shape=X.shape)


def write_for_ever(name: str, path: Path) -> None:
    """Write one thing and the other in turns."""
    turn = 1
    while True:
        WRITERS[name](path, turn)
        turn = 1 - turn


def kill(share: Share) -> Tally:
    """Kill writers, and look at what is there."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        model(0), model(1)  # fitted once: how long that took is in the files
        for name in WRITERS:  # the modules that write are loaded before
            WRITERS[name](Path(folder) / name, 0)
        for turn in share.turns(most=1000, least=len(WRITERS)):
            name = list(WRITERS)[turn % len(WRITERS)]
            path = Path(folder) / name
            whole = {content_of(name, which) for which in (0, 1)}
            child = Child(lambda name=name, path=path: write_for_ever(name, path))  # type: ignore[misc]
            child.is_over(share.rng.uniform(0.0, 0.1))
            child.send(signal.SIGKILL)
            ended = child.wait()
            is_whole = path.read_bytes() in whole
            fault = None if is_whole else f"{name} is neither the old nor the new one"
            tally.add(fault if ended.how == "killed by SIGKILL" else ended.fault)
        left = leftovers(Path(folder))
    if left:
        tally.notes.append(f"{left} temporary files were left behind")
    return tally


def content_of(name: str, which: int, kept: dict[tuple[str, int], bytes] = {}) -> bytes:  # noqa: B006
    """Return the bytes of a whole file."""
    if (name, which) not in kept:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            ended = outcome_in_child(lambda: WRITERS[name](path, which) and None)
            assert ended.how == "returned", ended.fault
            kept[name, which] = path.read_bytes()
    return kept[name, which]


CASES = [
    Case(
        "kill -9 while models, reports and tensors are written over old files",
        "the old file or the new one is there, and whole",
        kill,
    )
]
