"""SMURFF: a CP model of the observed entries, its vectors drawn by Gibbs sampling."""

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
    settings = task.settings
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
    session.setTrain(tensor(task.coords, task.values, task.shape), noise(task), True)
    if clock.curve:
        nothing = np.zeros(len(task.test_coords))
        session.setTest(tensor(task.test_coords, nothing, task.shape))
    session.init()
    while session.step() is not None:
        clock.point(lambda: looked_at(session, task))
    with clock.paused():
        samples = [sample.latents for sample in smurff.PredictSession(str(where)).samples]
        folder.cleanup()
    return averaged(samples)


def priors(task: Task) -> list[str]:
    """Return the setting "prior" for each mode; zeros in every mode would leave nothing.

    So the longest mode is normal whatever the others are, as samples are in group factor analysis.
    """
    longest = int(np.argmax(task.shape))
    return ["normal" if mode == longest else task.settings["prior"] for mode in range(task.order)]


def noise(task: Task) -> smurff.NoiseConfig:
    """Return noise that is learned between two ratios of signal to noise, the setting "noise"."""
    first, most = task.settings["noise"]
    return smurff.AdaptiveNoise(float(first), float(most))


def averaged(samples: list[list[Floats]]) -> Fitted:
    """Predict the average of what the samples predict."""
    rank = samples[0][0].shape[1]
    predictors = [cp_predictor(np.ones(rank), factors) for factors in samples]
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
