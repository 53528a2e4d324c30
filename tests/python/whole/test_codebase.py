"""The code as a whole: layers, a test for every source, one version, nothing unexpected."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import pickle
import re
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path

import pytest

import vest_tucker
from vest_tucker import _core
from vest_tucker.base import errors

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "vest_tucker"
TESTS = ROOT / "tests"

# The rooms of the package in one line: each imports from itself and from those before it.
ROOMS = (
    "base", "data", "io", "model", "reading", "drawing", "report", "learning", "fitting",
    "studies", "datasets", "sklearn", "dask", "cli",
)  # fmt: skip
# Names and shows only, outside of every room; only the last room knows them.
FACES = {"__init__", "__main__", "_moved", "demo", "errors"}
# Imports against the line, made inside of methods of TuckerModel: fold_in, update, refit, and those
# that ask what it means; and of what notebooks show of a tensor.
UPWARDS = {
    ("model.model", "learning"),
    ("model.model", "fitting"),
    ("model.meaning.questions", "reading"),
    ("model.meaning.evidence", "drawing"),
    ("data.observed", "drawing"),
    ("data.tensor", "reading"),
    ("model.views", "report"),
}
# Packages that a module uses if they are there, and loads only where it uses them.
MAY_USE: dict[str, set[str]] = {
    "cli.parser": {"shtab"},
    "dask.client": {"dask", "distributed"},
    "dask.files": {"dask", "fsspec"},
    "dask.frames": {"dask"},
    "dask.local": {"narwhals"},
    "dask.questions": {"distributed"},
    "dask.whole.kernels": {"distributed"},
    "data.frames": {"narwhals"},
    "data.sources.labelled": {"pandas", "xarray"},
    "sklearn.cells": {"narwhals", "sklearn"},
    "sklearn.encoder": {"sklearn"},
    "sklearn.regressor": {"sklearn"},
    "studies.stability.matching": {"scipy"},
}
TESTED_ELSEWHERE = {
    "base.errors": "whole/test_bad_tensors.py",
    "base.public": "whole/test_codebase.py",
    "base.types": "whole/test_codebase.py",
    "__main__": "cli/test_main.py",
    "data.observed": "drawing/test_tensor.py",
    "_moved": "whole/test_old_pickles.py",
    "data.same": "whole/test_same.py",
    "errors": "whole/test_codebase.py",
    "io.format": "io/test_files.py",
    "io.read_options": "io/test_files.py",
    "fitting.engine": "fitting/test_penalty.py",
}
MOST_FILES = 15  # in a folder


@functools.cache
def modules() -> dict[str, Path]:
    """Dotted name inside the package -> file."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {".".join(file.relative_to(PACKAGE).with_suffix("").parts): file for file in files}


def imported(file: Path) -> tuple[set[str], set[str]]:
    """What a file imports: dotted names inside the package, and top-level names of others."""
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
                own.add(rest)
    return own, foreign


@pytest.mark.parametrize("name", [name for name in modules() if name not in FACES])
def test_rooms(name: str) -> None:
    room = name.partition(".")[0]
    own, foreign = imported(modules()[name])
    outside = {"_core", *(FACES if room == ROOMS[-1] else ())}
    for there in {other.partition(".")[0] for other in own} - outside:
        in_line = ROOMS.index(there) <= ROOMS.index(room)
        assert in_line or (name, there) in UPWARDS, f"{name} may not import from {there}"
    strange = foreign - sys.stdlib_module_names - {"numpy"} - MAY_USE.get(name, set())
    assert not strange, f"{name} needs {strange}"


def test_no_folder_is_crowded() -> None:
    for files in (PACKAGE.rglob("*.py"), (TESTS / "python").rglob("*.py")):
        crowd = Counter(file.parent for file in files if file.name != "__init__.py")
        assert max(crowd.values()) <= MOST_FILES, crowd.most_common(1)


def test_public_functions_shadow_no_module() -> None:
    for name in vest_tucker.__all__:
        if not isinstance(getattr(vest_tucker, name), types.ModuleType):
            assert name not in modules(), name
            assert not (PACKAGE / name).is_dir(), name


def test_a_test_for_every_python_source() -> None:
    for name, file in modules().items():
        if file.name == "__init__.py":
            continue
        test = file.relative_to(PACKAGE).with_name(f"test_{file.name}")
        where = TESTS / "python" / TESTED_ELSEWHERE.get(name, test)
        assert where.exists(), f"{name} has no test: {where.relative_to(ROOT)}"


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
    assert f"\nversion: {declared[1]}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.mark.parametrize("name", modules())
def test_no_file_is_unpickled(name: str) -> None:
    """SECURITY.md promises that nothing in a file is run."""
    assert not imported(modules()[name])[1] & {"dill", "joblib", "marshal", "pickle", "shelve"}
    assert "allow_pickle" not in modules()[name].read_text("utf-8")


def test_public_names_exist_and_are_all_that_is_shown() -> None:
    assert vest_tucker.__all__ == sorted(vest_tucker.__all__)
    for name in vest_tucker.__all__:
        assert hasattr(vest_tucker, name)
    assert dir(vest_tucker) == vest_tucker.__all__
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = vest_tucker.no_such_name


def test_public_names_belong_to_the_package() -> None:
    for name in vest_tucker.__all__:
        thing = getattr(vest_tucker, name)
        if isinstance(thing, type) or callable(thing):
            assert (thing.__module__, thing.__qualname__) == ("vest_tucker", name)


def test_errors_have_a_module_of_their_own() -> None:
    assert {name for name in vars(errors) if name.endswith(("Error", "Warning"))} == {
        *errors.__all__
    }
    assert dir(vest_tucker.errors) == errors.__all__ == sorted(errors.__all__)
    assert not set(errors.__all__) & set(dir(vest_tucker))
    for name in errors.__all__:
        kind = getattr(vest_tucker.errors, name)
        assert (kind.__module__, kind.__qualname__) == ("vest_tucker.errors", name)
        assert getattr(vest_tucker, name) is kind  # where it was before
        raised = pickle.loads(pickle.dumps(kind("what it says")))
        assert (type(raised), str(raised)) == (kind, "what it says")


def test_datasets_complete_to_datasets() -> None:
    assert dir(vest_tucker.datasets) == vest_tucker.datasets.__all__


def test_importing_loads_nothing_foreign_but_numpy_nor_what_can_wait() -> None:
    program = (
        "import sys, numpy; before = set(sys.modules); import vest_tucker;"
        "print(*{m.partition('.')[0] for m in set(sys.modules) - before});"
        "assert not {'vest_tucker.io', 'vest_tucker.datasets', 'vest_tucker.studies.path.result',"
        "    'vest_tucker.studies.stability.result'} & set(sys.modules);"
        "assert vest_tucker.read and vest_tucker.datasets.demo"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = set(shown.stdout.split())
    strange = loaded - sys.stdlib_module_names - {"numpy", "vest_tucker"}
    assert not {name for name in strange if not name.startswith("_vest_tucker")}  # the loader's own


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
