"""Names that a reader gives to components, kept with the model and used wherever it is shown."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import is_whole, shown

Names: TypeAlias = "tuple[dict[int, str], ...]"


def checked_names(given: object, ranks: Sequence[int]) -> Names:
    """Return the names of the components of each mode in dicts of their own.

    Keys may be text, as in files. Names of components that a model does not have are left out.

    Examples
    --------
    >>> checked_names([{"1": "breakfast", "7": "gone"}, {}], (3, 2))
    ({1: 'breakfast'}, {})
    """
    named: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    if not named:
        return tuple({} for _ in ranks)
    if len(named) != len(ranks) or not all(isinstance(each, Mapping) for each in named):
        raise OptionError(
            f"component_names must be a dict of names by component for each of the {len(ranks)} "
            f"modes, but are {given!r}"
        )
    kept: list[dict[int, str]] = []
    for each, rank in zip(named, ranks, strict=True):
        numbers = {_number(key): checked_name(name) for key, name in each.items()}
        kept.append({n: name for n, name in sorted(numbers.items()) if 0 <= n < rank})
    return tuple(kept)


def _number(key: object) -> int:
    """Return the number of a component, which may be a text."""
    try:
        if isinstance(key, bool):
            raise ValueError
        return int(key) if isinstance(key, str) else operator.index(key)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise OptionError(
            f"component_names has a name for {key!r}; name components by their numbers, from 0"
        ) from None


def checked_name(name: object) -> str:
    """Return a name, provided that it is a text of one line that is not empty."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise OptionError(
            f"the name of a component is {name!r}; choose a text of one line that is not empty"
        )
    return str(name)


def checked_component(component: object, rank: int) -> int:
    """Return the number of a component, provided that there is one."""
    if is_whole(component) and 0 <= (own := operator.index(component)) < rank:  # type: ignore[arg-type]
        return own
    raise OptionError(f"component is {shown(component)}; there are those from 0 to {rank - 1}")


def renamed(names: Names, ranks: Sequence[int], place: tuple[int, int], name: str | None) -> Names:
    """Return the names with one given to a component of a mode, or taken away if it is None.

    They are in dicts of their own, because copies of a model share those given.

    Examples
    --------
    >>> renamed(({0: "lunch"}, {}), (2, 2), (1, 1), "clerks")
    ({0: 'lunch'}, {1: 'clerks'})
    >>> renamed((), (2, 2), (1, 1), None)
    ({}, {})
    """
    found = checked_names(names, ranks)
    mode, component = place
    if name is None:
        found[mode].pop(component, None)
    else:
        found[mode][component] = checked_name(name)
    return found


def renumbered(names: Names, live: Sequence[Iterable[int]]) -> Names:
    """Return the names of some components of each mode, under their new numbers.

    Examples
    --------
    >>> renumbered(({0: "lunch", 3: "breakfast"},), [[1, 3]])
    ({1: 'breakfast'},)
    """
    return tuple(
        {new: own[int(old)] for new, old in enumerate(kept) if int(old) in own}
        for own, kept in zip(names, live, strict=True)
    )


def title(names: Names, modes: Sequence[str], mode: int, component: int) -> str:
    """Return what a component is called: the name it was given, or its mode and number.

    Examples
    --------
    >>> [title(({0: "breakfast"},), ["dish"], 0, component) for component in (0, 1)]
    ['breakfast', 'dish 1']
    """
    own = names[mode] if names else {}
    return own.get(component, f"{modes[mode]} {component}")
