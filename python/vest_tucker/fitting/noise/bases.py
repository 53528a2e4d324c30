"""Parts in another basis, variances included, and parts without the components that have died.

Predictions stay the same. A variance turns with the squares of the matrix: that is exact for
independent elements, and what the next update corrects where they are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.interrupts import deferred_interrupt
from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Counts, Floats
from vest_tucker.fitting.basis.change import gram, turn_core, turn_rows, unfolded_gram
from vest_tucker.fitting.basis.sparse import sparse_basis
from vest_tucker.fitting.noise.posterior import Parts
from vest_tucker.fitting.noise.priors import Priors

NEGLIGIBLE = 1e-12  # smaller squared singular values, relative to the largest, count as this
NOTHING = 1e-200  # a factor whose largest squared singular value is below this counts as zero
LEAST_SIZE = 1e-6  # of a column, relative to the largest
BALANCING = 5  # rounds over all modes in which slices are given one size
STEEP = 1e8  # how much larger than others the squares of a slice count as, at most
DEAD = 0.1  # a component has died if it explains less than this share of its elements' noise


def turn(parts: Parts, mode: int, matrix: Floats, inverse: Floats) -> None:
    """Turn the factor of a mode by a matrix, and the core by its inverse, in place."""
    with deferred_interrupt() as interrupts:  # half turned, the parts would predict nonsense
        turn_rows(parts.factors[mode], matrix)
        turn_rows(parts.variances[mode + 1], matrix**2)
        turn_core(parts.core, mode, inverse)
        turn_core(parts.variances[0], mode, inverse**2)
    if interrupts:
        raise interrupts[0]


def make_canonical(
    parts: Parts, row_amounts: Sequence[Counts | Floats], size: float, modes: Iterable[int]
) -> None:
    """Give these modes factors with uncorrelated columns of one size, in place.

    Components are ordered by what they explain, the largest first, so that what the data do not
    support gathers in the last ones and can die.
    """
    modes = list(modes)
    for mode in modes:
        weights = row_amounts[mode] / row_amounts[mode].sum()
        squares, axes = np.linalg.eigh(gram(parts.factors[mode], weights))
        if squares[-1] <= NOTHING:
            continue
        sizes = np.sqrt(np.maximum(squares, NEGLIGIBLE * squares[-1])) / size
        turn(parts, mode, axes / sizes, (axes * sizes).T)
    for mode in modes:
        axes = np.linalg.eigh(unfolded_gram(parts.core, mode))[1][:, ::-1]
        turn(parts, mode, np.ascontiguousarray(axes), np.ascontiguousarray(axes.T))


def balance(parts: Parts, modes: Iterable[int]) -> None:
    """Scale columns so that all slices of the core have elements of one size, in place.

    The core has one prior for all of its elements, a factor one for each column. So the size of a
    component belongs into its column: with columns of one size, the elements of a weak component
    would be small in the core beside a prior that is as wide as for strong ones, and noise would
    come in. Of all scales, these have the largest evidence.
    """
    core, variances = parts.core, parts.variances[0]
    expected = core**2 + variances
    live = expected > 0.0
    modes = list(modes)
    for _ in range(BALANCING):
        for mode in modes:
            others = tuple(other for other in range(core.ndim) if other != mode)
            count, squares = live.sum(axis=others), expected.sum(axis=others)
            alive = (count > 0) & (squares > NOTHING)
            if np.count_nonzero(alive) < 2:
                continue
            mean = np.where(alive, squares, 1.0) / np.where(alive, count, 1)
            middle = mean[alive].mean()
            scales = np.sqrt(np.where(alive, np.clip(mean / middle, 1.0 / STEEP, STEEP), 1.0))
            across = along_mode(scales, mode, core.ndim)
            expected /= across**2
            with deferred_interrupt() as interrupts:
                core /= across
                variances /= across**2
                parts.factors[mode][:] *= scales
                parts.variances[mode + 1][:] *= scales**2
            if interrupts:
                raise interrupts[0]


def make_sparse(
    parts: Parts,
    row_amounts: Sequence[Counts | Floats],
    size: float,
    modes: Iterable[int],
    rng: np.random.Generator,
) -> None:
    """Give these modes a basis in which their factors are as sparse as can be, in place."""
    for mode in modes:
        factor = parts.factors[mode]
        basis = sparse_basis(factor, row_amounts[mode], rng)
        squares = np.einsum("ja,jk,ka->a", basis, gram(factor), basis)
        sums = np.einsum("j,ja->a", np.einsum("ij->j", factor), basis)
        sizes = np.sqrt(squares / len(factor)) / size * np.where(sums < 0.0, -1.0, 1.0)
        least = LEAST_SIZE * np.abs(sizes).max()  # a column of next to nothing stays so
        if least <= math.sqrt(NOTHING):
            continue
        sizes[np.abs(sizes) <= least] = least
        turn(parts, mode, basis / sizes, np.linalg.inv(basis) * sizes[:, None])


def explained(parts: Parts, row_amounts: Sequence[Counts | Floats]) -> list[Floats]:
    """Return the mean square of what each component of each mode adds, if others are unrelated."""
    energy = parts.core**2
    for mode, factor in enumerate(parts.factors):
        weights = row_amounts[mode] / row_amounts[mode].sum()
        squares = np.einsum("i,ij->j", weights, factor**2)
        energy = energy * along_mode(squares, mode, energy.ndim)
    modes = range(energy.ndim)
    return [energy.sum(axis=tuple(other for other in modes if other != mode)) for mode in modes]


def clear_dead_columns(parts: Parts) -> None:
    """Make columns zero, in place, whose values are nothing beside their own uncertainty.

    Elements of a core of effects that meet a column of zeros add nothing, and become zero, too:
    whoever counts relations must not count them.
    """
    for number, factor in enumerate(parts.factors, start=1):
        variances = parts.variances[number]
        squares = np.einsum("ij,ij->j", factor, factor)
        dead = (squares <= NEGLIGIBLE * variances.sum(axis=0)) & (squares < np.inf)
        factor[:, dead] = 0.0
        variances[:, dead] = 0.0
        if parts.constant:
            meets = (slice(None),) * (number - 1) + (np.flatnonzero(dead),)
            parts.core[meets] = parts.variances[0][meets] = 0.0


def without_dead(
    parts: Parts, priors: Priors, row_amounts: Sequence[Counts | Floats], modes: Iterable[int]
) -> tuple[Parts, Priors] | None:
    """Return parts and priors without the components that explain nothing; None if all do."""
    total = float(row_amounts[0].sum())
    worth = explained(parts, row_amounts)
    turnable = set(modes)
    kept = []
    for mode, each in enumerate(worth):
        noise = DEAD * len(parts.factors[mode]) * priors.noise / total
        alive = (each > noise) | (each == each.max()) | (mode not in turnable)
        kept.append(np.flatnonzero(alive))
    if all(len(each) == rank for each, rank in zip(kept, parts.ranks, strict=True)):
        return None
    return chosen_components(parts, priors, kept)


def chosen_components(
    parts: Parts, priors: Priors, kept: Sequence[NDArray[np.intp]]
) -> tuple[Parts, Priors]:
    """Return parts and priors with these components of each mode alone."""
    block = np.ix_(*kept)

    def chosen(arrays: Sequence[Floats]) -> list[Floats]:
        core, *factors = arrays
        pairs = zip(factors, kept, strict=True)
        return [
            np.ascontiguousarray(core[block]),
            *(np.ascontiguousarray(factor[:, columns]) for factor, columns in pairs),
        ]

    precision = [priors.precision[0].copy()]
    precision += [each[columns] for each, columns in zip(priors.precision[1:], kept, strict=True)]
    return (
        Parts(chosen(parts.values), chosen(parts.variances)),
        Priors(precision, priors.noise, priors.floor, priors.taken),
    )
