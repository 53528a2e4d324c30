"""Constraints on a model: signs, zeros, elements that are never pruned, fixed parts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.errors import InitError, OptionError
from vest_tucker.base.types import Floats
from vest_tucker.data.labels import ModeLabels, show_some

Masks: TypeAlias = "dict[int, NDArray[np.bool_]]"
# A mask of the part's shape, or pairs of labels and the components that these rows may load on.
Where: TypeAlias = "ArrayLike | Sequence[tuple[Any, Any]]"
CORE = "core"


@dataclass(frozen=True)
class Constraints:
    """What must hold of the result, by part: 0 is the core, n + 1 the factor of mode n.

    Attributes
    ----------
    nonnegative : frozenset of int
        Parts without an element below zero.
    zero, kept : dict of mask by part
        Elements that are zero for good, and elements that are never pruned.
    fixed : dict of ndarray by part
        Parts that stay as they are given.
    """

    nonnegative: frozenset[int] = frozenset()
    zero: Masks = field(default_factory=dict)
    kept: Masks = field(default_factory=dict)
    fixed: dict[int, Floats] = field(default_factory=dict)

    @property
    def names_elements(self) -> bool:
        """Whether any constraint is on single elements or whole parts, and not just on signs."""
        return bool(self.zero or self.kept or self.fixed)

    def turnable(self, order: int) -> list[int]:
        """Return the modes whose basis may change: nothing is said of their factor or the core.

        Examples
        --------
        >>> Constraints(nonnegative=frozenset({2})).turnable(3)
        [0, 2]
        """
        named = self.nonnegative | self.zero.keys() | self.kept.keys() | self.fixed.keys()
        return [] if 0 in named else [mode for mode in range(order) if mode + 1 not in named]

    def and_also(self, other: Constraints) -> Constraints:
        """Return both; what the other never prunes is pruned all the same if it is zero here."""
        zero = _either(self.zero, other.zero)
        kept = _either(self.kept, other.kept)
        for part in kept.keys() & zero.keys():
            kept[part] = kept[part] & ~zero[part]
        free = {part: mask for part, mask in zero.items() if part not in self.fixed}
        return Constraints(
            self.nonnegative | other.nonnegative, free, kept, other.fixed | self.fixed
        )

    def impose_on(self, core: Floats, factors: Sequence[Floats]) -> None:
        """Make a start meet the constraints, in place."""
        for part, array in enumerate((core, *factors)):
            if part in self.fixed:
                np.copyto(array, self.fixed[part])
            elif part in self.nonnegative and array.min() < 0.0:
                raise InitError(
                    f"the start has {array.min():g} in {_called(part)}, which nonnegative= forbids"
                )
            if part in self.zero:
                array[self.zero[part]] = 0.0

    def apply_to(self, solver: _core.Solver) -> None:
        """Mark the elements of a solver that stay zero, and those that are never pruned."""
        for part, mask in self.zero.items():
            solver.set_pruned(part, mask)
        for part, mask in self.kept.items():
            solver.set_kept(part, mask)
        for part, array in self.fixed.items():
            solver.set_kept(part, np.ones(array.shape, dtype=bool))


def parse(
    modes: ModeLabels,
    shape: Sequence[int],
    ranks: tuple[int, ...],
    *,
    nonnegative: bool | str | int | Iterable[str | int] = False,
    support: Mapping[str | int, Where] | None = None,
    keep: Mapping[str | int, Where] | None = None,
    fixed: Mapping[str | int, ArrayLike] | None = None,
) -> Constraints:
    """Check the constraints that the caller asks for, and return them by part.

    Examples
    --------
    >>> modes = ModeLabels(2, ["user", "dish"], {"dish": ["soup", "rice", "tea"]})
    >>> found = parse(modes, (4, 3), (2, 2), nonnegative="dish", support={"dish": [("tea", 1)]})
    >>> found.nonnegative, found.zero[2].tolist()
    (frozenset({2}), [[False, False], [False, False], [True, False]])
    """
    shapes = [ranks, *zip(shape, ranks, strict=True)]
    allowed = _masks("support", support, modes, shapes, outside=True)
    zero = {part: ~mask for part, mask in allowed.items()}
    kept = _masks("keep", keep, modes, shapes, outside=False)
    parts: dict[int, Floats] = {}
    for name, array in _mapping("fixed", fixed).items():
        part = _new_part("fixed", name, modes, parts)
        parts[part] = _fixed(name, array, shapes[part])
    found = Constraints(_parts_without_negatives(nonnegative, modes), zero, kept, parts)
    _require_agreement(found)
    return found


def _require_agreement(found: Constraints) -> None:
    """Raise if one thing that is said of a part rules out another."""
    zero, kept, fixed = found.zero, found.kept, found.fixed
    for part in fixed.keys() & found.nonnegative:
        least = fixed[part].min()
        if least < 0.0:
            raise OptionError(f"fixed has {least:g} in {_called(part)}, which nonnegative= forbids")
    for part in kept.keys() & zero.keys():
        if (kept[part] & zero[part]).any():
            where = tuple(np.argwhere(kept[part] & zero[part])[0].tolist())
            raise OptionError(f"keep= wants {where} of {_called(part)}, which support= forbids")
    for part in fixed.keys() & (kept.keys() | zero.keys()):
        raise OptionError(f"{_called(part)} is fixed, so support= and keep= say nothing of it")


def _either(one: Masks, other: Masks) -> Masks:
    both = {part: one[part] | other[part] for part in one.keys() & other.keys()}
    return one | other | both


def _called(part: int) -> str:
    return f"factor {part - 1}" if part else "the core"


def _part(option: str, name: str | int, modes: ModeLabels) -> int:
    """Return the part that a key names: "core", or a mode by name or number."""
    if isinstance(name, str) and name == CORE:
        return 0
    try:
        return 1 + modes.number(name)
    except ValueError as error:
        raise OptionError(f'{option}: {error}; "core" is the core') from None


def _new_part(option: str, name: str | int, modes: ModeLabels, parts: Container[int]) -> int:
    """Return the part that a key names, for the first time: 0 and a mode's name are the same."""
    part = _part(option, name, modes)
    if part in parts:
        raise OptionError(f"{option} names {_called(part)} twice")
    return part


