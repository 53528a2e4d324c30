"""What is done with the best candidate."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.noise.finish import Finish
from vest_tucker.fitting.noise.posterior import Posterior, Target


def test_a_model_worse_than_what_was_measured_is_not_returned(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_all = Finish.on_all

    def spoilt(self: Finish, target: Target, *rest: Any, **more: Any) -> Posterior:
        posterior = on_all(self, target, *rest, **more)
        posterior.error = 10.0
        return posterior

    monkeypatch.setattr(Finish, "on_all", spoilt)
    found = search(prunable).run()
    assert found.error < 1.2 * found.held_out
    assert "because on all the error became" in found.chosen
