"""From columns of ids, millions of them, to distinct labels and indices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Indices, Labels
from vest_tucker.data.numbering import numbered
from vest_tucker.io.arrow import arrow


def texts_numbered(chunks: Sequence[Any]) -> tuple[Labels, Indices]:
    """Return the distinct texts, sorted, and the index of each text among them.

    The texts are in dictionary arrays of Arrow, whose dictionaries may differ.
    """
    pa, pc = arrow("coding texts"), import_module("pyarrow.compute")
    column = pa.chunked_array(chunks).unify_dictionaries()
    texts = column.chunk(0).dictionary
    order = pc.array_sort_indices(texts).to_numpy()
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    indices = np.concatenate([ranks[chunk.indices.to_numpy()] for chunk in column.chunks])
    occurring, indices = numbered(indices)  # a dictionary may have texts that do not occur
    return np.array(texts.to_pylist(), dtype=object)[order[occurring]], indices


def months(seconds: NDArray[np.int64]) -> tuple[Labels, Indices]:
    """Return the distinct months, as "2012-10", and for each time the index of its month.

    Times are seconds from 1970, in UTC.

    Examples
    --------
    >>> import numpy as np
    >>> labels, indices = months(np.array([1350777600, 0, 1350777601]))
    >>> labels.tolist(), indices.tolist()
    (['1970-01', '2012-10'], [1, 0, 1])
    """
    counted, indices = numbered(seconds.astype("M8[s]").astype("M8[M]").astype(np.int64))
    return counted.astype("M8[M]").astype(str).astype(object), indices


def distinct_names(names: Sequence[str], ids: Sequence[object]) -> Labels:
    """Return names that are all different: those that repeat get their id in brackets.

    Examples
    --------
    >>> distinct_names(["Heat", "Hamlet", "Hamlet"], [6, 1411, 1941]).tolist()
    ['Heat', 'Hamlet [1411]', 'Hamlet [1941]']
    """
    repeated = {name for name, count in Counter(names).items() if count > 1}
    told_apart = [
        f"{name} [{id_}]" if name in repeated else name
        for name, id_ in zip(names, ids, strict=True)
    ]
    if len(set(told_apart)) < len(told_apart):  # a name that already ends like "[1411]"
        told_apart = [f"{name} [{id_}]" for name, id_ in zip(names, ids, strict=True)]
    return np.array(told_apart, dtype=object)
