"""Yelp's open dataset: the stars that a user gave a business in a month."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from vest_tucker.base.errors import FileFormatError, MissingFileError
from vest_tucker.base.types import AnyPath, Labels
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.datasets.archives import Source, contents, find
from vest_tucker.datasets.ids import distinct_names, months, texts_numbered
from vest_tucker.io.arrow import arrow
from vest_tucker.io.compression import whole_lines
from vest_tucker.io.diagnose import shown

REVIEWS = ("yelp_academic_dataset_review.json", "review.json")
BUSINESSES = ("yelp_academic_dataset_business.json", "business.json")
BLOCK = 1 << 24
REVIEW = {"user_id": "string", "business_id": "string", "stars": "number", "date": "date"}
BUSINESS = {"business_id": "string", "name": "string"}


def yelp(
    reviews: AnyPath,
    *,
    businesses: AnyPath | None = None,
    duplicates: Duplicates = "mean",
) -> SparseTensor:
    r"""Read Yelp's reviews as (user, business, month) -> stars.

    Yelp gives its dataset only to those who accept its terms, at https://business.yelp.com/data/,
    so it cannot be fetched by name.

    Parameters
    ----------
    reviews : str or path
        ``yelp_academic_dataset_review.json``, compressed or not, or the folder or the .tar or .zip
        that it is in. It is read block by block, and only what is needed of it is kept.
    businesses : str or path, optional
        ``yelp_academic_dataset_business.json``, or the folder or archive that it is in: the
        businesses are then labelled with their names, and those that share a name get their id too,
        as in "Starbucks [Pns2l4eNsfO8kk83dixA6A]". Without it the labels are the ids.
    duplicates : {"error", "mean", "median", "sum", "count", "min", "max", "first", "last"}
        What to do with cells that appear more than once. Some users review the same business twice
        in a month; by default the value is then the mean of their stars.

    Returns
    -------
    SparseTensor
        Users are labelled with their ids, months with texts such as "2016-03".

    Examples
    --------
    >>> import pathlib, vest_tucker as vt
    >>> line = '{"user_id":"%s","business_id":"b1","stars":%d,"date":"2016-03-09 00:56:02"}\n'
    >>> _ = pathlib.Path("review.json").write_text(line % ("ann", 4) + line % ("bob", 1))
    >>> X = vt.datasets.yelp("review.json")
    >>> X.modes, X.labels[0].tolist(), X.labels[2].tolist(), X.values.tolist()
    (('user', 'business', 'month'), ['ann', 'bob'], ['2016-03'], [4.0, 1.0])
    """
    blocks = list(_blocks(_found(reviews, REVIEWS), REVIEW))
    users, by_user = texts_numbered([block["user_id"] for block in blocks])
    places, by_place = texts_numbered([block["business_id"] for block in blocks])
    calendar, by_month = months(np.concatenate([block["date"] for block in blocks]))
    stars = np.concatenate([block["stars"] for block in blocks])
    if businesses is not None:
        places = _named(places, _found(businesses, BUSINESSES))
    coords = np.stack([by_user, by_place, by_month], axis=1)
    return SparseTensor(
        coords,
        stars,
        modes=("user", "business", "month"),
        labels=(users, places, calendar),
        duplicates=duplicates,
    )


def _found(path: AnyPath, names: tuple[str, ...]) -> Source:
    source = find(path, *names)
    if source is None:
        raise MissingFileError(f"{path} has no {names[0]}; {contents(path)}")
    return source


def _named(ids: Labels, source: Source) -> Labels:
    """Return different names of businesses; the id of a business without a name."""
    names: dict[str, str] = {}
    for block in _blocks(source, BUSINESS):
        keys, values = block["business_id"].to_pylist(), block["name"].to_pylist()
        names.update(zip(keys, values, strict=True))
    return distinct_names([names.get(id_) or id_ for id_ in ids], ids.tolist())


def _blocks(source: Source, fields: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the fields of many lines at a time: texts as Arrow's dictionary arrays, else arrays."""
    pa = arrow(f"reading {source.name}")
    line, is_empty = 1, True
    with source.open() as stream:
        for lines in whole_lines(stream, BLOCK, source.name):
            if not lines.strip():
                continue
            try:
                block = _parsed(lines, fields)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError) as error:
                raise _blame(lines, line, fields, source, str(error)) from None
            if block is None:
                raise _blame(lines, line, fields, source, "a field is missing")
            yield block
            line, is_empty = line + lines.count(b"\n"), False
    if is_empty:
        raise FileFormatError("has no entries", str(source))


def _parsed(lines: bytes, fields: dict[str, str]) -> dict[str, Any] | None:
    """Return the fields that are needed; None if one of them is missing in a line."""
    pa, arrow_json = arrow("reading JSON"), import_module("pyarrow.json")
    types = {"string": pa.string(), "number": pa.float64(), "date": pa.timestamp("s")}
    table = arrow_json.read_json(
        pa.BufferReader(lines),
        arrow_json.ReadOptions(block_size=max(1 << 20, len(lines))),
        arrow_json.ParseOptions(
            explicit_schema=pa.schema([(name, types[kind]) for name, kind in fields.items()]),
            unexpected_field_behavior="ignore",
        ),
    ).combine_chunks()
    block = {}
    for name, kind in fields.items():
        column = table[name].chunk(0)
        if column.null_count:
            return None
        block[name] = column.dictionary_encode() if kind == "string" else column.to_numpy()
    return block


def _blame(
    lines: bytes, first: int, fields: dict[str, str], source: Source, parser: str
) -> FileFormatError:
    """Return the error that names the first bad line and what is wrong with it."""
    for number, line in enumerate(io.BytesIO(lines), start=first):
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        complaint = _why_bad(text, fields)
        if complaint:
            return FileFormatError(f"{complaint}: {shown(text)}", str(source), number)
    return FileFormatError(f"could not be read: {parser}", str(source))


def _why_bad(line: str, fields: dict[str, str]) -> str | None:
    if not line.strip():
        return None
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        return f"is not valid JSON ({error})"
    if not isinstance(record, dict):
        return "is not a JSON object"
    for name, kind in fields.items():
        value = record.get(name)
        if not _is(value, kind):
            return f"has {'no' if value is None else 'a wrong'} {name}"
    return None


def _is(value: object, kind: str) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "date" and isinstance(value, str):
        try:
            return not np.isnat(np.datetime64(value))
        except ValueError:
            return False
    return isinstance(value, str)
