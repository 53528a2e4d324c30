"""Tensors of files that the workers read: each a few row groups of Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from vest_tucker.base.errors import FileFormatError, MissingFileError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.types import AnyPath
from vest_tucker.dask.client import PATIENCE, client_of, gathered
from vest_tucker.dask.frames import tensor_of, wanted_of
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.data.duplicates import Duplicates, check_merge
from vest_tucker.data.sources.gaps import Missing
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.arrow import arrow
from vest_tucker.io.columns import choose
from vest_tucker.io.read_options import Request

ROWS = 2_000_000  # of a partition, if row groups are small enough
# What stores of fsspec tell of the content of a file.
WRITTEN = (
    "size",
    "mtime",
    "ETag",
    "etag",
    "LastModified",
    "last_modified",
    "updated",
    "generation",
)


class File(NamedTuple):
    """What the footer of a file says."""

    columns: list[str]
    rows: list[int]
    version: str  # as `version_of` says


def read(
    path: AnyPath | Sequence[AnyPath],
    *,
    modes: Sequence[str] | None = None,
    value: str | None = None,
    client: Any = None,
    like: SparseTensor | ClusterTensor | None = None,
    duplicates: Duplicates = "error",
    weight: str | None = None,
    count_as_weight: bool = False,
    missing: Missing = "raise",
    storage_options: dict[str, Any] | None = None,
    patience: float = PATIENCE,
) -> ClusterTensor:
    """Read Parquet files on the workers; nothing of them passes through this process.

    Parameters
    ----------
    path : path, or several
        Of files that every worker can open: a shared folder, or a store that fsspec knows, as
        ``"s3://bucket/ratings/*.parquet"``. Stars stand for any text; files are taken in the order
        of their names.
    modes, value, like, duplicates, weight, count_as_weight, missing
        As for `vest_tucker.read`.
    client : distributed.Client, optional
        By default the one that was made last.
    storage_options : dict, optional
        What the store needs to be opened, such as keys.
    patience : float
        Seconds within which some task must come back.

    Returns
    -------
    ClusterTensor
    """
    client = client_of(client)
    check_merge(duplicates, count_as_weight)
    options = storage_options or {}
    names = files_of(path, options)
    heads = [client.submit(footer, name, options, pure=False) for name in names]
    footers: list[File] = gathered(client, heads, "reading footers", patience)
    request = Request(None, None, modes, value, None, duplicates, weight, count_as_weight)
    columns = choose(footers[0].columns, names[0], request)
    for name, each in zip(names, footers, strict=True):
        lacking = [column for column in columns.names if column not in each.columns]
        if lacking:
            raise FileFormatError(f"has no column {lacking[0]!r}, which {names[0]} has", name)
    wanted = wanted_of(columns.modes, columns.value, columns.weight, None, like, missing)
    from dask.delayed import delayed

    load = delayed(load_groups, pure=True)
    partitions = [
        load(name, options, groups, columns.names, each.version)
        for name, each in zip(names, footers, strict=True)
        for groups in runs(each.rows)
    ]
    return tensor_of(client, partitions, wanted, duplicates, count_as_weight, patience)


def files_of(path: AnyPath | Sequence[AnyPath], options: dict[str, Any]) -> list[str]:
    """Return the files that a path with stars stands for."""
    with needed_for("reading files on a cluster", "dask"):
        import fsspec
    several = path if isinstance(path, list | tuple) else [path]
    found: list[str] = []
    for each in several:
        system, bare = fsspec.core.url_to_fs(str(each), **options)
        there = sorted(system.glob(bare)) if "*" in bare or "?" in bare else [bare]
        if not there:
            raise MissingFileError(f"there is no file {each}")
        found += [system.unstrip_protocol(one) for one in there]
    return found


def footer(name: str, options: dict[str, Any]) -> File:
    """Return what a file holds, without reading it."""
    import fsspec

    pa = arrow("reading a .parquet file")
    try:
        with fsspec.open(name, "rb", **options) as stream:
            stored = pa.parquet.ParquetFile(stream).metadata
        version = version_of(name, options)
    except FileNotFoundError as error:
        raise MissingFileError(
            f"a worker finds no file {name}; put it where every worker can open it"
        ) from error
    except pa.ArrowException as error:
        raise FileFormatError(f"is not a Parquet file: {error}", name) from error
    groups = [stored.row_group(number).num_rows for number in range(stored.num_row_groups)]
    return File(list(stored.schema.to_arrow_schema().names), groups, version)


def version_of(name: str, options: dict[str, Any]) -> str:
    """Return what is another text once a file has been written again: its size, and when it was.

    Stores say by different names when that was, or what the content is.
    """
    import fsspec

    system, bare = fsspec.core.url_to_fs(name, **options)
    system.invalidate_cache()  # stores remember what they have seen
    told = system.info(bare)
    return "; ".join(f"{each}: {told[each]}" for each in WRITTEN if each in told)


def runs(rows: Sequence[int]) -> list[list[int]]:
    """Return which row groups make up each partition of a file.

    Examples
    --------
    >>> runs([1_500_000, 400_000, 900_000])
    [[0, 1], [2]]
    """
    found: list[list[int]] = []
    size = 0
    for group, length in enumerate(rows):
        if found and size + length <= ROWS:
            found[-1].append(group)
            size += length
        else:
            found.append([group])
            size = length
    return found


def load_groups(
    name: str, options: dict[str, Any], groups: list[int], columns: list[str], version: str
) -> Any:
    """Read some columns of some row groups of a file, if it is still what its footer was read of.

    A partition that was lost is read again: other entries than before would make a tensor of two.
    """
    import fsspec

    if version_of(name, options) != version:
        raise FileFormatError(
            "has changed since the tensor was made of it, so that entries that were lost with a "
            "worker cannot be read again; read the tensor anew",
            name,
        )
    pa = arrow("reading a .parquet file")
    with fsspec.open(name, "rb", **options) as stream:
        return pa.parquet.ParquetFile(stream).read_row_groups(groups, columns, use_threads=False)
