"""SMURFF: a CP model of the observed entries, its vectors drawn by Gibbs sampling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import smurff

from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Task
from peers.tucker import cp_predictor


def fit(task: Task, clock: Clock) -> Fitted:
    """Draw samples with the setting "prior" in every mode; the file has those after the burn-in."""
    settings = task.settings
    where = Path("samples.hdf5").resolve()
    session = smurff.TrainSession(
        priors=[settings["prior"]] * task.order,
        num_latent=settings["rank"],
        burnin=settings["burnin"],
        nsamples=settings["samples"],
        num_threads=task.threads,
        seed=task.seed,
        verbose=0,
        save_name=str(where),
        save_freq=1,
    )
    session.setTrain(tensor(task.coords, task.values, task.shape), smurff.SampledNoise(1.0), True)
    if clock.curve:
        nothing = np.zeros(len(task.test_coords))
        session.setTest(tensor(task.test_coords, nothing, task.shape))
    session.init()
    while session.step() is not None:
        clock.point(lambda: looked_at(session, task))
    with clock.paused():
        samples = [sample.latents for sample in smurff.PredictSession(str(where)).samples]
    return averaged(samples)


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
