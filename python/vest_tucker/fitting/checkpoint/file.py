"""The file of a checkpoint: written while a call runs, read when it is made again."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from vest_tucker._core import __version__
from vest_tucker.base.errors import (
    CheckpointError,
    CheckpointWarning,
    DamagedFileError,
    MissingFileError,
)
from vest_tucker.base.interrupts import deferred_interrupt
from vest_tucker.base.options import check_choice, check_path, check_real, check_seed
from vest_tucker.base.telling.warn import warn
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.fitting.checkpoint.packing import from_bytes
from vest_tucker.fitting.checkpoint.record import Entry, Record, recorded_in
from vest_tucker.fitting.checkpoint.settings import data_of, require_same, settings_of

KIND = "checkpoint"
# Of what is recorded where: raised whenever another version could not go on from it.
FORM = 2
SEED = "seed"  # its place
ERRORS = ("warn", "raise")
MOST = 1000  # of an iterator: modes and ranks are a few


@dataclass
class CheckpointFile:
    """Where a call is recorded.

    Attributes
    ----------
    path : Path
    every : float
        Seconds between two writes; 0 writes whenever it is possible.
    errors : {"warn", "raise"}
        What happens when it cannot be written.
    about : dict
        The call, its settings and its tensor.
    """

    path: Path
    every: float
    errors: str
    about: dict[str, Any]
    _written: float = field(default_factory=time.monotonic)
    _ending: bool = False
    _running: str | None = None

    def reached(self, record: Record) -> None:
        """Write if it is time to; end the process if that was asked for meanwhile."""
        if self._ending or time.monotonic() - self._written >= self.every:
            self.write(record)
        if self._ending:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)

    def write(self, record: Record) -> None:
        """Write all that is recorded, whole or not at all."""
        from vest_tucker.io.archive import write_archive  # loaded only by those who save

        entries = record.complete()
        places = [[place, len(entry.packed)] for place, entry in entries.items()]
        content = b"".join(entry.packed for entry in entries.values())
        arrays = {"entries": np.frombuffer(content, dtype=np.uint8)}
        meta = {**self.about, "form": FORM, "version": __version__, "places": places}
        with deferred_interrupt() as interrupts:  # half written, an archive cannot be closed
            try:
                write_archive(self.path, KIND, arrays, meta)
            except OSError as error:
                if self.errors == "raise":
                    raise
                warn(
                    f"the checkpoint {os.fspath(self.path)!r} could not be written ({error}); the "
                    f"call goes on, and what was written before stays",
                    CheckpointWarning,
                )
        self._written, self._running = time.monotonic(), record.running
        if interrupts:
            raise interrupts[0]

    def leave(self, record: Record) -> None:
        """Write the stages that are complete when a call is left before its end.

        The loop that was left is in the middle of a round. If the file has it as it stood before,
        that is worth more.
        """
        if self._running is None or self._running in record.entries:
            with suppress(OSError):
                self.write(record)

    @contextmanager
    def ended_by_sigterm(self) -> Iterator[None]:
        """Have SIGTERM write a checkpoint before it ends the process, unless others handle it."""
        main = threading.current_thread() is threading.main_thread()
        if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            yield
            return

        def end(number: int, frame: object) -> None:
            self._ending = True  # a complete state is needed, and soon there

        signal.signal(signal.SIGTERM, end)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if self._ending:
                signal.raise_signal(signal.SIGTERM)


def read_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, Entry]]:
    """Return what call a checkpoint belongs to, and what is recorded of it."""
    from vest_tucker.io.archive import read_archive

    arrays, meta = read_archive(path, KIND)
    if meta.get("form") != FORM:
        raise CheckpointError(
            f"{os.fspath(path)} was written by vest-tucker {meta.get('version')}, from whose "
            f"checkpoints this version ({__version__}) cannot go on; finish with that one"
        )
    try:
        entries: dict[str, Entry] = {}
        content, at = arrays["entries"].tobytes(), 0
        for place, size in meta.pop("places"):
            entries[place] = Entry(content[at : at + size])
            from_bytes(entries[place].packed)  # whole, or not to be gone on from
            at += size
        about = {name: meta[name] for name in ("call", "settings", "data")}
        if SEED not in entries:
            raise ValueError("no seed")
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError.because(error, path) from error
    return about, entries


@contextmanager
def recording(call: str, X: SparseTensor, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Record a call in the file that its arguments name, and go on from what is there.

    Yields the arguments, with the seed that is used if a file is named.
    """
    arguments = dict(arguments)
    if arguments["checkpoint"] is None:
        yield arguments
        return
    require_tensor(X, call)
    arguments = {name: _listed(each) for name, each in arguments.items()}
    every = check_real("checkpoint_every", arguments["checkpoint_every"])
    check_choice("checkpoint_errors", arguments["checkpoint_errors"], ERRORS)
    path = check_path("checkpoint", arguments["checkpoint"])
    check_place(path)
    check_seed(arguments["seed"])
    about = {"call": call, "settings": settings_of(arguments), "data": data_of(X)}
    if path.exists():
        was, entries = read_checkpoint(path)
        require_same(path, was, about)
        about = was
    else:
        entries = {SEED: Entry.of(drawn(arguments["seed"]), [])}
    if not isinstance(arguments["seed"], np.random.Generator):  # one given stands where it stood
        arguments["seed"] = entries[SEED].restored([], None)
    file = CheckpointFile(path, every, arguments["checkpoint_errors"], about)
    record = Record(file.reached, entries)
    if len(entries) == 1:
        file.write(record)  # whoever cannot write learns it before hours have passed
    with file.ended_by_sigterm(), recorded_in(record):
        try:
            yield arguments
        except BaseException:
            record.left = True
            file.leave(record)
            raise
        if record.left:
            file.leave(record)
        else:
            file.write(record)  # the end, too: whoever wants the result again has it at once


def check_place(path: Path) -> None:
    """Raise if a checkpoint can never be written there, before hours have passed without one.

    A folder may still be lost on the way; that is for ``checkpoint_errors`` to answer.
    """
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise MissingFileError(
            f"there is no folder {os.fspath(path.parent)!r}; make it, or name another file for the "
            f"checkpoint than {os.fspath(path)!r}"
        )
    for place in (folder, path):
        if place.exists() and not os.access(place, os.W_OK):
            raise PermissionError(
                f"{os.fspath(place)!r} may not be written to; name another file for the checkpoint "
                f"than {os.fspath(path)!r}, or ask its owner"
            )


def drawn(seed: Any) -> Any:
    """Return the seed given, or one that is drawn, so that the file can tell it."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    return seed


def _listed(value: Any) -> Any:
    """Return an iterator, which can be read only once, as a list: it is read to be recognized."""
    return list(islice(value, MOST)) if isinstance(value, Iterator) else value
