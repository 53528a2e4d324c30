"""SMURFF: a CP model of the observed entries, its vectors drawn by Gibbs sampling.

Its spike-and-slab prior gives a component up for good once a sweep leaves none of its elements, and
adds a precision of ten to every element that it draws (both are in its sources). So with values of
a usual size the first sweeps, which know nothing yet, end every component, and the mean is all that
is left. Three settings keep it alive: values so small that ten is nothing beside their precision
("scale"), the prior in one mode alone ("sparse_mode"), and noise that begins low ("noise").
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import smurff

from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Task
from peers.tucker import cp_predictor


def fit(task: Task, clock: Clock) -> Fitted:
    """Draw samples; those after the burn-in are in the file, and predictions are their average."""
    settings, unit = task.settings, unit_of(task)
    folder = tempfile.TemporaryDirectory()
    where = Path(folder.name) / "samples.hdf5"
    session = smurff.TrainSession(
        priors=priors(task),
        num_latent=settings["rank"],
        burnin=settings["burnin"],
        nsamples=settings["samples"],
        num_threads=task.threads,
        seed=task.seed,
        verbose=0,
        save_name=str(where),
        save_freq=1,
    )
    session.setTrain(tensor(task.coords, task.values / unit, task.shape), noise(task), True)
    if clock.curve:
        nothing = np.zeros(len(task.test_coords))
        session.setTest(tensor(task.test_coords, nothing, task.shape))
    session.init()
    while session.step() is not None:
        clock.point(lambda: unit * looked_at(session, task))
    with clock.paused():
        samples = [sample.latents for sample in smurff.PredictSession(str(where)).samples]
        folder.cleanup()
    return averaged(samples, unit)


def priors(task: Task) -> list[str]:
    """Return the setting "prior" for every mode, or for one if "sparse_mode" counts to it.

    It counts from the shortest mode on, from 0; the others are normal then.
    """
    chosen = task.settings["sparse_mode"]
    if chosen is None:
        return [task.settings["prior"]] * task.order
    mode = int(np.argsort(task.shape, kind="stable")[chosen])
    return [task.settings["prior"] if each == mode else "normal" for each in range(task.order)]


def unit_of(task: Task) -> float:
    """Return by what values are divided, so that their deviation is the setting "scale"."""
    scale = task.settings["scale"]
    deviation = float(np.std(task.values))
    return deviation / scale if scale is not None and deviation > 0.0 else 1.0


def noise(task: Task) -> smurff.NoiseConfig:
    """Return the noise: learned between two ratios of signal to noise, or fixed.

    The setting "noise" has the two ratios, or a precision in units of the values' variance.
    """
    given = task.settings["noise"]
    if isinstance(given, list):
        return smurff.AdaptiveNoise(*map(float, given))
    variance = float(np.var(task.values)) / unit_of(task) ** 2
    return smurff.FixedNoise(given / variance)


def averaged(samples: list[list[Floats]], unit: float) -> Fitted:
    """Predict the average of what the samples predict, in units of the values."""
    rank = samples[0][0].shape[1]
    predictors = [cp_predictor(np.full(rank, unit), factors) for factors in samples]
    sizes = [factor.size for factor in samples[0]]
    nonzero = sum(int(np.count_nonzero(factor)) for factors in samples for factor in factors)
    zeros = sum(sizes) - nonzero // len(samples)

    def predict(coords: Ints) -> Floats:
        return np.asarray(np.mean([one(coords) for one in predictors], axis=0))

    return Fitted(predict, sum(sizes), zeros, samples=len(samples))


def looked_at(session: smurff.TrainSession, task: Task) -> Floats:
    """Return the average of the samples so far or, while it burns in, the last one."""
    found = {
        tuple(one.coords): one.pred_avg if one.nsamples else one.pred_1sample
        for one in session.getTestPredictions()
    }
    return np.array([found[tuple(cell)] for cell in task.test_coords.tolist()])


def tensor(coords: Ints, values: Floats, shape: tuple[int, ...]) -> smurff.SparseTensor:
    """Return entries as it wants them."""
    return smurff.SparseTensor((values, [np.ascontiguousarray(c) for c in coords.T]), shape)
