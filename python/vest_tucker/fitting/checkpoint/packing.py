"""The states of running fits as what a file can hold: arrays, and facts that JSON can.

Only classes that say so with `stored` are known, and only by their names: reading a file makes
objects of these and nothing else.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

PLAIN = (bool, int, float, str, type(None))
CONTAINERS: dict[str, Callable[[Iterable[Any]], Any]] = {"list": list, "tuple": tuple, "set": set}
CLASSES: dict[str, type[Any]] = {}
ROWS: dict[str, type[Any]] = {}  # those of which a list is stored as one array
RAW = "biufcUSMm"  # kinds of arrays whose bytes are all there is to them
LENGTH = 8  # bytes


def stored(cls: type[T]) -> type[T]:
    """Say that objects of a class may be stored: a dataclass, or an Enum.

    A class whose objects are more than their fields has two methods: ``to_store`` returns a dict,
    and the class method ``from_store`` makes an object of it and of the context of `unpack`.

    Examples
    --------
    >>> @stored
    ... @dataclasses.dataclass
    ... class Place:
    ...     x: float
    ...     values: np.ndarray
    >>> facts, arrays = pack(Place(0.5, np.arange(3)))
    >>> facts
    {'is': 'Place', 'fields': {'x': 0.5, 'values': {'array': 'a0'}}}
    >>> unpack(facts, arrays)
    Place(x=0.5, values=array([0, 1, 2]))
    >>> _ = CLASSES.pop("Place")
    """
    assert cls.__name__ not in CLASSES, f"two classes are stored as {cls.__name__}"
    CLASSES[cls.__name__] = cls
    return cls


def stored_in_rows(cls: type[T]) -> type[T]:
    """Say that a list of objects of a class may be stored: a dataclass of whole numbers and floats.

    Histories have thousands of records, and each entry of a checkpoint has one.

    Examples
    --------
    >>> @stored_in_rows
    ... @dataclasses.dataclass
    ... class Step:
    ...     number: int
    ...     error: float
    >>> facts, arrays = pack([Step(1, 0.5), Step(2, 0.25)])
    >>> facts, arrays["a0"].tolist()
    ({'rows': 'Step', 'array': 'a0'}, [[1.0, 0.5], [2.0, 0.25]])
    >>> unpack(facts, arrays)
    [Step(number=1, error=0.5), Step(number=2, error=0.25)]
    >>> _ = ROWS.pop("Step"), CLASSES.pop("Step")
    """
    stored(cls)
    ROWS[cls.__name__] = cls
    return cls


def pack(value: Any) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return a value as facts that JSON can hold, and the arrays that these name."""
    arrays: dict[str, NDArray[Any]] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if type(value) in PLAIN:
            return value
        if isinstance(value, np.ndarray):
            arrays[name := f"a{len(arrays)}"] = value
            return {"array": name}
        if isinstance(value, np.random.Generator):
            return {"generator": plain(value.bit_generator.state)}
        if type(value) is list and value and all_rows(value):
            named = [each.name for each in dataclasses.fields(value[0])]
            table = [[getattr(each, name) for name in named] for each in value]
            arrays[name := f"a{len(arrays)}"] = np.array(table, dtype=np.float64)
            return {"rows": type(value[0]).__name__, "array": name}
        if type(value) in (list, tuple, set):
            in_order = sorted(value) if type(value) is set else value
            return {type(value).__name__: [plain(each) for each in in_order]}
        if type(value) is dict:
            return {"dict": [[plain(key), plain(each)] for key, each in value.items()]}
        return of_class(value)

    def all_rows(value: list[Any]) -> bool:
        return len({*map(type, value)}) == 1 and ROWS.get(type(value[0]).__name__) is type(value[0])

    def of_class(value: Any) -> Any:
        name = type(value).__name__
        assert CLASSES.get(name) is type(value), f"a {name} is not stored in files"
        if isinstance(value, Enum):
            return {"is": name, "value": value.value}
        if hasattr(value, "to_store"):
            fields = value.to_store()
        else:
            named = [each.name for each in dataclasses.fields(value) if each.init]
            fields = {each: getattr(value, each) for each in named}
        return {"is": name, "fields": {each: plain(content) for each, content in fields.items()}}

    return plain(value), arrays


