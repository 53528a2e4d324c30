"""Options of commands, made of the signatures and docstrings of Python functions.

So an option is written down once, in Python. An option that is not given is not passed on: the
default is the function's own.
"""

from __future__ import annotations

import argparse
import inspect
import re
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from vest_tucker.base.docstrings import documented
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.fit import fit
from vest_tucker.model.model import TuckerModel

NONE = "none"  # how None is written, where it is not the default


class Kinds(NamedTuple):
    """What the type of a parameter allows.

    Attributes
    ----------
    plain : set of type
        Of bool, int, float, str, SparseTensor and TuckerModel, those allowed.
    words : tuple of str
        Words with a meaning of their own, as "auto".
    many : set of type
        The types of elements, if a sequence is allowed.
    named : bool
        Whether a number for each of some names is allowed.
    none : bool
        Whether None is allowed.
    strange : bool
        Whether there is something else, which no command line can say.
    """

    plain: set[Any]
    words: tuple[str, ...]
    many: set[Any]
    named: bool
    none: bool
    strange: bool


def kinds_of(annotation: Any) -> Kinds:
    """Take a type apart.

    Examples
    --------
    >>> kinds = kinds_of(float | Literal["auto"] | None)
    >>> kinds.plain, kinds.words, kinds.none
    ({<class 'float'>}, ('auto',), True)
    """
    found = Kinds(set(), (), set(), False, False, False)
    for each in _members(annotation):
        origin, inside = get_origin(each), get_args(each)
        if each in (bool, int, float, str, SparseTensor, TuckerModel):
            found.plain.add(each)
        elif origin is Literal:
            words = tuple(map(str, inside))
            found = found._replace(words=(*found.words, *words))
            found.plain.update({type(word) for word in inside} - {str})
        elif each is type(None):
            found = found._replace(none=True)
        elif origin is not None and issubclass(origin, Mapping):
            found = found._replace(named=True)
        elif origin in (tuple, Iterable, Sequence) or (
            inspect.isclass(origin) and issubclass(origin, Iterable)
        ):
            for elements in ({*_members(part)} for part in inside):
                # Older NumPy lists numbers in ArrayLike, whose elements may be sequences: no words.
                if not any(get_origin(kind) not in (None, Literal) for kind in elements):
                    found.many.update(elements & {int, float, str})
        else:
            found = found._replace(strange=True)
    return found


