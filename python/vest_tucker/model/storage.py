"""Writing a model to a file and reading it back bit for bit; nothing in it is ever executed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import DamagedFileError, OptionError
from vest_tucker.base.options import check_path
from vest_tucker.base.types import AnyPath
from vest_tucker.data.label_arrays import storable
from vest_tucker.data.sources.zones import with_zones, zones_of
from vest_tucker.io.archive import read_archive, write_archive
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.offset import Offset

KIND = "model"
# Fields that are lists with an array per mode. Where it is None instead, the file has no array.
PER_MODE = ("factors", "entries", "labels", "row_totals", "factor_variances")
OPTIONAL_LISTS = ("entries", "row_totals", "factor_variances")  # None if no mode has one
# Facts that are None if unknown, and then not in the file, with a value of the type they have.
OPTIONAL_FACTS: dict[str, Any] = {"value_range": (), "ranks_before": (), "made": {}}
OFFSET_FACTS = ("kind", "mean", "error")
OFFSET_MORE = ("shrinkage",)  # missing in older files
MEASURED_FACTS = ("residual", "total", "norm", "mean", "offset")  # the rest of it are arrays
JSON_TYPES: dict[type, tuple[type, ...]] = {float: (float, int), tuple: (list,)}
COLUMNS = tuple(field.name for field in fields(IterationRecord))


def check_model_path(path: AnyPath) -> None:
    """Raise if the name of a file says that it is no model."""
    suffix = check_path("path", path).suffix
    if suffix.lower() not in ("", ".npz"):
        raise OptionError(
            f"a model is written as .npz, but {os.fspath(path)!r} ends in {suffix!r}; name it .npz"
        )


def write_model(path: str | os.PathLike[str], model: Mapping[str, Any]) -> None:
    """Write the fields of a model: arrays as arrays, all else as JSON."""
    check_model_path(path)
    arrays: dict[str, NDArray[Any]] = {"core": model["core"]}
    if model["core_variance"] is not None:
        arrays["core_variance"] = model["core_variance"]
    for name in PER_MODE:
        for mode, array in enumerate(model[name] or ()):
            if array is not None:
                arrays[f"{name}_{mode}"] = storable(array, f"{name} of mode {mode}")
    offset = model["offset"]
    if offset is not None:
        arrays |= {f"offset_biases_{mode}": each for mode, each in enumerate(offset.biases)}
    table = zip(*map(astuple, model["history"]), strict=True)
    for column, values in zip(COLUMNS, table, strict=False):  # the table of no iterations is empty
        arrays[f"history_{column}"] = np.array(values)
    measured = model["measured"]
    if measured is not None:
        arrays["measured_core"] = measured.core
        arrays |= {f"measured_components_{n}": each for n, each in enumerate(measured.components)}
    unknown = {name for name in OPTIONAL_FACTS if model[name] is None}
    if not any(model["component_names"]):
        unknown.add("component_names")  # files without names are read by older versions, too
    apart = {"core", "core_variance", "history", "offset", "measured", *PER_MODE, *unknown}
    facts = {name: _plain(model[name]) for name in model.keys() - apart}
    facts |= zones_of(model["labels"])
    if offset is not None:
        facts["offset"] = {name: getattr(offset, name) for name in (*OFFSET_FACTS, *OFFSET_MORE)}
    if measured is not None:
        facts["measured"] = {name: getattr(measured, name) for name in MEASURED_FACTS}
    write_archive(path, KIND, arrays, dict(sorted(facts.items())))


def _plain(fact: Any) -> Any:
    return fact.item() if isinstance(fact, np.generic) else fact


def read_model(path: str | os.PathLike[str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields of a model; raise if the file is damaged or does not hold a model.

    ``defaults`` has every field that is not an array, with a value of the type to expect.
    """
    arrays, facts = read_archive(path, KIND)
    try:
        order = arrays["core"].ndim
        per_mode = {
            name: [arrays.get(f"{name}_{mode}") for mode in range(order)] for name in PER_MODE
        }
        for name in OPTIONAL_LISTS:
            if all(array is None for array in per_mode[name]):
                del per_mode[name]
        per_mode["labels"] = with_zones(per_mode["labels"], facts.pop("zones", None))
        offset = _offset(facts.pop("offset", None), arrays, order)
        measured = _measured(facts.pop("measured", None), arrays, order)
        _check_facts(facts, {**defaults, **OPTIONAL_FACTS})
        apart = {"core": arrays["core"], "history": _history(arrays), "offset": offset}
        apart |= {"core_variance": arrays.get("core_variance"), "measured": measured}
        return {**apart, **per_mode, **facts}
    except (KeyError, TypeError, ValueError) as error:
        raise not_a_model(path, error) from error


def _check_facts(facts: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    for name, fact in facts.items():
        if name not in defaults:
            raise KeyError(f"unknown field {name!r}")
        kind = type(defaults[name])
        if not isinstance(fact, JSON_TYPES.get(kind, kind)):
            raise TypeError(f"{name} is {fact!r}")


def _offset(facts: Any, arrays: Mapping[str, NDArray[Any]], order: int) -> Offset | None:
    names = [f"offset_biases_{mode}" for mode in range(order)]
    if facts is None:
        if any(name in arrays for name in names):
            raise ValueError("there are biases without an offset")
        return None
    if not isinstance(facts, dict) or facts.keys() - set(OFFSET_MORE) != set(OFFSET_FACTS):
        raise ValueError(f"the offset is {facts!r}")
    _check_facts(facts, {"kind": "", "mean": 0.0, "error": 0.0, "shrinkage": ()})
    return Offset(biases=tuple(arrays[name] for name in names if name in arrays), **facts)


def _measured(facts: Any, arrays: Mapping[str, NDArray[Any]], order: int) -> Importance | None:
    if facts is None:
        return None
    if not isinstance(facts, dict) or facts.keys() != set(MEASURED_FACTS):
        raise ValueError(f"what was measured is {facts!r}")
    _check_facts(facts, {**dict.fromkeys(MEASURED_FACTS, 0.0), "offset": ()})
    offset = tuple(float(each) for each in facts.pop("offset"))
    components = [arrays[f"measured_components_{mode}"] for mode in range(order)]
    return Importance(arrays["measured_core"], components, offset=offset, **facts)


def _history(arrays: Mapping[str, NDArray[Any]]) -> list[IterationRecord]:
    if f"history_{COLUMNS[0]}" not in arrays:
        return []
    stored = [arrays[f"history_{column}"] for column in COLUMNS]
    for name, column in zip(COLUMNS, stored, strict=True):
        if column.ndim != 1 or column.dtype.kind not in "iuf":
            raise ValueError(f"the history of {name} is not a list of numbers")
    columns = [column.tolist() for column in stored]
    return [IterationRecord(*row) for row in zip(*columns, strict=True)]


def not_a_model(path: str | os.PathLike[str], why: Exception) -> DamagedFileError:
    """Return the error for a file whose parts are whole but do not form a model."""
    return DamagedFileError(f"its parts do not form a model ({why}); write or fetch it again", path)
