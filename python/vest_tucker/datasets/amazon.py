"""Reviews of fine foods on Amazon: the score of a product by a user in a month."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from vest_tucker.base.errors import FileFormatError, MissingFileError
from vest_tucker.base.types import AnyPath, Coords, Floats
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.datasets.archives import Source, contents, find
from vest_tucker.datasets.fetch import located
from vest_tucker.datasets.ids import months, texts_numbered
from vest_tucker.datasets.tables import read_columns
from vest_tucker.io.arrow import arrow
from vest_tucker.io.compression import BOM
from vest_tucker.io.diagnose import shown
from vest_tucker.io.text_tables import Layout

FILES = ("finefoods.txt", "finefoods.txt.gz", "Reviews.csv")
PRODUCT, USER, SCORE, TIME = "ProductId", "UserId", "Score", "Time"
KAGGLE = Layout(
    {PRODUCT: "string", USER: "string", SCORE: "float64", TIME: "int64"},
    ",", header=True, quoted=True,
)  # fmt: skip
BLOCK = 1 << 24
BEGIN = b"product/productId: "
FORMS = {
    "product/productId": b"[!-~]+",
    "review/userId": b"[!-~]+",
    "review/score": rb"[0-9]+(?:\.[0-9]*)?",
    "review/time": b"-?[0-9]{1,18}",
}
# Other lines may come between these four, because some profile names contain ends of lines. The
# pattern begins with the end of the line before, because searching for "^" would be far slower.
RECORD = re.compile(
    rb"\r?\n(?:.*\n)*?".join(
        (b"" if place else b"\n") + field.encode() + b": (" + form + b")"
        for place, (field, form) in enumerate(FORMS.items())
    )
    + rb"\r?$",
    re.MULTILINE,
)


def amazon_fine_foods(
    path: AnyPath, *, duplicates: Duplicates = "mean", cache: AnyPath | None = None
) -> SparseTensor:
    r"""Read the reviews of fine foods on Amazon as (product, user, month) -> score.

    Parameters
    ----------
    path : str or path
        SNAP's ``finefoods.txt``, as it is or as .gz; or Kaggle's ``Reviews.csv``; or the folder or
        .zip that one of them is in. Or the name "finefoods", if there is no such path: it is then
        fetched from SNAP, which publishes no checksum, and kept.
    duplicates : {"error", "mean", "median", "sum", "count", "min", "max", "first", "last"}
        What to do with cells that appear more than once. Some users review the same product twice
        in a month; by default the value is then the mean of their scores.
    cache : str or path, optional
        The folder that the fetched file is kept in, by default the user's cache folder.

    Returns
    -------
    SparseTensor
        Products and users are labelled with their ids, months (of UTC) with texts such as
        "2011-04".

    Examples
    --------
    >>> import pathlib, vest_tucker as vt
    >>> _ = pathlib.Path("finefoods.txt").write_text(
    ...     "product/productId: B001E4KFG0\nreview/userId: A3SGXH7AUHU8GW\n"
    ...     "review/profileName: delmartian\nreview/helpfulness: 1/1\nreview/score: 5.0\n"
    ...     "review/time: 1303862400\nreview/summary: Good\nreview/text: Very good.\n\n"
    ... )
    >>> X = vt.datasets.amazon_fine_foods("finefoods.txt")
    >>> [labels.tolist() for labels in X.labels], X.values.tolist()
    ([['B001E4KFG0'], ['A3SGXH7AUHU8GW'], ['2011-04']], [5.0])
    """
    place = located(path, ("finefoods",), cache)
    source = find(place, *FILES)
    if source is None:
        raise MissingFileError(f"{place} has neither {' nor '.join(FILES)}; {contents(place)}")
    with source.open() as stream:
        is_txt = stream.read(1 << 12).removeprefix(BOM).lstrip().startswith(BEGIN)
    products, users, scores, times = _of_txt(source) if is_txt else _of_csv(source)
    items, by_item = texts_numbered(products)
    people, by_person = texts_numbered(users)
    calendar, by_month = months(times)
    coords: Coords = np.stack([by_item, by_person, by_month], axis=1)
    return SparseTensor(
        coords,
        scores,
        modes=("product", "user", "month"),
        labels=(items, people, calendar),
        duplicates=duplicates,
    )


def _of_csv(source: Source) -> tuple[Any, Any, Floats, Any]:
    columns = read_columns(source, KAGGLE)
    products, users = (columns[name].chunks for name in (PRODUCT, USER))
    return products, users, columns[SCORE].to_numpy(), columns[TIME].to_numpy()


def _of_txt(source: Source) -> tuple[Any, Any, Floats, Any]:
    pa = arrow(f"reading {source.name}")
    parts: list[list[Any]] = []
    line = 1
    with source.open() as stream:
        for block in _whole_records(stream):
            found = RECORD.findall(block)
            if len(found) != block.count(b"\n" + BEGIN):
                raise _blame(block, line, source)
            line += block.count(b"\n")
            if not found:  # blank lines before the first record
                continue
            columns = (pa.array(column).cast(pa.string()) for column in zip(*found, strict=True))
            products, users, scores, times = columns
            parts.append(
                [
                    products.dictionary_encode(),
                    users.dictionary_encode(),
                    scores.cast(pa.float64()).to_numpy(),
                    times.cast(pa.int64()).to_numpy(),
                ]
            )
    product_parts, user_parts, score_parts, time_parts = zip(*parts, strict=True)
    return product_parts, user_parts, np.concatenate(score_parts), np.concatenate(time_parts)


def _whole_records(stream: BinaryIO) -> Iterator[bytes]:
    """Yield blocks of whole records, each of them with the end of the line before it."""
    rest = b"\n" + stream.read(len(BOM)).removeprefix(BOM)
    while block := stream.read(BLOCK):
        rest += block
        end = rest.rfind(b"\n" + BEGIN)
        if end > 0:
            yield rest[:end]
            rest = rest[end:]
    yield rest


def _blame(block: bytes, first: int, source: Source) -> FileFormatError:
    """Return the error that names the first record that lacks one of the four lines."""
    begins = [match.start() for match in re.finditer(b"\n" + BEGIN, block)]
    for begin, end in zip(begins, [*begins[1:], len(block)], strict=True):
        record = block[begin:end]
        if RECORD.match(record) is None:
            number = first + block.count(b"\n", 0, begin)
            text = shown(record.strip().decode("latin-1"))
            what = f"the review that begins here has no {_missing(record)}: {text}"
            return FileFormatError(what, str(source), number)
    raise AssertionError("as many records as beginnings")  # pragma: no cover


def _missing(record: bytes) -> str:
    for field, form in FORMS.items():
        if not re.search(b"^" + field.encode() + b": " + form + rb"\r?$", record, re.MULTILINE):
            return field
    return "lines in the usual order"
