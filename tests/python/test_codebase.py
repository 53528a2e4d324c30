"""The code as a whole: layers, a test for every source, one version, nothing unexpected."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vest_tucker
from vest_tucker import _core, errors

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "vest_tucker"
TESTS = ROOT / "tests"

# Whom each module of the package may import. Data flows one way: the tensor, the solver, the model.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": {"_core"},
    "checks": {"errors"},
    "options": {"_core", "errors"},
    "optional": {"errors"},
    "label_arrays": {"errors"},
    "labels": {"errors", "label_arrays"},
    "numbering": {"checks"},
    "merge": {"checks", "errors", "numbering"},
    "entries": {"checks", "errors", "labels"},
    "convert.arrays": {"checks", "entries", "errors", "labels"},
    "convert.frames": {
        "checks", "entries", "errors", "label_arrays", "labels", "numbering", "optional", "options",
    },
    "densest": {"checks", "entries", "errors", "numbering", "options"},
    "describe": {"checks", "entries", "memory", "numbering"},
    "conversions": {
        "convert.arrays", "convert.frames", "densest", "describe", "entries", "errors", "labels",
        "merge",
    },
    "tensor": {"_core", "checks", "conversions", "entries", "errors", "labels", "merge", "options"},
    # What comes out: the model, over files of what can be done with one.
    "record": set(),
    "cells": {"checks", "convert.frames", "errors", "label_arrays", "labels", "tensor"},
    "offset": {"_core", "checks", "errors", "options", "tensor"},
    "prediction": {"_core", "cells", "checks", "errors", "labels", "offset"},
    "tidy": {"checks", "errors", "label_arrays", "options"},
    "exports": {"checks", "offset", "optional"},
    "storage": {"errors", "io.archive", "label_arrays", "offset", "record"},
    "summary": {"checks", "labels", "model", "offset"},  # the model only by type
    "measure": {"checks", "model", "prediction", "tensor"},  # the model only by type
    "views": {"checks", "convert.frames", "errors", "exports", "labels", "offset", "tidy"},
    "model": {
        "cells", "checks", "fold_in", "label_arrays", "labels", "offset", "options",
        "prediction", "record", "storage", "summary", "tensor", "update", "views",
    },
    # A model that learns: new rows, and rows that move; the model imports these inside its methods.
    "arrivals": {"cells", "checks", "errors", "label_arrays", "labels", "numbering", "tensor"},
    "balance": {"checks"},
    "deltas": {"checks"},
    "row_steps": {"checks"},
    "learning": {
        "_core", "balance", "checks", "deltas", "errors", "measure", "model", "offset", "options",
        "prediction", "row_steps", "tensor",
    },
    "fold_in": {
        "arrivals", "checks", "errors", "labels", "learning", "model", "prediction", "tensor",
    },
    "update": {"arrivals", "deltas", "errors", "learning", "model", "prediction", "tensor"},
    "split": {"checks", "errors", "numbering", "options", "tensor"},
    # Steps of the method are pure functions that know no other step.
    "elbow": set(),
    "schedule": set(),
    "pruning": {"_core", "options", "schedule"},
    "standardize": set(),
    "progress": {"record"},
    "interrupts": set(),
    "config": {"_core"},
    "memory": {"_core", "checks", "errors", "options", "schedule"},
    "known": {"_core", "checks", "errors", "labels"},
    "problem": {
        "_core", "checks", "known", "measure", "memory", "offset", "options", "prediction",
        "pruning", "schedule", "start", "tensor",
    },
    "basis": {"checks"},
    "canonical": {"basis", "checks"},
    "rotation": {"basis", "checks", "prediction"},
    "snapshot": {"checks"},
    "knee": {"checks"},
    "spectrum": {"checks"},
    "start": {"cells", "checks", "errors", "known", "labels", "model", "options", "prediction"},
    "watch": {"_core", "cells", "checks", "prediction", "problem", "record", "tensor"},
    "warmup": {
        "_core", "canonical", "checks", "fit", "problem", "progress", "record", "rotation",
        "schedule", "start",
    },
    "launch": {"checks", "errors", "model", "problem", "start", "warmup"},
    "fit": {
        "_core", "checks", "elbow", "errors", "problem", "record", "schedule", "start", "watch",
    },
    "search": {
        "errors", "fit", "launch", "problem", "spectrum", "split", "start", "tensor", "warmup",
        "watch",
    },
    "fitting": {
        "errors", "fit", "interrupts", "knee", "known", "launch", "model", "options", "problem",
        "progress", "record", "search", "standardize", "start", "summary", "tensor", "watch",
    },
    # All sparsities in one run.
    "path_summary": {"path_result", "summary"},  # the result only by type
    "path_result": {
        "convert.frames", "errors", "knee", "model", "optional", "options", "path_summary",
        "record", "snapshot", "standardize",
    },
    "walk": {
        "checks", "fit", "knee", "problem", "progress", "record", "snapshot", "start", "warmup",
        "watch",
    },
    "path": {
        "checks", "errors", "known", "memory", "options", "path_result", "problem", "pruning",
        "tensor", "walk", "warmup", "watch",
    },
    # The same fit from several seeds.
    "matching": {"checks", "optional", "standardize"},
    "recurrence": {"checks", "matching", "model", "standardize"},  # the model only by type
    "stability_frames": {"checks", "stability_result", "tidy"},  # the result only by type
    "stability_summary": {
        "checks", "labels", "stability_frames", "stability_result", "summary", "tidy",
    },
    "stability_result": {
        "convert.frames", "model", "recurrence", "stability_frames", "stability_summary",
    },
    "stability": {
        "checks", "errors", "fitting", "interrupts", "matching", "model", "options", "progress",
        "stability_result", "tensor",
    },
    # Files: one per format, over what all of them share.
    "io.atomic": set(),
    "io.archive": {"errors", "io.atomic"},
    "io.arrow": {"optional"},
    "io.streams": {"errors", "io.arrow", "io.atomic"},
    "io.bad_lines": {"checks", "errors", "io.atomic", "io.streams"},
    "io.lines": {"checks", "errors", "io.arrow", "io.atomic", "io.bad_lines", "io.streams"},
    "io.request": {"merge", "tensor"},
    "io.indexed": {
        "_core", "checks", "errors", "io.atomic", "io.bad_lines", "io.request", "tensor",
    },
    "io.columns": {
        "checks", "convert.frames", "errors", "io.arrow", "io.atomic", "io.indexed", "io.request",
        "labels", "tensor",
    },
    "io.tns": {
        "checks", "errors", "io.arrow", "io.atomic", "io.indexed", "io.lines", "io.request",
        "io.streams", "tensor",
    },
    "io.sptensor": {
        "checks", "errors", "io.atomic", "io.bad_lines", "io.indexed", "io.lines", "io.request",
        "io.streams", "io.tns", "tensor",
    },
    "io.delimited": {
        "errors", "io.arrow", "io.atomic", "io.bad_lines", "io.columns", "io.indexed", "io.lines",
        "io.request", "io.streams", "label_arrays", "labels", "tensor",
    },
    "io.parquet": {
        "errors", "io.arrow", "io.atomic", "io.columns", "io.indexed", "io.request", "tensor",
    },
    "io.npz": {"errors", "io.archive", "io.atomic", "label_arrays", "merge", "tensor"},
    "io.files": {
        "checks", "errors", "io.archive", "io.atomic", "io.bad_lines", "io.delimited", "io.lines",
        "io.npz", "io.parquet", "io.request", "io.sptensor", "io.streams", "io.tns", "labels",
        "merge", "options", "tensor",
    },
    # What the datasets share, then the datasets.
    "datasets.missing": {"checks", "errors"},
    "datasets.sources": {"errors", "io.atomic", "io.streams", "labels"},
    "datasets.fetch": {"errors", "io.atomic", "optional"},
    "datasets.coding": {"io.arrow", "label_arrays", "numbering"},
    "datasets.tables": {"datasets.sources", "errors", "io.arrow", "io.bad_lines"},
    "datasets.cafes": {"tensor"},
    "datasets.synthetic": {"checks", "datasets.missing", "errors", "model", "options", "tensor"},
    "datasets.movielens": {
        "checks", "datasets.coding", "datasets.fetch", "datasets.sources", "datasets.tables",
        "errors", "io.atomic", "io.bad_lines", "label_arrays", "merge", "numbering", "tensor",
    },
    "datasets.yelp": {
        "datasets.coding", "datasets.sources", "errors", "io.arrow", "io.atomic", "io.bad_lines",
        "io.streams", "label_arrays", "merge", "tensor",
    },
    "datasets.amazon": {
        "checks", "datasets.coding", "datasets.fetch", "datasets.sources", "datasets.tables",
        "errors", "io.arrow", "io.atomic", "io.bad_lines", "io.streams", "merge", "tensor",
    },
}  # fmt: skip
# Packages that a module uses if they are there, and loads only where it uses them.
MAY_USE: dict[str, set[str]] = {"convert.frames": {"narwhals"}, "matching": {"scipy"}}
# Names and shows only; anything may be imported.
FACES = {"__init__", "convert.__init__", "datasets.__init__", "demo", "io.__init__"}
TESTED_ELSEWHERE = {
    "__init__": "test_codebase.py",
    "errors": "test_bad_input.py",
    "request": "test_files.py",
}


def modules() -> dict[str, Path]:
    """Dotted name inside the package -> file."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {".".join(file.relative_to(PACKAGE).with_suffix("").parts): file for file in files}


