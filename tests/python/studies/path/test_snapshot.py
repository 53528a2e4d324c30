"""A state kept small comes back bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.studies.path.snapshot import Snapshot


@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_a_snapshot_gives_its_parts_back(density: float, rng: np.random.Generator) -> None:
    shapes = [(3, 2, 5), (7, 3), (1, 2), (11, 5)]
    parts = [rng.normal(size=shape) * (rng.random(shape) < density) for shape in shapes]
    kept = Snapshot.of(parts)
    wanted = [part.copy() for part in parts]
    for part in parts:
        part[...] = 9.0  # a fit goes on in its arrays
    assert all((a == b).all() for a, b in zip(kept.parts(), wanted, strict=True))
    assert kept.size == sum(part.size for part in parts)
    assert kept.n_nonzero == sum(np.count_nonzero(part) for part in wanted)


def test_sparser_snapshots_take_less_memory() -> None:
    part = np.zeros((1000, 8))
    part[:100, 0] = 1.0
    kept = Snapshot.of([part])
    assert kept.bits[0].nbytes + kept.values[0].nbytes == 1000 + 800 < part.nbytes / 30
