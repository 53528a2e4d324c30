"""Changes files at random and reads them: nothing but errors by name, quickly, in little memory.

``python tests/mutating.py 20000`` makes so many changed files; ``--seed`` makes others, and
``--only 7`` shows one; ``--unlimited`` lets memory and time be, for sanitizers take many times
as much. What is damaged (bytes flipped, cut, moved) is refused, or read as if it
was whole. What is forged (the checksums are made anew) is refused, or is a tensor or a model that
can be used.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import hashlib
import io
import json
import math
import resource
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import vest_tucker as vt
from small import LABELS, MODES, fitted, labelled, small_model, with_biases, with_variances
from vest_tucker.io.safety.header import HEADER, signed
from vest_tucker.io.safety.npy_head import read_head

MEMORY = 64 << 20  # bytes that reading a file of a few kilobytes may take
SECONDS = 1.0  # of the processor that it may take: a loaded machine makes nothing bad
# What a forged header may say instead of anything else.
STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 3, 2**31, 2**63, 10**30, 1e308, -0.5, float("nan"), float("inf"), "", "x",
    "\ud800", "../../x", "x" * 10_000, [], [[]], [None] * 3, [0, -1], [2**31 - 1] * 3,
    [1] * 40, {}, {"": 1}, [[[[[[[[]]]]]]]],
)  # fmt: skip
DTYPES = ("<f8", ">f8", "<f4", "<i8", "<i4", "<u8", "|i1", "|b1", "<c16", "<M8[D]", "<m8[s]",
          "|S8", "<U2", "<U0", "|S0", "|V0", "|V8", "|O", "<f2", "<M8[ns]")  # fmt: skip
NUMBERS = (0.0, -1.0, 1e308, -1e308, np.nan, np.inf, 2.0**31, 2.0**62, 0.5)


DAMAGES = ("flip", "bits", "overwrite", "zeros", "remove", "insert", "move", "cut")
# How a member begins in the list of them; its flags, of which one says that it is encrypted.
LISTED, FLAGS = b"PK\x01\x02\x14\x03\x14\x00", (b"\x00", b"\x01")


class Kind(NamedTuple):
    """A kind of file: its name, a good file of it, how to read it, and what must be the same."""

    name: str
    good: bytes
    read: Callable[[Path], Any]
    content: Callable[[Any], Any]


def kinds(folder: Path) -> list[Kind]:
    """Return good files of each kind."""
    rng = np.random.default_rng(0)
    X = vt.SparseTensor(
        [[0, 0, 0], [1, 2, 1], [3, 1, 4], [2, 0, 1]], [1.0, 2.0, -1.0, 0.5], modes=MODES,
        labels=LABELS, weights=[1.0, 2.0, 0.5, 1.0],
    )  # fmt: skip
    model = fitted(labelled(with_biases(with_variances(small_model(rng), rng), rng)))
    found = []
    for name in ("x.npz", "x.tns.gz", "x.csv", "x.tns"):
        path = folder / name
        if name == "x.npz" or "csv" in name:
            vt.write(X, path)
        else:
            vt.write(X.with_weights(None), path)
        found.append(Kind(name, path.read_bytes(), vt.read, tensor_content))
    model.save(folder / "model.npz")
    whole = (folder / "model.npz").read_bytes()
    return [Kind("model.npz", whole, vt.TuckerModel.load, model_content), *found]


def tensor_content(tensor: vt.SparseTensor) -> Any:
    """Return all of a tensor, to compare; and use it a little."""
    str(tensor), tensor.to_frame(backend="pyarrow")
    parts = (tensor.coords, tensor.values, tensor.weights, *tensor.labels)
    return tensor.shape, tensor.modes, [exactly(each) for each in parts]


def model_content(model: vt.TuckerModel) -> Any:
    """Return all of a model, to compare; and use it a little."""
    str(model), model.predict([[0] * model.order], unseen="mean")
    fields = [each.name for each in dataclasses.fields(model)]
    return [(name, exactly(getattr(model, name))) for name in fields]


def exactly(value: Any) -> Any:
    """Return a value so that only what is the same bit for bit is equal."""
    if isinstance(value, np.ndarray):
        content = value.tolist() if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, content
    if isinstance(value, tuple | list):
        return [exactly(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [exactly(getattr(value, each.name)) for each in dataclasses.fields(value)]
    return repr(value)


# --- Damage ---------------------------------------------------------------------------------------


def damaged(good: bytes, rng: np.random.Generator) -> tuple[bytes, str]:
    """Return a file with some bytes flipped, overwritten, left out, put in, moved or cut off."""
    content, at = bytearray(good), int(rng.integers(len(good)))
    length = int(min(2 ** rng.uniform(0, 9), len(good) - at))
    what = str(rng.choice(DAMAGES))
    if what == "flip":
        content[at] ^= int(rng.integers(1, 256))
    elif what == "bits":
        for place in rng.integers(len(good), size=int(rng.integers(2, 20))):
            content[place] ^= 1 << int(rng.integers(8))
    elif what == "overwrite":
        content[at : at + length] = rng.bytes(length)
    elif what == "zeros":
        content[at : at + length] = bytes(length)
    elif what == "remove":
        del content[at : at + length]
    elif what == "insert":
        content[at:at] = rng.bytes(length)
    elif what == "move":
        run = content[at : at + length]
        del content[at : at + length]
        to = int(rng.integers(len(content) + 1))
        content[to:to] = run
    else:
        del content[at:]
    return bytes(content), f"{what} at {at}"


# --- Forgery --------------------------------------------------------------------------------------


def forged(good: bytes, rng: np.random.Generator) -> tuple[bytes, str]:
    """Return an archive that says something else, all its checksums made anew."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members.pop(HEADER))
    del header["checksum"]
    what = ""
    for _ in range(1 if rng.random() < 0.7 else 3):
        forges = (_forge_header, _forge_array, _forge_members)
        forge = forges[int(rng.choice(len(forges), p=[0.5, 0.35, 0.15]))]
        what += forge(header, members, rng) + "; "
    file = io.BytesIO()
    way = rng.random()
    packed = zipfile.ZIP_DEFLATED if way < 0.03 else zipfile.ZIP_STORED
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", packed) as archive:
        warnings.simplefilter("ignore")
        for name, content in members.items():
            archive.writestr(name, content)
            if 0.03 < way < 0.05:
                archive.writestr(name, content)  # twice
        archive.writestr(HEADER, _unsigned(header) if 0.05 < way < 0.15 else signed(header))
    content = file.getvalue()
    if way > 0.97:  # encrypted, as the flags in the list of members say
        content = content.replace(LISTED + FLAGS[0], LISTED + FLAGS[1])
    return content, what


