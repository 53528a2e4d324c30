"""The first bytes of a ``.npy`` that we wrote: type and shape, read without evaluating anything.

NumPy's own reader takes the description for an expression of Python. Ours knows the one form in
which plain arrays are described, and refuses types that could claim many elements of no bytes.
"""

from __future__ import annotations

import re
from typing import IO, Any

import numpy as np

MAGIC = b"\x93NUMPY\x01\x00"
LONGEST = 4096  # bytes of a description
SHAPE = r"\((?:[0-9]{1,18},|(?:[0-9]{1,18}(?:, [0-9]{1,18})+))?\)"
HEAD = re.compile(
    r"\{'descr': '([<>|][a-zA-Z][0-9]{0,9}(?:\[[0-9]{0,6}[A-Za-z]{1,2}\])?)', "
    rf"'fortran_order': (False|True), 'shape': ({SHAPE}), \}} *\n"
)


def read_head(file: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return type and shape of the array whose bytes, in C order, follow; raise ValueError.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.zeros((2, 3), dtype=">i4"))
    >>> _ = file.seek(0)
    >>> read_head(file)
    (dtype('>i4'), (2, 3))
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("an array is of another version of .npy")
    length = int.from_bytes(file.read(2), "little")
    if length > LONGEST:
        raise ValueError(f"the description of an array has {length:,} bytes")
    found = HEAD.fullmatch(file.read(length).decode("latin1"))
    if found is None:
        raise ValueError("the description of an array is none that was written here")
    dtype = np.dtype(found[1])
    if found[2] == "True" or dtype.hasobject:
        raise ValueError("an array is in Fortran order, or of objects")
    if not dtype.itemsize:
        raise ValueError(f"an array is of {dtype}, whose elements have no bytes")
    return dtype, tuple(int(side) for side in re.findall("[0-9]+", found[3]))
