"""What a tensor on a cluster knows of itself."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

dd = pytest.importorskip("dask.dataframe")
vtd = pytest.importorskip("vest_tucker.dask")


def test_facts_and_text(client: Any) -> None:
    frame = pd.DataFrame({"a": ["x", "y", "z"], "b": [1, 1, 2], "value": [1.0, 2.0, 3.0]})
    X = vtd.from_frame(dd.from_pandas(frame, npartitions=2), ["a", "b"], client=client)
    assert (X.shape, X.order, X.nnz, X.density) == ((3, 2), 2, 3, 0.5)
    assert sum(X.lengths) == 3
    text = "ClusterTensor(shape=(3, 2), nnz=3, density=0.5, modes=('a', 'b'), blocks=1)"
    assert repr(X) == text
    assert X.mode_labels is X.mode_labels
    assert X.row_counts is X.row_counts
