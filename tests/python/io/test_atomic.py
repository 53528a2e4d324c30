"""Files appear whole or not at all, with the permissions that a plain open() would give."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from vest_tucker.io.atomic import atomic_write

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links are POSIX's")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_half(path: Path | str, error: type[BaseException]) -> None:
    with atomic_write(path) as file:
        file.write(b"half of the n")
        raise error


def test_the_content_appears_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with atomic_write(path) as file:
        file.write(b"all of it")
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")
    with pytest.raises(error):
        write_half(path, error)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_first_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        write_half(str(tmp_path / "new"), RuntimeError)
    assert list(tmp_path.iterdir()) == []


def test_a_failing_rename_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise PermissionError("in use")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError), atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    with atomic_write(path) as file:
        file.write(b"content")
    assert path.read_bytes() == b"content"


@posix
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_a_plain_open(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        (tmp_path / "plain").write_bytes(b"")
        with atomic_write(tmp_path / "new"):
            pass
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == mode(tmp_path / "plain")


@posix
def test_an_old_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_bytes(b"")
    path.chmod(0o751)
    with atomic_write(path) as file:
        file.write(b"new")
    assert mode(path) == 0o751


@posix
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("real")
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_missing_folder_and_a_folder_are_named_as_the_caller_wrote_them(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "file"
    with pytest.raises(FileNotFoundError, match=r"nowhere.*file"), atomic_write(missing):
        pass
    with pytest.raises(IsADirectoryError), atomic_write(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_device_is_not_replaced() -> None:
    with pytest.raises(OSError, match="'/dev/null' is a device"), atomic_write("/dev/null"):
        pass
    assert not Path("/dev/null").is_file()


@posix
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"), atomic_write(tmp_path / "pipe"):
        pass


def test_a_write_protected_file_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "protected"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    with pytest.raises(PermissionError, match="protected"), atomic_write(path):
        pass
    assert path.read_bytes() == b"old"


@posix
def test_the_folder_is_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    fsync = os.fsync

    def seen(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").resolve())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", seen)
    with atomic_write(tmp_path / "new") as file:
        file.write(b"new")
    assert len(synced) == 2
    if Path("/proc/self/fd").is_dir():
        assert synced[1] == tmp_path.resolve()


@posix
@pytest.mark.parametrize(("code", "is_told"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_folder_that_cannot_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, is_told: bool
) -> None:
    opened = os.open

    def refuse(path: str | Path, *rest: int) -> int:
        if Path(path) == tmp_path.resolve():
            raise OSError(code, "no")
        return opened(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    with contextlib.suppress(OSError) if is_told else contextlib.nullcontext():
        with atomic_write(tmp_path / "new") as file:
            file.write(b"new")
        assert not is_told
    assert (tmp_path / "new").read_bytes() == b"new"
