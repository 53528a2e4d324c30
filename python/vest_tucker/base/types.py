"""Names for the types of arguments and arrays that all rooms use."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Indices of entries, one row per entry and one column per mode: (n, N).
Coords: TypeAlias = NDArray[np.int32]
# Indices of rows in one mode: (n,).
Indices: TypeAlias = NDArray[np.int32]
# Values, factors, cores: any array of real numbers.
Floats: TypeAlias = NDArray[np.float64]
# How many: of entries per row, for example.
Counts: TypeAlias = NDArray[np.int64]
# True or False for each element.
Flags: TypeAlias = NDArray[np.bool_]
# What the rows of a mode are called: strings, numbers or dates.
Labels: TypeAlias = NDArray[Any]
# Where a file is.
AnyPath: TypeAlias = str | os.PathLike[str]