def imported(file: Path) -> tuple[set[str], set[str]]:
    """What a file imports: modules of the package, and top-level names of others."""
    own: set[str] = set()
    foreign: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are written in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top != "vest_tucker":
                foreign.add(top)
            elif rest:
                known = [m for m in [*modules(), "_core"] if f"{rest}.".startswith(f"{m}.")]
                own.add(max(known, key=len) if known else rest)
    return own, foreign


@pytest.mark.parametrize("name", [name for name in modules() if name not in FACES])
def test_layers(name: str) -> None:
    assert name in MAY_IMPORT, f"say in MAY_IMPORT whom {name} may import"
    own, foreign = imported(modules()[name])
    assert own <= MAY_IMPORT[name], f"{name} may not import {sorted(own - MAY_IMPORT[name])}"
    strange = foreign - sys.stdlib_module_names - {"numpy"} - MAY_USE.get(name, set())
    assert not strange, f"{name} needs {strange}"


def test_the_list_of_layers_is_current() -> None:
    assert set(MAY_IMPORT) <= set(modules())


def test_a_test_for_every_python_source() -> None:
    tests = {file.name for file in (TESTS / "python").glob("test_*.py")}
    for name in modules():
        stem = name.rpartition(".")[2]
        assert TESTED_ELSEWHERE.get(stem, f"test_{stem}.py") in tests, f"{name} has no test"


