"""SMURFF's samples themselves, which the comparison does not give: patterns and intervals.

Chains often get stuck: a component stays dead, or a few rows of all samples are far too large. So
there are several for each kind of noise and, where one mode alone has the prior, for each of the
two shortest, which the comparison tries, too. The chain that fits its entries best is kept.
An element counts as found if more than half of its samples have it. Intervals come from the spread
of the samples' predictions and the noise that the average leaves on the entries fitted. Runs in a
process of its own, with values made small for the reason that `peers.published.smurff` gives:
``python -m experiments.measures.spike_and_slab task.npz result.npz``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vest_tucker as vt

BURN_IN, SAMPLES, LIMIT = 100, 60, 300
CHAINS = 3  # for each set-up
SCALE = 0.1  # the deviation that values get
# Learned from a ratio of signal to noise on, up to another; or a precision, in values' variances.
NOISES: tuple[list[float] | float, ...] = ([1.0, 1000.0], 2.0)


@dataclass(frozen=True)
class Samples:
    """What a run has found."""

    factors: list[NDArray[Any]]  # averages, zero where most samples are
    mean: NDArray[Any]
    std: NDArray[Any]
    zeros: float
    modes: list[int]  # that have the prior
    chains: NDArray[Any]  # what each chain predicts, a row for each


def fitted(
    X: vt.SparseTensor, rank: int, cells: NDArray[Any], seed: int, priors: Sequence[Sequence[int]]
) -> Samples:
    """Sample in a process of its own, with the prior in some of these sets of modes."""
    with tempfile.TemporaryDirectory(prefix="experiments-") as folder:
        task, out = Path(folder, "task.npz"), Path(folder, "result.npz")
        np.savez(
            task, coords=X.coords, values=X.values, shape=X.shape, rank=rank, cells=cells,
            seed=seed, priors=json.dumps([list(each) for each in priors]),
        )  # fmt: skip
        paths = [str(Path(part).resolve()) for part in sys.path if part]
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(task), str(out)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            cwd=folder, capture_output=True, text=True, timeout=LIMIT,
        )  # fmt: skip
        if not out.is_file():
            raise RuntimeError(
                (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
            )
        with np.load(out) as said:
            factors = [said[f"factor_{mode}"] for mode in range(X.order)]
            zeros, modes = float(said["zeros"]), said["modes"].tolist()
            return Samples(factors, said["mean"], said["std"], zeros, modes, said["chains"])


def main(task: str, out: str) -> None:
    """Sample, and write averages."""
    import smurff

    with np.load(task) as given:
        coords, values = given["coords"].astype(np.int64), given["values"]
        shape, rank = tuple(map(int, given["shape"])), int(given["rank"])
        cells, seed = given["cells"], int(given["seed"])
        spiked = [set(each) for each in json.loads(str(given["priors"]))]
    unit = float(values.std()) / SCALE
    small = values / unit
    entries = smurff.SparseTensor((small, [np.ascontiguousarray(c) for c in coords.T]), shape)
    kept, best, modes = None, np.inf, set[int]()
    every = []
    for number, (noise, prior, chain) in enumerate(product(NOISES, spiked, range(CHAINS))):
        where = str(Path(out).with_name(f"chain{number}.hdf5"))
        session = smurff.TrainSession(
            priors=["spikeandslab" if mode in prior else "normal" for mode in range(len(shape))],
            num_latent=rank, burnin=BURN_IN, nsamples=SAMPLES, num_threads=1,
            seed=CHAINS * seed + chain, verbose=0, save_name=where, save_freq=1,
        )  # fmt: skip
        learned = isinstance(noise, list)
        session.setTrain(
            entries,
            smurff.AdaptiveNoise(*noise) if learned else smurff.FixedNoise(noise / SCALE**2),
            True,
        )
        session.init()
        while session.step() is not None:
            pass
        drawn_now = smurff.PredictSession(where).samples
        now = [[np.asarray(factor) for factor in one.latents] for one in drawn_now]
        Path(where).unlink()
        every.append(np.mean([predicted(factors, cells) for factors in now], axis=0))
        left = small - np.mean([predicted(factors, coords) for factors in now], axis=0)
        if kept is None or float(left @ left) < best:
            kept, best, modes = now, float(left @ left), prior
    samples = kept or []
    drawn = np.stack([predicted(factors, cells) for factors in samples])
    often = [np.mean([one[mode] != 0.0 for one in samples], axis=0) for mode in range(len(shape))]
    factors = {
        f"factor_{mode}": np.where(share > 0.5, np.mean([one[mode] for one in samples], 0), 0.0)
        for mode, share in enumerate(often)
    }
    zeros = np.mean(np.concatenate([(share <= 0.5).ravel() for share in often]))
    mean = unit * drawn.mean(axis=0)
    std = unit * np.sqrt(drawn.var(axis=0) + best / len(values))
    np.savez(
        out, mean=mean, std=std, zeros=zeros, modes=sorted(modes), chains=unit * np.array(every),
        **factors,  # type: ignore[arg-type]
    )  # fmt: skip


def predicted(factors: list[NDArray[Any]], cells: NDArray[Any]) -> NDArray[Any]:
    """Return a CP model's predictions."""
    product = np.ones((len(cells), factors[0].shape[1]))
    for mode, factor in enumerate(factors):
        product *= factor[cells[:, mode]]
    return np.asarray(product.sum(axis=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
