"""Tensors of frames of Dask: each partition is numbered where it lies."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vest_tucker.base.errors import DtypeError, OptionError
from vest_tucker.base.options import type_text
from vest_tucker.dask import local
from vest_tucker.dask.chunked import chunked
from vest_tucker.dask.client import PATIENCE, client_of, gathered
from vest_tucker.dask.labels.numbering import numbered
from vest_tucker.dask.local import Wanted
from vest_tucker.dask.repeated import with_unit_weights, without_repeats
from vest_tucker.dask.tensor import ClusterTensor, lengths_of
from vest_tucker.dask.told import told
from vest_tucker.data.duplicates import Duplicates, check_merge
from vest_tucker.data.frames import chosen_modes, require_columns
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.sources.gaps import Missing
from vest_tucker.data.tensor import SparseTensor


def from_frame(
    frame: Any,
    modes: Iterable[str] | None = None,
    value: str = "value",
    *,
    client: Any = None,
    labels: Mapping[str, Any] | None = None,
    like: SparseTensor | ClusterTensor | None = None,
    duplicates: Duplicates = "error",
    weight: str | None = None,
    count_as_weight: bool = False,
    missing: Missing = "raise",
    patience: float = PATIENCE,
) -> ClusterTensor:
    """Make a tensor of a frame of Dask with one row per entry; the rows stay on the workers.

    Labels are numbered in two passes: each partition finds its own, and the workers unite them,
    sorted. The tensor is the one that ``vt.SparseTensor.from_frame`` makes of the whole frame.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    modes, value, labels, like, duplicates, weight, count_as_weight, missing
        As for `vest_tucker.SparseTensor.from_frame`.
    client : distributed.Client, optional
        By default the one that was made last.
    patience : float
        Seconds within which some task must come back; otherwise a `ClusterError` says what is
        missing.

    Returns
    -------
    ClusterTensor
    """
    client = client_of(client)
    wanted = wanted_of(modes, value, weight, labels, like, missing)
    check_merge(duplicates, count_as_weight)
    if not hasattr(frame, "to_delayed"):
        raise DtypeError(
            f"from_frame needs a frame of Dask, but got {type_text(frame)}; "
            f"vt.SparseTensor.from_frame takes others, and dask.dataframe.from_pandas makes one"
        )
    names = [*wanted.modes, *([wanted.value] if weight is None else [wanted.value, weight])]
    require_columns(names, list(frame.columns))
    partitions = frame[names].to_delayed()
    return tensor_of(client, partitions, wanted, duplicates, count_as_weight, patience)


def wanted_of(
    modes: Iterable[str] | None,
    value: str,
    weight: str | None,
    labels: Mapping[str, Any] | None,
    like: SparseTensor | ClusterTensor | None,
    missing: Missing,
) -> Wanted:
    """Say which columns are what, all checked."""
    if like is not None and labels is not None:
        raise OptionError("labels and like were both given; choose one of them")
    fixed = None if like is None else like.mode_labels
    chosen = chosen_modes(modes, fixed)
    given: Mapping[str, Any] | ModeLabels = labels or {}
    if fixed is not None:
        given = fixed
    elif labels:
        ModeLabels(len(chosen), chosen, labels)  # raises if some are not labels
    return Wanted(chosen, value, weight, given, missing, None if like is None else like.shape)


def tensor_of(
    client: Any,
    partitions: Sequence[Any],
    wanted: Wanted,
    duplicates: Duplicates,
    count_as_weight: bool,
    patience: float,
) -> ClusterTensor:
    """Make a tensor of partitions that are yet to be loaded."""
    from dask.delayed import delayed

    encode, known = (
        delayed(local.local_entries, pure=True),
        told(client, wanted, wanted.nbytes),
    )
    # One task per partition loads and numbers it, so that no worker keeps a frame.
    locals_ = client.compute(
        [encode(each, number, known) for number, each in enumerate(partitions)]
    )
    facts = gathered(
        client, [client.submit(local.facts_of, each) for each in locals_], "numbering labels",
        patience,
    )  # fmt: skip
    functools.reduce(operator.add, [each.dropped for each in facts]).tell()
    numberings, blocks = numbered(client, locals_, facts, wanted, patience)
    del locals_  # workers drop each as soon as its block is there
    if count_as_weight:
        blocks = [client.submit(with_unit_weights, each) for each in blocks]
    lengths = [each.nnz for each in facts]
    found = ClusterTensor(client, blocks, lengths, numberings, wanted.modes, patience)
    merged = without_repeats(
        client, found.blocks, found.nnz, found.shape, duplicates,
        lambda cell: found.mode_labels.cell(cell), patience,
    )  # fmt: skip
    if merged is not found.blocks:
        found = found.with_blocks(merged, lengths_of(client, merged, patience))
    return found.with_blocks(*chunked(client, found.blocks, found.lengths))
