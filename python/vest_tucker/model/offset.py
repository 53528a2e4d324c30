"""What is taken off the values before a fit and added back by predictions: a mean, or biases too.

With it a zero of the model means "no deviation": an empty row predicts the baseline, and not 0. The
biases are one effect per row of each mode, x = mean + b_1(i_1) + ... + b_N(i_N) + noise, drawn
to 0 the more the fewer entries a row has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base import checks
from vest_tucker.base.errors import NonFiniteError, ShapeError
from vest_tucker.base.options import OffsetKind, check_choice
from vest_tucker.base.public import public
from vest_tucker.base.types import Coords, Flags, Floats
from vest_tucker.data.tensor import SparseTensor

CHUNK = 1 << 20
MAX_SWEEPS = 30
MAX_CHANGES = 1000
SETTLED = 3e-4  # relative change of the noise in one sweep
FIRST_SHRINKAGE = 3.0  # only where the sweeps start: they find each mode's own
ROUNDING = 1e-12  # relative to the values, nothing that is worth a bias


@public
@dataclass(frozen=True, eq=False)
class Offset:
    """The baseline of a model: a mean, and for ``kind="biases"`` an effect per row of each mode.

    Attributes
    ----------
    kind : {"mean", "biases"}
    mean : float
    biases : tuple of ndarray, shape (I_n,)
        Empty for ``kind="mean"``. A row without entries has the effect 0.
    error : float
        RE of predicting nothing but this for the entries it was fitted to; NaN if unknown.
    shrinkage : tuple of float
        For each mode, how many entries of no effect each row counts as much as: what draws biases
        of few entries to 0. Empty if unknown.

    Examples
    --------
    >>> import numpy as np
    >>> offset = Offset("biases", 3.0, (np.array([0.5, -0.5]), np.array([0.0, 1.0])))
    >>> offset.values_at(np.array([[0, 1], [1, 0]])).tolist(), offset.n_parameters
    ([4.5, 2.5], 4)
    """

    kind: OffsetKind
    mean: float
    biases: tuple[Floats, ...] = ()
    error: float = math.nan
    shrinkage: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_choice("the kind of an offset", self.kind, get_args(OffsetKind))
        mean, biases = float(self.mean), _checked(self.biases)
        if not math.isfinite(mean):
            raise NonFiniteError(f"the mean of an offset is {mean}; it must be a finite number")
        if bool(biases) != (self.kind == "biases"):
            raise ShapeError(
                f'an offset of kind "{self.kind}" has biases for {len(biases)} modes; "biases" has '
                f'them for every mode, "mean" for none'
            )
        shrinkage = tuple(float(each) for each in self.shrinkage)
        if len(shrinkage) not in (0, len(biases)) or not all(each >= 0.0 for each in shrinkage):
            raise ShapeError(
                f"the shrinkage of an offset is {shrinkage}; give one number of at least 0 for "
                f"each of the {len(biases)} modes with biases, or none"
            )
        error = float(self.error)
        checked = {"mean": mean, "biases": biases, "error": error, "shrinkage": shrinkage}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def n_parameters(self) -> int:
        """How many numbers it needs: the mean, and each bias that is not zero."""
        return 1 + sum(int(np.count_nonzero(effects)) for effects in self.biases)

    @property
    def is_exact(self) -> bool:
        """Whether it leaves nothing of the values but rounding."""
        return self.error < ROUNDING

    def values_at(self, coords: Coords, unknown: Flags | None = None) -> Floats:
        """Return the baseline of cells inside the shape; where ``unknown``, a row has no effect."""
        values = np.full(len(coords), self.mean)
        for chunk in _chunks(len(coords), CHUNK):
            for mode, effects in enumerate(self.biases):
                felt = effects[coords[chunk, mode]]
                if unknown is not None:
                    felt[unknown[chunk, mode]] = 0.0
                values[chunk] += felt
        return values

    def require_shape(self, shape: Sequence[int]) -> None:
        """Raise unless there is one bias per row of each mode."""
        lengths = tuple(len(effects) for effects in self.biases)
        if self.biases and lengths != tuple(shape):
            raise ShapeError(f"the offset has {lengths} biases, but the factors have {shape} rows")


def fit_offset(X: SparseTensor, kind: OffsetKind) -> Offset:
    """Fit a baseline to the observed entries; the same bits with any number of threads.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [0, 1], [1, 0]], [4.0, 5.0, 3.0])
    >>> offset = fit_offset(X, "mean")
    >>> offset.mean, round(offset.error, 3)
    (4.0, 0.2)
    """
    # Rounding may carry the mean of equal values off them; clipped, it leaves nothing of them.
    mean = float(np.clip(X.mean, X.values.min(), X.values.max()))
    biases, shrinkage = _fit_biases(X, mean) if kind == "biases" else ((), ())
    offset = Offset(kind, mean, biases, shrinkage=shrinkage)
    error = math.sqrt(_square(residuals(X, offset))) / checks.norm(X.norm, X.values)
    return replace(offset, error=error)


def residuals(X: SparseTensor, offset: Offset) -> Floats:
    """Return what an offset leaves of the values of a tensor."""
    rest = offset.values_at(X.coords)
    return np.subtract(X.values, rest, out=rest)


def bias_changes(coords: Coords, rest: Floats, weights: Sequence[Floats]) -> list[Floats]:
    """Return by how much biases change for new entries of which the model leaves ``rest``.

    The old ones of a row are remembered as ``weights`` entries that its bias suits: the shrinkage
    and their number, so that a changed bias is the shrunken mean of old and new; infinitely many
    hold it still. That minimises sum of (rest - changes)^2 + weight * change^2, modes in turn; the
    minimum is unique.

    Examples
    --------
    >>> import numpy as np
    >>> coords, rest = np.array([[0, 0], [0, 1]], dtype=np.int32), np.array([6.0, 6.0])
    >>> bias_changes(coords, rest, [np.array([4.0]), np.full(2, np.inf)])[0].tolist()
    [2.0]
    """
    rest = rest.copy()
    changes = [np.zeros(len(each)) for each in weights]
    counts = [_sums(coords[:, mode], None, len(each)) for mode, each in enumerate(weights)]
    still = ROUNDING * max(float(np.abs(rest).max()), 0.0)
    for _ in range(MAX_CHANGES):
        largest = 0.0
        for mode, (n, change) in enumerate(zip(counts, changes, strict=True)):
            own = np.where(n > 0.0, n / np.maximum(n + weights[mode], 1.0), 0.0)
            sums = _sums(coords[:, mode], rest, len(n))
            step = own * (change + sums / np.maximum(n, 1.0)) - change
            change += step
            _subtract(rest, step, coords[:, mode])
            largest = max(largest, float(np.abs(step).max()))
        if largest <= still:
            break
    return changes


def _fit_biases(X: SparseTensor, mean: float) -> tuple[tuple[Floats, ...], tuple[float, ...]]:
    """Fit b_n(i) = sum of residuals / (entries + s_n), modes in turn, until the noise settles.

    s_n is the variance of the noise over that of the mode's effects, both estimated from the data
    in the sweeps (expectation-maximisation of the random-effects model, modes as if independent).
    Held out, that is as good as the best constant found by trying many, where no one constant is
    best for all data, and it stills modes that have no effect.
    """
    rest = X.values - mean
    counts = [_sums(X.coords[:, mode], None, dim) for mode, dim in enumerate(X.shape)]
    used = [int(np.count_nonzero(each)) for each in counts]
    biases = [np.zeros(dim) for dim in X.shape]
    noise = _square(rest) / X.nnz
    spreads = [noise / FIRST_SHRINKAGE] * X.order
    shrinkages = [FIRST_SHRINKAGE] * X.order
    for _ in range(MAX_SWEEPS):
        if noise <= (ROUNDING * X.norm) ** 2 / X.nnz:  # nothing is left to explain
            break
        kept = 0.0  # the effective number of effects, over all modes
        for mode, (n, effects) in enumerate(zip(counts, biases, strict=True)):
            shrinkages[mode] = noise / spreads[mode] if spreads[mode] > 0.0 else math.inf
            own = n / (n + shrinkages[mode])  # each row's own share, against that of "no effect"
            column = X.coords[:, mode]
            sums = _sums(column, rest, len(n))
            change = own * (effects + sums / np.maximum(n, 1.0)) - effects
            effects += change
            _subtract(rest, change, column)
            kept += (of_mode := float(own.sum()))
            unsure = spreads[mode] * (used[mode] - of_mode)
            spreads[mode] = (_square(effects) + unsure) / used[mode]
        before, noise = noise, (_square(rest) + noise * kept) / X.nnz
        if abs(noise - before) <= SETTLED * before:
            break
    return tuple(biases), tuple(shrinkages)


def _square(values: Floats) -> float:
    # Not a dot product, whose last bits depend on the number of threads it finds.
    return float(np.einsum("i,i->", values, values))


def _sums(column: NDArray[np.int32], weights: Floats | None, dim: int) -> Floats:
    """Sum weights, or count, per row of a mode."""
    sums = np.zeros(dim)
    for chunk in _chunks(len(column), max(CHUNK, dim)):  # bincount copies what it counts
        part = np.bincount(column[chunk], None if weights is None else weights[chunk])
        sums[: len(part)] += part
    return sums


def _subtract(rest: Floats, change: Floats, column: NDArray[np.int32]) -> None:
    for chunk in _chunks(len(column), CHUNK):
        rest[chunk] -= change[column[chunk]]


def _chunks(n: int, size: int) -> Iterator[slice]:
    return (slice(begin, begin + size) for begin in range(0, n, size))


def _checked(biases: Iterable[ArrayLike]) -> tuple[Floats, ...]:
    checked = tuple(checks.real_values(effects) for effects in biases)
    for mode, effects in enumerate(checked):
        if not np.isfinite(effects).all():
            raise NonFiniteError(f"the biases of mode {mode} are not all finite numbers")
    return checked