def _parts_without_negatives(
    given: bool | str | int | Iterable[str | int], modes: ModeLabels
) -> frozenset[int]:
    if isinstance(given, bool | np.bool_):
        return frozenset(range(1 + modes.order) if given else ())
    one = isinstance(given, str | int) or getattr(given, "ndim", 1) == 0
    names: Any = [given] if one or not isinstance(given, Iterable) else given
    return frozenset(_part("nonnegative", name, modes) for name in names)


def _mapping(option: str, given: Mapping[str | int, Any] | None) -> Mapping[str | int, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(f'{option} must be a dict by mode or "core", but is {given!r}')
    return given


def _masks(
    option: str,
    given: Mapping[str | int, Where] | None,
    modes: ModeLabels,
    shapes: Sequence[tuple[int, ...]],
    *,
    outside: bool,
) -> Masks:
    """Return a mask per part named; ``outside`` is what it says where groups say nothing."""
    masks: Masks = {}
    for name, where in _mapping(option, given).items():
        part = _new_part(option, name, modes, masks)
        if _is_mask(where):
            masks[part] = _checked_mask(option, name, np.asarray(where), shapes[part])
        else:
            masks[part] = _groups(option, name, where, modes, part, shapes[part], outside)
    return masks


def _is_mask(where: Any) -> bool:
    if isinstance(where, np.ndarray):
        return True
    try:
        return np.asarray(where).dtype == np.bool_
    except ValueError:  # of ragged rows, which groups may be
        return False


def _checked_mask(
    option: str, name: str | int, mask: NDArray[Any], shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    if mask.dtype != np.bool_ or mask.shape != shape:
        raise OptionError(
            f"{option}[{name!r}] must be a mask of True and False of the shape {shape}, but has "
            f"the dtype {mask.dtype} and the shape {mask.shape}"
        )
    return np.ascontiguousarray(mask)


def _groups(
    option: str,
    name: str | int,
    groups: Any,
    modes: ModeLabels,
    part: int,
    shape: tuple[int, ...],
    outside: bool,
) -> NDArray[np.bool_]:
    """Make a mask of pairs (labels, components): these rows, on these components alone."""
    mask = np.full(shape, outside)
    form = f"{option}[{name!r}] must be a mask, or a list of pairs (labels, components)"
    if part == 0:
        raise OptionError(f"{form[: form.index(',')]} of the core's shape {shape}")
    try:
        pairs = [(_listed(labels), _listed(components)) for labels, components in groups]
    except (TypeError, ValueError):
        raise OptionError(f"{form}, but is {groups!r}") from None
    for labels, components in pairs:
        rows = modes.encode(part - 1, labels)
        lost = [label for label, row in zip(labels, rows, strict=True) if not 0 <= row < shape[0]]
        if lost:
            raise OptionError(f"{option}[{name!r}]: mode {name!r} has no {show_some(lost)}")
        for component in components:
            if isinstance(component, bool) or component not in range(shape[1]):
                raise OptionError(
                    f"{option}[{name!r}]: there is no component {component!r}; they go from 0 to "
                    f"{shape[1] - 1}"
                )
        mask[rows] = False
        columns = np.array([int(component) for component in components], dtype=np.intp)
        mask[np.ix_(rows, columns)] = True
    return mask


def _listed(one_or_many: Any) -> list[Any]:
    single = isinstance(one_or_many, str | bytes) or not isinstance(one_or_many, Iterable)
    return [one_or_many] if single else list(one_or_many)


def _fixed(name: str | int, array: ArrayLike, shape: tuple[int, ...]) -> Floats:
    try:
        values = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"fixed[{name!r}] is not an array of numbers: {error}") from None
    if values.shape != shape:
        raise OptionError(
            f"fixed[{name!r}] must have the shape {shape}, but has the shape {values.shape}"
        )
    if not np.isfinite(values).all():
        where = tuple(np.argwhere(~np.isfinite(values))[0].tolist())
        raise OptionError(f"fixed[{name!r}] has {values[where]} at {where}; all must be finite")
    return checks.real_values(values.ravel()).reshape(shape)
