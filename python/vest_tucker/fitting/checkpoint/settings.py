"""Which call a checkpoint belongs to: of what tensor, and with what settings."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import CheckpointError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.per_row import each_chunk
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.packing import PLAIN
from vest_tucker.model.model import TuckerModel

# What changes how a call runs and not what it returns.
OF_THE_RUN = (
    "X", "threads", "progress", "callback", "check_memory", "checkpoint", "checkpoint_every",
    "checkpoint_errors", "on_interrupt",
)  # fmt: skip


def settings_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a result depends on: plain values as they are, others as hashes.

    Examples
    --------
    >>> settings_of({"ranks": (3, 2), "lam": np.float64(0.5), "threads": 4})
    {'ranks': [3, 2], 'lam': 0.5}
    >>> settings_of({"init": (np.ones(1), [])})
    {'init': {'sha256': '16950f065a2bf94a'}}
    """
    return {name: _fact(each) for name, each in arguments.items() if name not in OF_THE_RUN}


def _fact(value: Any) -> Any:
    found = _plain(value)
    return {"sha256": digest(value)} if found is NotImplemented else found


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it; NotImplemented if it cannot."""
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in PLAIN:
        return value
    several: list[Any] = []
    if isinstance(value, Mapping):
        several = [_plain(each) for each in value.values()]
        if any(each is NotImplemented for each in several) or not all(
            isinstance(name, str) for name in value
        ):
            return NotImplemented
        return dict(zip(value, several, strict=True))
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    if isinstance(value, list | tuple):
        several = [_plain(each) for each in value]
        return NotImplemented if any(each is NotImplemented for each in several) else several
    return NotImplemented


def digest(value: Any) -> str:
    """Return a hash of what an argument holds."""
    found = hashlib.sha256()
    _feed(found, value)
    return found.hexdigest()[:16]


def _feed(found: Any, value: Any) -> None:
    if isinstance(value, SparseTensor):
        value = fingerprint(value)
    elif isinstance(value, TuckerModel):
        value = [value.core, *value.factors, list(value.labels or ())]
    elif isinstance(value, np.random.Generator):
        value = value.bit_generator.state
    if isinstance(value, np.ndarray) and value.dtype != object:
        found.update(f"{value.dtype.str} {value.shape}".encode())
        found.update(np.ascontiguousarray(value).data)
    elif isinstance(value, Mapping):
        _feed(found, [list(value), *value.values()])
    elif isinstance(value, list | tuple | np.ndarray):
        value = np.atleast_1d(value) if isinstance(value, np.ndarray) else value
        found.update(f"[{len(value)}".encode())
        for each in value:
            _feed(found, each)
    elif " at 0x" in (text := repr(value)):  # where it lies, which says nothing of what it is
        raise CheckpointError(
            f"a call with {text} cannot be recognized when it is made again; give a list, an array "
            f"or a number in its place, or leave checkpoint= out"
        )
    else:
        found.update(text.encode())


def data_of(X: SparseTensor) -> dict[str, Any]:
    """Return what identifies a tensor."""
    return {"shape": list(X.shape), "nnz": X.nnz, "sha256": fingerprint(X)}


def fingerprint(X: SparseTensor) -> str:
    """Return a hash of the entries: coordinates, values and weights, in their order.

    Of many entries it is the hash of those of their chunks, which may lie anywhere.
    """
    arrays = [array for array in (X.coords, X.values, X.weights) if array is not None]
    found = list(each_chunk(functools.partial(_hashed, repr(X.shape)), *arrays))
    return (found[0] if len(found) == 1 else hashlib.sha256(b"".join(found)).digest()).hex()


def _hashed(shape: str, *arrays: NDArray[Any]) -> bytes:
    digest = hashlib.sha256(shape.encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


def require_same(path: AnyPath, was: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise unless a checkpoint was written by the same call of the same tensor."""
    if was["call"] != now["call"]:
        raise CheckpointError(
            f"{path} was written by {was['call']}, and cannot be gone on from by {now['call']}; "
            f"vt.resume calls what wrote it"
        )
    if was["data"] != now["data"]:
        which = [name for name in ("shape", "nnz") if was["data"][name] != now["data"][name]]
        told = [f"{name} {was['data'][name]} there, {now['data'][name]} here" for name in which]
        what = "; ".join(told) or "same shape, but other entries, or in another order"
        raise CheckpointError(f"{path} was written for another tensor ({what})")
    before, after = was["settings"], now["settings"]
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if "seed" in names and after["seed"] is None:  # it was drawn, and is in the file
        names.remove("seed")
    if names:
        told = [
            f"{each}={_shown(before, each)} there, {_shown(after, each)} here" for each in names
        ]
        raise CheckpointError(
            f"{path} was written with other settings: {'; '.join(told)}; vt.resume(path, X) takes "
            f"those of the file, and another file name starts anew"
        )


def _shown(settings: Mapping[str, Any], name: str) -> str:
    if name not in settings:
        return "not known"
    value = settings[name]
    return "other content" if isinstance(value, dict) and "sha256" in value else repr(value)
