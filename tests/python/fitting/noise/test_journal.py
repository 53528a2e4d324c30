"""The history of a plain call."""

from __future__ import annotations

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.noise.candidates import Candidate


def test_a_journal_numbers_the_sweeps_of_each_trial(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    one = run.on([(prunable, None)]).fit(Candidate("effects", (0, 0, 0)))
    other = run.on([(prunable, None)]).fit(Candidate("effects", (1, 1, 1)))
    for each, sweeps in ((one, 10), (other, 30)):
        numbers = [record.iteration for record in each.journal.history]
        assert numbers == list(range(1, sweeps + 1))
    assert run.history is other.journal.history
