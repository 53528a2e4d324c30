"""Other systems beside ours, all called in the same way, each in a process of its own.

    from peers import SYSTEMS, Task, run
    result = run("myfm", Task.of(coords, values, shape, ranks, test_coords), limit_seconds=60)

with the folder `bench` on the path. README.md beside this file lists the systems.
"""

from __future__ import annotations

from peers.peer import Fitted, Peer, Result, Task
from peers.running import run
from peers.systems import SYSTEMS

__all__ = ["SYSTEMS", "Fitted", "Peer", "Result", "Task", "run"]
