"""What JSON tells about a model."""

from __future__ import annotations

import json

import vest_tucker as vt
from command_line import small_model
from vest_tucker.cli.facts import facts
from vest_tucker.cli.output import plain


def test_facts_of_a_model_by_hand_and_of_a_fit(tensor: vt.SparseTensor) -> None:
    by_hand = plain(facts(small_model()))
    assert by_hand["shape"] == [3, 2, 2]
    assert by_hand["error"] is None
    model = vt.fit(tensor, seed=0, ranks=2)
    told = json.loads(json.dumps(plain(facts(model)), allow_nan=False))
    assert told["ranks"] == list(model.ranks)
    assert told["validation_error"] == model.validation_error
    assert told["made"]["seed"] == 0
