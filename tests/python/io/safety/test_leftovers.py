"""What a killed writer left is removed by the next one; what a living one writes is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vest_tucker.io.atomic import atomic_write
from vest_tucker.io.safety import leftovers
from vest_tucker.io.safety.leftovers import NAME, remove_leftovers, temporary_beside

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are told by POSIX's means")

WRITER = """
import sys
from vest_tucker.io.atomic import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half of the n")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


@contextmanager
def writing(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that is in the midst of writing a file."""
    command = [sys.executable, "-c", WRITER, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def write(path: Path, content: bytes = b"new") -> None:
    with atomic_write(path) as file:
        file.write(content)


def left_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir() if NAME.fullmatch(each.name))


def test_what_kill_9_leaves_is_removed_by_the_next_save(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    write(path, b"old")
    with writing(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(left_in(tmp_path)) == 1
    assert path.read_bytes() == b"old"
    write(tmp_path / "other.npz")
    assert len(left_in(tmp_path)) == 1, "it was not for this file"
    write(path)
    assert left_in(tmp_path) == []
    assert path.read_bytes() == b"new"


def test_a_file_that_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with writing(path) as process:
        write(path)
        assert len(left_in(tmp_path)) == 1
        process.communicate()  # the end of its input lets it finish
        assert process.returncode == 0
    assert left_in(tmp_path) == []
    assert path.read_bytes() == b"half of the n"


def test_a_file_of_this_very_process_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with atomic_write(path) as file:
        file.write(b"outer")
        write(path, b"inner")
    assert path.read_bytes() == b"outer"


def test_a_number_that_another_process_has_now_does_not_keep_a_file(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    own = temporary_beside(path)
    if own.name.split("-")[4] == leftovers.UNKNOWN:
        pytest.skip("this system does not tell when a process began")
    parts = own.name.split("-")
    earlier = own.with_name("-".join([*parts[:4], "12345678", parts[5]]))
    unknown = own.with_name("-".join([*parts[:4], leftovers.UNKNOWN, parts[5]]))
    for each in (own, earlier, unknown):
        each.write_bytes(b"")
    remove_leftovers(path)
    assert left_in(tmp_path) == sorted([own.name, unknown.name])


def test_files_of_other_machines_and_of_other_programs_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(leftovers, "_machine", lambda: "0123456789ab")
        elsewhere.setattr(os, "getpid", lambda: 2**22 + 1)  # beyond what any process here has
        theirs = temporary_beside(path)
    foreign = [theirs, tmp_path / ".vest-0123456789abcdef.tmp", tmp_path / "model.npz.tmp"]
    for each in foreign:
        each.write_bytes(b"")
    write(path)
    assert sorted(tmp_path.iterdir()) == sorted([*foreign, path])
    with monkeypatch.context() as there:
        there.setattr(leftovers, "_machine", lambda: "0123456789ab")
        write(path)
    assert not theirs.exists()


def test_a_folder_that_cannot_be_listed_is_no_reason_not_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("not to be listed")

    monkeypatch.setattr(os, "scandir", refuse)
    write(tmp_path / "model.npz")
    assert (tmp_path / "model.npz").read_bytes() == b"new"
