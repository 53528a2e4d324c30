"""The SHA-256 of every number of forty fits: a refactoring must not change a bit.

Bits also depend on the machine. The lists in data/fingerprints.json are therefore kept under what
decides them: the compiler and the instruction set of the kernels and, for the few fits whose bits
depend on NumPy's linear algebra, NumPy and what it has chosen for this processor.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import vest_tucker as vt
from fingerprint_cases import CASES, Case
from vest_tucker import _core

STORED = Path(__file__).parent / "data" / "fingerprints.json"
HOW_TO = """\
On the commit before a refactoring, with its build installed:
    python tests/fingerprints.py --write
After the refactoring, with its own build installed:
    python tests/fingerprints.py --check"""


class NotForcedError(Exception):
    """A fit that predicts: that always runs on the best kernels of the processor."""


def fingerprint(case: Case, *, threads: int = 1) -> str:
    """Return the SHA-256 of the numbers of a case's models, in order."""
    digest = hashlib.sha256()
    for model in case.run(threads):
        for numbers in numbers_of(model):
            digest.update(numbers)
    return digest.hexdigest()


def numbers_of(model: vt.TuckerModel) -> Iterator[bytes]:
    """Yield all numbers of a model but the seconds that it took."""
    for part in (model.core, *model.factors):
        yield np.ascontiguousarray(part, dtype=np.float64).tobytes()
    singles = [model.error, model.validation_error, model.lam, model.lam_used]
    for record in model.history:
        singles += [record.error, record.validation_error]
        singles += [record.sparsity, record.pruned, record.prune_rate]
    if model.offset is not None:
        singles.append(model.offset.mean)
        yield from (bias.tobytes() for bias in model.offset.biases)
    yield " ".join(float(number).hex() for number in singles).encode()


def key_of(case: Case, isa: str) -> str | None:
    """Return under what to store a case; None if what decides its bits cannot be known."""
    key = f"{platform.machine()}, {isa} kernels, {_core.__compiler__}"
    if not case.needs_same_numpy:
        return key
    vectors, core = simd(), openblas_core()
    if vectors is None or core is None:
        return None
    return f"{key}, NumPy {np.__version__} ({vectors}), OpenBLAS {core}"


def simd() -> str | None:
    """Return the instruction sets that NumPy found here, beyond those it always uses."""
    try:
        known: Any = np.show_config(mode="dicts")
    except TypeError:  # before 1.25 it only prints
        return None
    return " ".join(known["SIMD Extensions"].get("found", []))


def openblas_core() -> str | None:
    """Return the processor that NumPy's own OpenBLAS has chosen its kernels for."""
    package = Path(np.__file__).parent
    for folder in (package.with_name("numpy.libs"), package / ".dylibs"):
        for file in folder.glob("*openblas*"):
            library = ctypes.CDLL(str(file))  # which is loaded already
            for prefix, suffix in (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", "")):
                ask = getattr(library, f"{prefix}openblas_get_corename{suffix}", None)
                if ask is not None:
                    ask.restype = ctypes.c_char_p
                    return str(ask().decode())
    return None


@contextmanager
def kernels_of(isa: str) -> Iterator[None]:
    """Let fits run on the kernels of this instruction set, and not on the best ones."""
    if isa == _core.isas()[0]:
        yield
        return
    solver = functools.partial(_core.Solver, isa=isa)
    with (
        mock.patch.object(_core, "Solver", wraps=solver) as made,
        mock.patch.object(_core, "predict", side_effect=NotForcedError),
    ):
        yield
        assert made.called, "no fit asked _core for its Solver, so none ran on these kernels"


def print_all(isa: str) -> dict[str, dict[str, str]]:
    """Return the fingerprints of all cases that this instruction set decides, by their keys."""
    prints: dict[str, dict[str, str]] = {}
    with kernels_of(isa):
        for name, case in CASES.items():
            key = key_of(case, isa)
            if key is None:
                continue
            try:
                found = fingerprint(case)
            except NotForcedError:
                continue
            prints.setdefault(key, {})[name] = found
    return prints


def stored() -> dict[str, dict[str, str]]:
    """Return the lists that have been written, by their keys."""
    lists: dict[str, dict[str, str]] = json.loads(STORED.read_text()) if STORED.exists() else {}
    return lists


def write(isas: list[str]) -> None:
    """Add the lists of this machine, in place of older ones of the same keys."""
    lists = stored()
    for isa in isas:
        for key, prints in print_all(isa).items():
            lists[key] = prints
            print(f"{key}: {len(prints)} written")
    STORED.write_text(json.dumps(lists, indent=1, sort_keys=True) + "\n")


def check(isas: list[str]) -> bool:
    """Tell which fits differ from the lists; return whether all that could be compared agree."""
    lists, same = stored(), True
    for isa in isas:
        for key, prints in print_all(isa).items():
            known = lists.get(key, {})
            differ = [name for name in prints if name in known and prints[name] != known[name]]
            unknown = len(prints.keys() - known.keys())
            print(f"{key}: {len(prints)} fits, {unknown} not in a list, {len(differ)} differ")
            for name in differ:
                print(f"    {name}")
            same = same and not differ
    return same


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=HOW_TO, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="store what the build installed gives")
    what.add_argument("--check", action="store_true", help="compare, and name fits that differ")
    parser.add_argument(
        "--isa", action="append", choices=_core.isas(),
        help="kernels to run, may be repeated; by default all that this processor can run",
    )  # fmt: skip
    given = parser.parse_args()
    isas = given.isa or _core.isas()
    if given.write:
        write(isas)
        return 0
    return 0 if check(isas) else 1


if __name__ == "__main__":
    sys.exit(main())
