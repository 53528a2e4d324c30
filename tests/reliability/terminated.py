"""SIGTERM, with which schedulers end a job: a checkpoint is written, and the process ends."""

from __future__ import annotations

import signal
import tempfile
import time
from pathlib import Path

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import Child, outcome_in_child
from reliability.ctrl_c import answers
from reliability.killed import NAMES, reference
from reliability.things import call, digest, tensor


def terminate(share: Share) -> Tally:
    """End runs that would write nothing for an hour, and go on from what they have written."""
    tally = Tally()
    waited: list[float] = []
    whole = {name: reference(name) for name in NAMES}
    with tempfile.TemporaryDirectory() as folder:
        for turn in share.turns(most=1000, least=len(NAMES)):
            name = NAMES[turn % len(NAMES)]
            wanted, seconds = whole[name]
            path = Path(folder) / f"{turn}.ckpt"
            child = Child(
                lambda name=name, path=path: digest(  # type: ignore[misc]
                    call(name, checkpoint=path, checkpoint_every=3600.0)
                )
            )
            while not path.exists() and not child.is_over(0.001):
                pass  # the first checkpoint says that the handler is there, or soon will be
            child.is_over(share.rng.uniform(0.005, seconds))
            sent = time.monotonic()
            child.send(signal.SIGTERM)
            ended = child.wait()
            if ended.how == "returned":
                continue  # it was over before
            if ended.how != "killed by SIGTERM":
                tally.add(f"{name}: {ended.fault}")
                continue
            waited.append(ended.at - sent)
            again = outcome_in_child(lambda path=path: digest(vt.resume(path, tensor())))  # type: ignore[misc]
            fault = again.fault or (None if again.result == wanted else "other bytes")
            tally.add(fault and f"{name}: {fault}")
    tally.notes.append(answers(waited))
    return tally


CASES = [
    Case(
        "SIGTERM at random moments of fits, searches, paths and stability with a checkpoint",
        "a checkpoint is written and the process ends by it; resume ends with the same bytes",
        terminate,
    )
]
