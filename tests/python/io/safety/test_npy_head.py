"""Type and shape of a .npy: those that NumPy writes are understood, nothing else is."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as st_np

from vest_tucker.io.safety.npy_head import LONGEST, MAGIC, read_head


def head(text: str) -> io.BytesIO:
    return io.BytesIO(MAGIC + len(text).to_bytes(2, "little") + text.encode())


@given(array=st_np.arrays(st_np.scalar_dtypes(), st_np.array_shapes(min_dims=0, min_side=0)))
def test_what_numpy_writes(array: Any) -> None:
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    if array.ndim < 2 or not array.flags.f_contiguous or array.flags.c_contiguous:
        assert read_head(file) == (array.dtype, array.shape)
        assert len(file.read()) == array.nbytes


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }\n",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (8589934592,), }\n",
        "{'descr': '|S0', 'fortran_order': False, 'shape': (8589934592,), }\n",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (8589934592,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 + 1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [1], }\n",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f8', 'shape': (1,), }\n",
        "__import__('os').abort()\n",
        "",
        "{" * (LONGEST + 1),
    ],
)
def test_what_it_does_not_write(text: str) -> None:
    with pytest.raises(ValueError, match="an array"):
        read_head(head(text))


@pytest.mark.parametrize("kind", ["<f3", "<q9", "<M8[zz]", "|S999999999"])
def test_types_that_do_not_exist_or_are_huge(kind: str) -> None:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (1,), }}\n"
    try:
        dtype, _ = read_head(head(text))
    except (ValueError, TypeError):
        return
    assert dtype.itemsize == 999_999_999, "compared with the size of the member by the caller"


def test_another_version_of_npy() -> None:
    with pytest.raises(ValueError, match="another version"):
        read_head(io.BytesIO(b"\x93NUMPY\x02\x00"))
