"""So many sweeps: the same as one after the other, and priors follow from the one that is named."""

from __future__ import annotations

import numpy as np

import vest_tucker as vt
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.sweeping import sweep_often
from vest_tucker.fitting.noise.tucker import random_parts


def begun(X: vt.SparseTensor) -> Posterior:
    return random_parts(Target(X, X.values, 1), (2, 2, 2), np.random.default_rng(0), 0.1)


def test_sweeps_are_those_of_the_fit_in_its_own_arrays(prunable: vt.SparseTensor) -> None:
    one, other, noises = begun(prunable), begun(prunable), []
    sweep_often(one, 4, lambda posterior: noises.append(posterior.priors.noise), learn_from=2)
    for t in range(4):
        other.sweep(learn=t >= 2)
    assert one.parts.core.tobytes() == other.parts.core.tobytes()
    assert noises[0] == noises[1] != noises[2] != noises[3]
    assert one.sweeps == 4


def test_without_a_number_nothing_is_learned(prunable: vt.SparseTensor) -> None:
    posterior = begun(prunable)
    before = [each.copy() for each in posterior.priors.precision]
    sweep_often(posterior, 3, lambda posterior: None)
    for then, now in zip(before, posterior.priors.precision, strict=True):
        np.testing.assert_array_equal(then, now)