def test_a_test_for_every_cpp_source() -> None:
    sources = ROOT / "cpp" / "src"
    for source in sorted(path.relative_to(sources) for path in sources.rglob("*.cpp")):
        test = TESTS / "cpp" / source.with_name(f"test_{source.name}")
        assert test.exists(), f"{source} has no test {test.relative_to(ROOT)}"


def test_one_version() -> None:
    declared = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    assert declared is not None
    assert vest_tucker.__version__ == _core.__version__ == declared[1]
    assert importlib.metadata.version("vest-tucker") == declared[1]


def test_public_names_exist_and_are_all_that_is_shown() -> None:
    assert vest_tucker.__all__ == sorted(vest_tucker.__all__)
    for name in vest_tucker.__all__:
        assert hasattr(vest_tucker, name)
    assert dir(vest_tucker) == vest_tucker.__all__
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = vest_tucker.no_such_name


def test_every_error_is_public() -> None:
    raised = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    assert raised <= set(vest_tucker.__all__)


def test_importing_loads_nothing_foreign_but_numpy_nor_what_can_wait() -> None:
    program = (
        "import sys, numpy; before = set(sys.modules); import vest_tucker;"
        "print(*{m.partition('.')[0] for m in set(sys.modules) - before});"
        "assert not {'vest_tucker.io', 'vest_tucker.datasets', 'vest_tucker.stability_result',"
        "    'vest_tucker.path_result'} & set(sys.modules);"
        "assert vest_tucker.read and vest_tucker.datasets.demo"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = set(shown.stdout.split())
    strange = loaded - sys.stdlib_module_names - {"numpy", "vest_tucker"}
    assert not {name for name in strange if not name.startswith("_vest_tucker")}  # the loader's own


def test_importing_is_quick() -> None:
    """At most 0.2 s beyond NumPy; the best of some processes, for others may be busy too."""

    def seconds(program: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return time.perf_counter() - began

    numpy_alone, with_us = (
        min(seconds(program) for _ in range(5))
        for program in ("import numpy", "import numpy, vest_tucker")
    )
    assert with_us - numpy_alone < 0.2


def test_flags_that_would_change_numbers_or_machines_are_absent() -> None:
    recipes = [*ROOT.glob("CMakeLists.txt"), *ROOT.glob("*/**/CMakeLists.txt"), ROOT / "Makefile"]
    recipes = [file for file in recipes if "build" not in file.relative_to(ROOT).parts]
    assert recipes
    for file in [*recipes, ROOT / "pyproject.toml", *ROOT.glob("cmake/*.cmake")]:
        text = file.read_text("utf-8")
        for flag in ("-ffast-math", "-funsafe-math-optimizations", "-Ofast", "-march=native"):
            assert flag not in text, f"{file.relative_to(ROOT)} has {flag}"


def test_openmp_is_used_in_one_way() -> None:
    """The number of threads is an argument; setting it globally would reach other libraries."""
    for file in sorted((ROOT / "cpp").rglob("*.[ch]pp")):
        text = file.read_text("utf-8")
        assert "omp_set_num_threads" not in text, file.name
        for pragma in re.findall(r"#pragma omp (?:[^\n]*\\\n)*[^\n]*", text):
            if "parallel" in pragma:
                assert "num_threads(" in pragma, f"{file.name}: {pragma}"