def unpack(facts: Any, arrays: Mapping[str, NDArray[Any]], context: Any = None) -> Any:
    """Undo `pack`; what does not look like its work is a `ValueError`.

    ``context`` is what objects belong to that is not stored with them.
    """
    return Reader(arrays, context).value(facts)


@dataclass(frozen=True)
class Reader:
    """Makes values of facts."""

    arrays: Mapping[str, NDArray[Any]]
    context: Any

    def value(self, facts: Any) -> Any:
        """Return the value that facts describe."""
        if type(facts) in PLAIN:
            return facts
        if not isinstance(facts, dict) or not facts:
            raise ValueError(f"{facts!r} is not a stored value")
        what, content = next(iter(facts.items()))
        if what == "is":
            return self.of_class(facts)
        if what == "array":
            return self.arrays[content]
        if what == "rows":
            return self.rows(content, self.arrays[facts["array"]])
        if what == "generator":
            return generator_in(self.value(content))
        if what == "dict":
            return {self.value(key): self.value(each) for key, each in content}
        if what in CONTAINERS:
            return CONTAINERS[what](map(self.value, content))
        raise ValueError(f"{what!r} is not a kind of stored value")

    def rows(self, name: str, table: NDArray[Any]) -> list[Any]:
        """Return the objects that the rows of an array describe."""
        cls = ROWS.get(name)
        if cls is None:
            raise ValueError(f"{name!r} is not a class that is stored in rows")
        kinds = [int if each.type == "int" else float for each in dataclasses.fields(cls)]
        return [
            cls(*(kind(each) for kind, each in zip(kinds, row, strict=True)))
            for row in table.tolist()
        ]

    def of_class(self, facts: dict[str, Any]) -> Any:
        """Return the object that facts describe."""
        cls = CLASSES.get(facts["is"])
        if cls is None:
            raise ValueError(f"{facts['is']!r} is not a class that is stored")
        if issubclass(cls, Enum):
            return cls(facts["value"])
        fields = {name: self.value(each) for name, each in facts["fields"].items()}
        if hasattr(cls, "from_store"):
            return cls.from_store(fields, self.context)
        return cls(**fields)


def generator_in(state: Any) -> np.random.Generator:
    """Return a generator of random numbers in the state of another one."""
    kind = getattr(np.random, str(state["bit_generator"]), None)
    if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
        raise ValueError(f"{state['bit_generator']!r} is not a generator of random numbers")
    bits = kind()
    bits.state = state
    return np.random.Generator(bits)


def to_bytes(facts: Any, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return facts and arrays, as `pack` gives them, one after the other.

    First the length of a text of JSON, then that text, then the bytes of all arrays in its order.
    """
    content: list[bytes] = []
    told: list[Any] = []
    for name, array in arrays.items():
        if array.dtype.kind in RAW:
            told.append([name, array.dtype.str, array.shape])
            content.append(array.tobytes())
        else:
            assert all(type(each) in PLAIN for each in array.flat), "objects are not stored"
            told.append([name, array.tolist(), array.shape])
    text = json.dumps({"facts": facts, "arrays": told}).encode("ascii")
    return b"".join([len(text).to_bytes(LENGTH, "little"), text, *content])


def from_bytes(content: bytes | memoryview) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Undo `to_bytes`, in new arrays; what does not look like its work is a `ValueError`.

    Examples
    --------
    >>> from_bytes(to_bytes({"array": "a0"}, {"a0": np.arange(3)}))
    ({'array': 'a0'}, {'a0': array([0, 1, 2])})
    """
    at = LENGTH + int.from_bytes(content[:LENGTH], "little")
    try:
        told = json.loads(bytes(content[LENGTH:at]))
    except RecursionError:
        raise ValueError("too many things are inside of one another") from None
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind, shape in told["arrays"]:
        if isinstance(kind, list):
            arrays[name] = np.array([None, *np.ravel(kind).tolist()], dtype=object)[1:]
            arrays[name] = arrays[name].reshape(shape)
            continue
        dtype = np.dtype(kind)
        if dtype.kind not in RAW:
            raise ValueError(f"{kind} is not a type of stored arrays")
        end = at + math.prod(shape) * dtype.itemsize
        arrays[name] = np.frombuffer(bytes(content[at:end]), dtype).reshape(shape).copy()
        at = end
    if at != len(content):
        raise ValueError("there are other bytes than those of the arrays")
    return told["facts"], arrays
