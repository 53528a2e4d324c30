"""The C++ module: arrays are C-contiguous and of the exact dtype named here.

"Part" always means: 0 the core, n + 1 the factor of mode n.
"""

import enum
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__version__: str
__compiler__: str
__openmp__: str

class CoordinateError(ValueError): ...
class NonFiniteError(ValueError): ...
class WeightError(ValueError): ...

class PenaltyKind(enum.Enum):
    LF = ...
    L1 = ...
    NOISE = ...

def max_threads() -> int: ...
def thread_limits() -> dict[str, int]: ...
def isas() -> list[str]: ...

class Allocation(enum.Enum):
    PER_PART = ...
    GLOBAL = ...

def estimate_memory(
    shape: Sequence[int],
    nnz: int,
    ranks: Sequence[int],
    *,
    threads: int = 0,
    allocation: Allocation = ...,
    weighted: bool = False,
    noise: bool = False,
    sparse_core: bool = False,
) -> dict[str, float]: ...

class SparseTensor:
    def __init__(
        self,
        coords: NDArray[np.int32],
        values: NDArray[np.float64],
        shape: Sequence[int],
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def order(self) -> int: ...
    @property
    def nnz(self) -> int: ...
    @property
    def norm(self) -> float: ...
    def with_values(self, values: NDArray[np.float64]) -> SparseTensor: ...
    def is_unchanged(self) -> bool: ...
    def find_duplicate(self) -> tuple[int, int] | None: ...

class Plan:
    """``sparse_core``: read by its non-zero elements; the first column of every factor is one."""

    def __init__(
        self,
        tensor: SparseTensor,
        ranks: Sequence[int],
        *,
        threads: int = 0,
        sparse_core: bool = False,
    ) -> None: ...
    @property
    def last(self) -> list[int]: ...

class Solver:
    def __init__(
        self,
        entries: Plan | SparseTensor,
        core: NDArray[np.float64],
        factors: Sequence[NDArray[np.float64]],
        *,
        kind: PenaltyKind,
        lam: float,
        threads: int = 0,
        allocation: Allocation = ...,
        norm: float = 0.0,
        isa: str = "",
        variances: Sequence[NDArray[np.float64]] = ...,
    ) -> None: ...
    @property
    def isa(self) -> str: ...
    @property
    def order(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def sizes(self) -> list[int]: ...
    @property
    def n_pruned(self) -> list[int]: ...
    @property
    def n_free(self) -> list[int]: ...
    @property
    def n_zeros(self) -> list[int]: ...
    @property
    def core(self) -> NDArray[np.float64]: ...
    def factor(self, mode: int) -> NDArray[np.float64]: ...
    def update_factor(self, mode: int) -> None: ...
    def row_sums(
        self, mode: int, rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def update_core(self) -> None: ...
    def error(self, judge: bool = False) -> float: ...
    def responsibilities(self, part: int) -> NDArray[np.float64]: ...
    def prune(self, counts: Sequence[int]) -> None: ...
    def revive(self) -> int: ...
    def pruned(self, part: int) -> NDArray[np.bool_]: ...
    def set_pruned(self, part: int, mask: NDArray[np.bool_]) -> None: ...
    def marks(self, part: int) -> NDArray[np.uint8]: ...
    def set_marks(self, part: int, marks: NDArray[np.uint8]) -> None: ...
    def set_kept(self, part: int, mask: NDArray[np.bool_]) -> None: ...
    def set_fixed(self, part: int, mask: NDArray[np.bool_]) -> None: ...
    def set_prior(
        self, part: int, *, precision: Sequence[float], noise: float, nonnegative: bool = False
    ) -> None: ...
    def values_changed(self) -> None: ...
    def set_penalty(
        self,
        part: int,
        *,
        lam: float,
        nonnegative: bool = False,
        row_weight: NDArray[np.float64] = ...,
    ) -> None: ...

def solve_rows(
    V: NDArray[np.float64],
    b: NDArray[np.float64],
    start: NDArray[np.float64],
    free: NDArray[np.bool_],
    *,
    kind: PenaltyKind,
    lam: NDArray[np.float64],
    nonnegative: bool = False,
    row_weight: NDArray[np.float64] = ...,
    sweeps: int = ...,
    threads: int = 0,
) -> NDArray[np.float64]: ...
def predict(
    core: NDArray[np.float64],
    factors: Sequence[NDArray[np.float64]],
    coords: NDArray[np.int32],
    *,
    threads: int = 0,
) -> NDArray[np.float64]: ...
def predict_variances(
    core: NDArray[np.float64],
    factors: Sequence[NDArray[np.float64]],
    core_variance: NDArray[np.float64],
    factor_variances: Sequence[NDArray[np.float64]],
    coords: NDArray[np.int32],
    *,
    threads: int = 0,
) -> NDArray[np.float64]: ...
def top_k(
    queries: NDArray[np.float64],
    items: NDArray[np.float64],
    offsets: NDArray[np.float64],
    k: int,
    indptr: NDArray[np.int64] = ...,
    excluded: NDArray[np.int32] = ...,
    *,
    threads: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