def _unsigned(header: dict[str, Any]) -> bytes:
    header.pop("types", None)  # as files of earlier versions are
    return json.dumps(header).encode()


def _forge_header(header: Any, members: dict[str, bytes], rng: np.random.Generator) -> str:
    """Replace, leave out or add something at some depth of the header."""
    place, path = header, ""
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return f"nothing in {path}"
        weights = [5.0 if key == "meta" else 1.0 for key in keys]
        key = keys[int(rng.choice(len(keys), p=np.array(weights) / sum(weights)))]
        path += f"/{key}"
        if not isinstance(place[key], dict | list) or rng.random() < 0.2:
            break
        place = place[key]
    way = rng.random()
    if way < 0.15:
        del place[key]
    elif way < 0.25 and isinstance(place, dict):
        place[f"{key}_more"] = copy.deepcopy(place[key])
    else:
        place[key] = copy.deepcopy(STRANGE[int(rng.integers(len(STRANGE)))])
    return f"{path} {way:.2f}"


def _forge_array(header: Any, members: dict[str, bytes], rng: np.random.Generator) -> str:
    """Change type, shape or elements of an array; the header says the same."""
    name = str(rng.choice(sorted(members)))
    try:
        file = io.BytesIO(members[name])
        dtype, shape = read_head(file)
    except (ValueError, TypeError):
        return f"{name} is no array any more"
    content = file.read()
    descr, way = dtype.str, rng.random()
    if way < 0.3:
        descr = str(rng.choice(DTYPES))
    elif way < 0.5:
        sides = [*shape, 0, 1, 2**33, 2**60, 7]
        shape = tuple(int(side) for side in rng.choice(sides, size=int(rng.integers(0, 5))))
    elif way < 0.8 and content and len(content) % dtype.itemsize == 0:
        array = np.frombuffer(content, dtype).copy()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            number = np.float64(NUMBERS[int(rng.integers(len(NUMBERS)))])
            array[int(rng.integers(array.size))] = np.array(number).astype(dtype)
        content = array.tobytes()
    elif way < 0.9:
        content = content[: int(rng.integers(len(content) + 1))]
        shape = (len(content) // max(dtype.itemsize, 1),)
    else:
        shape, content = (2 * shape[0], *shape[1:]) if shape else (2,), content * 2
    file = io.BytesIO()
    described = {"descr": descr, "fortran_order": bool(rng.random() < 0.03), "shape": shape}
    np.lib.format.write_array_header_1_0(file, described)
    members[name] = file.getvalue() + content
    if isinstance(header.get("types"), dict):
        header["types"][name] = [descr, list(shape)]
    stem, _, last = name.removesuffix(".npy").rpartition(".")
    array_name, part = (stem, last) if last in ("utf8", "offsets") else (name[:-4], "npy")
    try:
        header["arrays"][array_name][part] = hashlib.sha256(content).hexdigest()
    except (KeyError, TypeError):
        return f"{name} of no array"
    return f"{name} {descr} {shape} {way:.2f}"


def _forge_members(header: Any, members: dict[str, bytes], rng: np.random.Generator) -> str:
    """Exchange, rename, empty or leave out members."""
    one, two = (str(each) for each in rng.choice(sorted(members), size=2))
    way = int(rng.integers(5))
    if way == 0:
        members[one], members[two] = members[two], members[one]
    elif way == 1:
        members[f"../{one}"] = members.pop(one)
    elif way == 2:
        members[one] = b""
    elif way == 3 and len(members) > 1:
        del members[one]
    else:
        members[one] = members[one][: int(rng.integers(len(members[one]) + 1))]
    return f"member {one} {way}"


# --- Reading --------------------------------------------------------------------------------------


def outcome(
    path: Path, kind: Kind, whole: Any, is_damage: bool, show: bool, seconds: float = SECONDS
) -> str:
    """Read a file and return what came of it; what must not come begins with BAD."""
    began = time.process_time()
    try:
        found = kind.read(path)
        took = time.process_time() - began
        is_same = kind.content(found) == whole
        result = "the same" if is_same else "BAD: another content" if is_damage else "another"
    except Exception as error:  # any that has no name of ours is bad
        took = time.process_time() - began
        named = type(error).__module__ == "vest_tucker.errors"
        result = type(error).__name__ if named else f"BAD: {type(error).__name__}: {error}"
        if show:
            traceback.print_exception(error)
    return f"BAD: {took:.1f} s" if took > seconds else result


def limit_memory(more: int) -> None:
    """Let this process take only so much more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def run(times: int, seed: int, only: int | None, *, unlimited: bool = False) -> int:
    """Read so many changed files, and print what came of them; return how many are bad."""
    seconds = math.inf if unlimited else SECONDS
    outcomes: Counter[str] = Counter()
    slowest, bad = 0.0, 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        files = kinds(Path(folder))
        wholes = []
        for kind in files:
            path = Path(folder) / kind.name
            path.write_bytes(kind.good)
            wholes.append(kind.content(kind.read(path)))
        if Path("/proc/self/statm").exists() and not unlimited:
            limit_memory(MEMORY)
        for number in range(times) if only is None else [only]:
            rng = np.random.default_rng([seed, number])
            place = number % len(files) if number % 4 == 0 else number % 2
            kind, whole = files[place], wholes[place]
            is_archive = kind.name.endswith(".npz")
            is_damage = not is_archive or bool(rng.random() < 0.4)
            content, what = (damaged if is_damage else forged)(kind.good, rng)
            path = Path(folder) / kind.name
            path.write_bytes(content)
            began = time.process_time()
            shown = only is not None
            result = outcome(path, kind, whole, is_damage and is_archive, shown, seconds)
            slowest = max(slowest, time.process_time() - began)
            outcomes[f"{kind.name}: {result if not result.startswith('BAD') else 'BAD'}"] += 1
            if result.startswith("BAD") or only is not None:
                bad += result.startswith("BAD")
                print(f"file {number} of seed {seed}, {kind.name}, {what}: {result}")
    for result, count in sorted(outcomes.items()):
        print(f"{count:8,}  {result}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{bad} bad; the slowest took {slowest:.3f} s; {most:,.0f} MiB at most in all")
    return bad


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--unlimited", action="store_true")
    given = parser.parse_args()
    bad = run(given.times, given.seed, given.only, unlimited=given.unlimited)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
