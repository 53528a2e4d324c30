"""The file of a checkpoint: a call that ends anywhere goes on from it to the same bits."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from killing import Killed, kill_at
from vest_tucker.base.errors import CheckpointError, CheckpointWarning, MissingFileError
from vest_tucker.fitting.checkpoint import file

EVERY: dict[str, Any] = {"checkpoint_every": 0}
FITS: dict[str, dict[str, Any]] = {
    "the paper's": {"ranks": 3, "preset": "paper", "lam": 0.01, "max_iter": 20},
    "several starts": {"ranks": 2, "loss": "lf", "n_starts": 3, "lam": 0.1, "max_iter": 12},
    "burn-ins": {"ranks": 2, "loss": "lf", "init": "data", "sparsity": 0.5, "max_iter": 8},
    "a search": {"ranks": 2, "loss": "lf", "lam": "auto", "offset": "mean", "max_iter": 5},
    "plain": {},
    "plain, to a sparsity": {"sparsity": 0.6, "holdout": 0.2, "offset": "mean"},
    "plain, nothing held out": {"holdout": 0, "ranks": 3},
}


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic((12, 10, 8), 2, nnz=500, noise=0.3, seed=1)[0]


def bits(model: vt.TuckerModel) -> list[Any]:
    arrays = [model.core, *model.factors, model.core_variance, *(model.factor_variances or ())]
    numbers = [each.error for each in model.history]
    return [
        [None if each is None else each.tobytes() for each in arrays], numbers, model.stopped,
        model.error, repr(model.validation_error), model.chosen, model.shares,
    ]  # fmt: skip


# The plain call has the most rounds; `make test-all` kills it often.
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each == "plain")) for each in FITS]
)
def test_a_fit_that_ends_anywhere_goes_on_to_the_same_bits(
    name: str, tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, options = tmp_path / "run.ckpt", FITS[name] | {"seed": 3}
    whole = vt.fit(tensor, **options)
    rounds = kill_at(monkeypatch, 10**9)
    assert bits(vt.fit(tensor, **options, checkpoint=path, checkpoint_every=1e9)) == bits(whole)
    n_rounds = rounds()
    assert n_rounds > 10
    for at in np.random.default_rng(0).integers(1, n_rounds, size=3).tolist():
        path.unlink()
        kill_at(monkeypatch, at)
        with pytest.raises(Killed):
            vt.fit(tensor, **options, checkpoint=path, checkpoint_every=1e9)
        kill_at(monkeypatch, (n_rounds - at) // 2 + 1)
        with pytest.raises(Killed):  # and once more on the way
            vt.fit(tensor, **options, checkpoint=path, checkpoint_every=1e9)
        rounds = kill_at(monkeypatch, 10**9)
        assert bits(vt.fit(tensor, **options, checkpoint=path, checkpoint_every=1e9)) == bits(whole)
        assert rounds() <= n_rounds - at  # what was complete was not done again


def test_a_complete_fit_is_not_made_again(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.ckpt"
    model = vt.fit(tensor, 2, checkpoint=path)  # the seed is drawn, and in the file
    rounds = kill_at(monkeypatch, 10**9)
    assert bits(vt.fit(tensor, 2, checkpoint=path)) == bits(model)
    assert rounds() == 0


def test_a_generator_as_a_seed_is_in_the_file(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = FITS["several starts"] | {"checkpoint": tmp_path / "run.ckpt"}
    whole = vt.fit(tensor, **FITS["several starts"], seed=np.random.Generator(np.random.MT19937(5)))
    kill_at(monkeypatch, 20)
    with pytest.raises(Killed):
        vt.fit(tensor, **options, seed=np.random.Generator(np.random.MT19937(5)))
    kill_at(monkeypatch, 10**9)
    assert bits(vt.fit(tensor, **options)) == bits(whole)


def test_fits_of_a_callback_are_their_own(tensor: vt.SparseTensor, tmp_path: Path) -> None:
    def fitted(seed: int) -> vt.TuckerModel:
        return vt.fit(tensor, 2, penalty="lf", lam=0.1, max_iter=2, seed=seed)

    found: list[vt.TuckerModel] = []
    options = FITS["the paper's"] | {"seed": 0}
    model = vt.fit(
        tensor, **options, checkpoint=tmp_path / "run.ckpt", **EVERY,
        callback=lambda record: found.append(fitted(record.iteration)),
    )  # fmt: skip
    assert bits(model) == bits(vt.fit(tensor, **options))
    assert [bits(each) for each in found[:3]] == [bits(fitted(seed)) for seed in (1, 2, 3)]


def test_a_fit_that_a_callback_ends_goes_on(tensor: vt.SparseTensor, tmp_path: Path) -> None:
    for name in ("the paper's", "plain, nothing held out"):
        options = FITS[name] | {"seed": 0}
        own = options | {"checkpoint": tmp_path / f"{name}.ckpt"}
        stopped = vt.fit(tensor, **own, **EVERY, callback=lambda record: record.iteration == 4)
        assert stopped.stopped == "callback"
        assert bits(vt.fit(tensor, **own)) == bits(vt.fit(tensor, **options))


def test_ctrl_c_while_a_checkpoint_is_written_is_answered_after_it(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vest_tucker.io import archive

    count, write = [0], archive.write_archive

    def interrupted(*arguments: Any) -> None:
        count[0] += 1
        if count[0] == 5:
            signal.raise_signal(signal.SIGINT)
        write(*arguments)

    options = FITS["the paper's"] | {"seed": 0}
    monkeypatch.setattr(archive, "write_archive", interrupted)
    with pytest.warns(vt.errors.InterruptedWarning, match="after 4 complete iterations"):
        vt.fit(tensor, **options, checkpoint=tmp_path / "run.ckpt", **EVERY)
    monkeypatch.undo()
    resumed = vt.fit(tensor, **options, checkpoint=tmp_path / "run.ckpt")
    assert bits(resumed) == bits(vt.fit(tensor, **options))


def test_a_generator_goes_on_for_whoever_gave_it(tensor: vt.SparseTensor, tmp_path: Path) -> None:
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    for number in range(2):
        options = FITS["the paper's"] | {"checkpoint": tmp_path / f"{number}.ckpt"}
        model = vt.fit(tensor, **options, seed=one)
        assert bits(model) == bits(vt.fit(tensor, **FITS["the paper's"], seed=other))


def test_another_call_is_refused(tensor: vt.SparseTensor, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    vt.fit(tensor, **FITS["the paper's"], seed=0, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"other settings: lam=0\.01 there, 0\.1 here"):
        vt.fit(tensor, **FITS["the paper's"] | {"lam": 0.1}, seed=0, checkpoint=path)
    with pytest.raises(CheckpointError, match="another tensor"):
        vt.fit(tensor.subset(np.arange(tensor.nnz) > 0), **FITS["plain"], checkpoint=path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_a_checkpoint_is_not_overwritten(
    tensor: vt.SparseTensor, tmp_path: Path
) -> None:
    for content in (b"PK\x03\x04 and so on", b"thesis"):
        (tmp_path / "run.ckpt").write_bytes(content)
        with pytest.raises(vt.errors.FileFormatError):
            vt.fit(tensor, checkpoint=tmp_path / "run.ckpt")
        assert (tmp_path / "run.ckpt").read_bytes() == content


def test_one_of_another_form_names_who_can_go_on(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.ckpt"
    vt.fit(tensor, **FITS["the paper's"], seed=0, checkpoint=path)
    monkeypatch.setattr(file, "FORM", 0)
    with pytest.raises(CheckpointError, match=r"cannot go on; finish with that one"):
        vt.fit(tensor, **FITS["the paper's"], seed=0, checkpoint=path)


def failing(monkeypatch: pytest.MonkeyPatch, after: int) -> list[int]:
    """Let the disk be full after so many writes."""
    from vest_tucker.io import archive

    wrote, write = [0], archive.write_archive

    def full(*arguments: Any) -> None:
        wrote[0] += 1
        if wrote[0] > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "run.ckpt")
        write(*arguments)

    monkeypatch.setattr(archive, "write_archive", full)
    return wrote


def test_a_full_disk_does_not_end_a_fit(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, options = tmp_path / "run.ckpt", FITS["the paper's"] | {"seed": 0}
    whole = vt.fit(tensor, **options)
    failing(monkeypatch, after=5)
    with pytest.warns(CheckpointWarning, match="No space left on device.*what was written before"):
        assert bits(vt.fit(tensor, **options, checkpoint=path, **EVERY)) == bits(whole)
    monkeypatch.undo()
    rounds = kill_at(monkeypatch, 10**9)
    assert bits(vt.fit(tensor, **options, checkpoint=path)) == bits(whole)
    assert 0 < rounds() < whole.n_iter


def test_a_full_disk_ends_a_fit_if_that_is_asked_for(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote = failing(monkeypatch, after=5)
    with pytest.raises(OSError, match="No space left on device"):
        vt.fit(tensor, checkpoint=tmp_path / "run.ckpt", checkpoint_errors="raise", **EVERY)
    assert wrote == [6]


def test_a_folder_that_is_not_there_is_told_at_once(
    tensor: vt.SparseTensor, tmp_path: Path
) -> None:
    path = tmp_path / "gone" / "run.ckpt"
    told = "there is no folder .*gone'; make it, or name another file for the checkpoint than .*run"
    for errors in ("raise", "warn"):
        with pytest.raises(MissingFileError, match=told):
            vt.fit(tensor, checkpoint=path, checkpoint_errors=errors)


def test_a_folder_that_is_not_for_writing_is_told_at_once(
    tensor: vt.SparseTensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="may not be written to; name another file"):
        vt.fit(tensor, checkpoint=tmp_path / "run.ckpt")


def test_a_folder_that_is_lost_on_the_way_is_told_in_a_warning(
    tensor: vt.SparseTensor, tmp_path: Path
) -> None:
    path = tmp_path / "runs" / "run.ckpt"
    path.parent.mkdir()

    def lose(record: vt.IterationRecord) -> None:
        if path.parent.exists():
            shutil.rmtree(path.parent)

    options = FITS["the paper's"] | {"seed": 0, "checkpoint": path, **EVERY}
    with pytest.warns(CheckpointWarning, match="No such file"):
        vt.fit(tensor, **options, callback=lose)


@pytest.mark.parametrize(
    "wrong",
    [{"checkpoint_every": -1}, {"checkpoint_every": "often"}, {"checkpoint_errors": "ignore"}],
)
def test_wrong_options_are_refused(
    tensor: vt.SparseTensor, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        vt.fit(tensor, checkpoint=tmp_path / "run.ckpt", **wrong)
    assert not list(tmp_path.iterdir())


def test_an_interrupted_fit_leaves_its_last_complete_state(
    tensor: vt.SparseTensor, tmp_path: Path
) -> None:
    path, options = tmp_path / "run.ckpt", FITS["plain, nothing held out"] | {"seed": 0}
    whole, count = vt.fit(tensor, **options), [0]

    def interrupt(record: vt.IterationRecord) -> None:
        count[0] += 1
        if count[0] == 50:
            raise KeyboardInterrupt

    with pytest.warns(Warning, match="interrupted"):
        assert vt.fit(tensor, **options, checkpoint=path, **EVERY, callback=interrupt).stopped
    assert bits(vt.fit(tensor, **options, checkpoint=path)) == bits(whole)


SCRIPT = """
import os, signal, sys
import vest_tucker as vt
tensor, _ = vt.datasets.synthetic((12, 10, 8), 2, nnz=500, noise=0.3, seed=1)
count = 0
def tell(record):
    global count
    count += 1
    if count == 30:
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
every = float(sys.argv[3])
vt.fit(tensor, 3, holdout=0, seed=0, checkpoint=sys.argv[1], checkpoint_every=every, callback=tell)
"""


@pytest.mark.parametrize(("name", "every"), [("SIGTERM", 1e9), ("SIGKILL", 0.0)])
def test_signals_that_end_the_process_leave_a_checkpoint(
    tensor: vt.SparseTensor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    every: float,
) -> None:
    path = tmp_path / "run.ckpt"
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), name, str(every)], check=False, timeout=120
    )
    assert ended.returncode == -getattr(signal, name)
    options = FITS["plain, nothing held out"] | {"seed": 0}
    full = kill_at(monkeypatch, 10**9)
    whole = vt.fit(tensor, **options, checkpoint=tmp_path / "other.ckpt")
    n_rounds = full()
    rounds = kill_at(monkeypatch, 10**9)
    assert bits(vt.fit(tensor, **options, checkpoint=path)) == bits(whole)
    assert n_rounds - 32 <= rounds() <= n_rounds - 29
