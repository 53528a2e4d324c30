"""What an iteration leaves behind."""

from __future__ import annotations

import dataclasses

import pytest

import vest_tucker as vt


def test_records_are_compared_by_value_and_frozen() -> None:
    record = vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    assert record == vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.error = 0.0  # type: ignore[misc]