def _members(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in (Union, types.UnionType):
        for each in get_args(annotation):
            yield from _members(each)
    else:
        yield annotation


class Option(NamedTuple):
    """A parameter that has become an option: its name in Python, and how argparse adds it."""

    name: str
    flag: str
    how: dict[str, Any]


def options_of(
    function: Callable[..., Any], *, skip: Collection[str] = (), prefix: str = ""
) -> Iterator[Option]:
    """Yield the options of a function that a command line can say."""
    described = {name: each.text for each in documented(function) for name in each.names}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in (*skip, "self", "progress"):  # of this, every command has its own
            continue
        annotation = parameter.annotation
        while isinstance(annotation, str):  # an alias may be a text, too
            annotation = eval(annotation, inspect.unwrap(function).__globals__)
        how = how_to_add(kinds_of(annotation), parameter.default)
        if how is None:
            continue
        said = sentence(described.get(parameter.name, ""), parameter.name)
        dashes = "-" if len(prefix + parameter.name) == 1 else "--"
        flag = f"{dashes}{prefix}{parameter.name}".replace("_", "-")
        default = shown(parameter.default)
        text = f"{said} (default: {default})" if default else said
        how |= {"help": text.replace("%", "%%")}
        yield Option(parameter.name, flag, {"dest": f"{prefix}{parameter.name}", **how})


def how_to_add(kinds: Kinds, default: object) -> dict[str, Any] | None:
    """Return the arguments of ``add_argument`` for a parameter; None if it needs Python."""
    convert = Convert(kinds, accepts_none=kinds.none and default is not None)
    if kinds.plain & {SparseTensor, TuckerModel}:
        return {"metavar": "FILE"}
    if kinds.plain == {bool} and not kinds.many:
        return {"action": argparse.BooleanOptionalAction}
    if kinds.many and bool in kinds.plain:
        return {"nargs": "*", "metavar": "NAME", "action": Flagged}
    if kinds.many - {str} and (kinds.plain or kinds.words or kinds.named):
        return {"nargs": "+", "type": convert, "metavar": "N", "action": OneOrMany}
    if kinds.many and not kinds.plain:
        return {"nargs": "+", "type": convert, "metavar": "NAME" if str in kinds.many else "N"}
    if kinds.words and not kinds.plain:
        if not convert.accepts_none:
            return {"choices": kinds.words}
        return {"type": convert, "metavar": "{" + ",".join((*kinds.words, NONE)) + "}"}
    if kinds.plain & {int, float, str}:
        return {"type": convert, "metavar": "TEXT" if str in kinds.plain else "N"}
    return None


class Convert:
    """The function that makes a Python value of a word: a number, one of the words, or a name."""

    def __init__(self, kinds: Kinds, *, accepts_none: bool) -> None:
        self.kinds, self.accepts_none = kinds, accepts_none

    def __call__(self, word: str) -> Any:
        """Return the value; raise ValueError if the word cannot be one."""
        allowed = self.kinds.plain | self.kinds.many
        name, equals, number = word.partition("=")
        if self.kinds.named and equals:
            return name, int(number)
        if self.accepts_none and word == NONE:
            return None
        if word in self.kinds.words:
            return _number(word, allowed - {str}) if word.isdigit() else word
        return word if str in allowed else _number(word, allowed)

    def __repr__(self) -> str:  # what argparse calls it in a message
        numbers = {int: "whole number", float: "number"}
        allowed = self.kinds.plain | self.kinds.many
        said = [text for kind, text in numbers.items() if kind in allowed]
        words = [*self.kinds.words, *([NONE] if self.accepts_none else [])]
        return " or ".join([*said[-1:], *map(repr, words)])


def _number(word: str, allowed: Collection[Any]) -> float:
    if int in allowed and re.fullmatch(r"[+-]?\d+", word):
        return int(word)
    if float in allowed:
        return float(word)
    raise ValueError(word)


class Flagged(argparse.Action):
    """Alone the option means True; with names it means these."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Store what the option says."""
        setattr(namespace, self.dest, values or True)


class OneOrMany(argparse.Action):
    """One value is itself, several are a list, and name=number pairs are a dict."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Store what the option says."""
        pairs = [each for each in values if isinstance(each, tuple)]
        if pairs and len(pairs) < len(values):
            raise argparse.ArgumentError(self, "give a number for each name, as user=8 movie=4")
        one = values[0] if len(values) == 1 else tuple(values)
        setattr(namespace, self.dest, dict(pairs) if pairs else one)


def sentence(text: str, name: str) -> str:
    """Return the first sentence of a description, without markup.

    Examples
    --------
    >>> sentence("The ``lam`` of it all, J_1, ..., J_N. And more.", "lam")
    'The lam of it all, J_1, ..., J_N.'
    """
    if re.match(r"As for `fit`\.", text):
        text = next(each.text for each in documented(fit) if name in each.names)
    plain = re.sub(r"`+", "", " ".join(text.split()))
    return re.split(r"(?<=[^.\s]\.)\s+(?=[A-Z\"{])|:\s+-\s", plain)[0].rstrip(":")


def shown(default: object) -> str:
    """Return a default as one types it; "" if there is nothing to say."""
    if default in (None, inspect.Parameter.empty) or default is False:
        return ""
    return "yes" if default is True else str(default)


def add_options(parser: argparse.ArgumentParser, title: str, options: Iterable[Option]) -> None:
    """Add options to a parser, as a group of their own."""
    group = parser.add_argument_group(title)
    for option in options:
        # Given earlier, some releases of Python would tell this default in the help of flags.
        group.add_argument(option.flag, **option.how).default = argparse.SUPPRESS


def taken(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """Return the options that were given, by their names in Python."""
    given = vars(arguments)
    return {each.name: given[each.how["dest"]] for each in options if each.how["dest"] in given}
