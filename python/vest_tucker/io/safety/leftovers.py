"""Temporary files, named so that what a writer that was killed has left can be told and removed.

The name says for which target a file was meant, and who wrote it: the machine, the process, and
when the process began, for numbers of processes are used again. Only a file of the same target and
of this machine whose process is gone is removed. On a folder that machines share, each removes what
is its own; a file of a writer that cannot be told stays.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

NAME = re.compile(
    r"\.vest-([0-9a-f]{12})-([0-9a-f]{12})-([0-9]{1,19})-([0-9a-f]{8})-[0-9a-f]+\.tmp"
)
UNKNOWN = "0" * 8  # the beginning of a process where the system does not tell it


def temporary_beside(target: Path) -> Path:
    """Return a new name beside a target, for a file that this process writes.

    It is not made of the target's name, which may already have the greatest length.
    """
    pid = os.getpid()
    parts = (_digest(target.name, 12), _machine(), str(pid), _beginning(pid), secrets.token_hex(4))
    return target.with_name(f".vest-{'-'.join(parts)}.tmp")


def remove_leftovers(target: Path) -> None:
    """Remove the temporary files for a target whose writers, processes of this machine, are gone.

    That it cannot be done is no reason not to write: what cannot be listed or removed stays.
    """
    wanted = _digest(target.name, 12)
    with suppress(OSError), os.scandir(target.parent) as folder:
        for file in folder:
            found = NAME.fullmatch(file.name)
            if found is None or (found[1], found[2]) != (wanted, _machine()):
                continue
            if _is_gone(int(found[3]), found[4]):
                with suppress(OSError):
                    Path(file.path).unlink()


def _is_gone(pid: int, began: str) -> bool:
    """Whether the process that had a number, and began at some time, has ended for certain."""
    if os.name != "posix":  # elsewhere signal 0 is not a question
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # it lives, but belongs to somebody else
        pass
    now = _beginning(pid)
    return UNKNOWN not in (began, now) and now != began


def _beginning(pid: int) -> str:
    """Return what tells a process from earlier ones of the same number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return UNKNOWN
    # The second field is a name in parentheses, which may hold spaces; the 22nd is the time since
    # the machine was started.
    fields = stat.rpartition(b")")[2].split()
    return _digest(f"{_text_of('/proc/sys/kernel/random/boot_id')} {fields[19].decode()}", 8)


@cache
def _machine() -> str:
    """Return what tells this machine, and its numbering of processes, from others."""
    with suppress(OSError):
        numbering = Path("/proc/self/ns/pid").readlink()  # containers have their own
        return _digest(f"{platform.node()} {_text_of('/etc/machine-id')} {numbering}", 12)
    return _digest(platform.node(), 12)


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:length]
