"""Arrays in base64: every bit comes back."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from vest_tucker.report.packed import index_kind, packed, sparse_rows


def unpacked(text: str, kind: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")


def test_values_keep_all_their_bits(rng: np.random.Generator) -> None:
    values = rng.normal(size=50) * 10.0 ** rng.integers(-300, 300, 50)
    assert unpacked(packed(values, "f8"), "f8").tobytes() == values.tobytes()


def test_rows_are_rebuilt(rng: np.random.Generator) -> None:
    factor = rng.normal(size=(9, 300)) * (rng.random((9, 300)) < 0.2)
    factor[4] = 0.0
    rows = np.array([0, 3, 4, 8])
    stored = sparse_rows(factor, rows, variance=factor**2)
    assert stored["column_kind"] == "u2"
    begins = unpacked(stored["begins"], "u4").astype(int)
    columns = unpacked(stored["columns"], "u2").astype(int)
    rebuilt = np.zeros((4, 300))
    for row in range(4):
        part = slice(begins[row], begins[row + 1])
        rebuilt[row, columns[part]] = unpacked(stored["values"], "f8")[part]
    assert (rebuilt == factor[rows]).all()
    errors = unpacked(stored["errors"], "f4")
    np.testing.assert_allclose(errors, np.abs(factor[rows][factor[rows] != 0.0]), rtol=1e-6)


@pytest.mark.parametrize(("largest", "kind"), [(0, "u1"), (65535, "u2"), (65536, "u4")])
def test_kinds_of_indices(largest: int, kind: str) -> None:
    assert index_kind(largest) == kind
