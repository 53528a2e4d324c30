"""What `mutants.py` changes in a file of the C++ core, and how its tests are asked.

Changes are found in the text: operators stand between blanks, for that is how clang-format leaves
them, and brackets of templates do not. A copy of the tree is built once, without optimizing much;
then a mutant costs the files that it touches and the tests that know it.
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TREE = ROOT / "build" / "mutants"  # the copy, and what is built of it
PATIENCE = 10  # seconds, and five times what the tests take, after which a mutant hangs
MEMORY = 4 << 30  # bytes of addresses that a mutant may have
SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
    "*": "+", "/": "*", "%": "/", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "+=",
    "++": "--", "--": "++", "!": "", "0": "1", "1": "0", "0.0": "1.0", "1.0": "0.0",
    "true": "false", "false": "true",
}  # fmt: skip
PLACES = re.compile(
    r"(?<=\s)(?:<=?|>=?|[=!]=|[-+*]=?|/|%|&&|\|\|)(?=\s)"  # between blanks
    r"|\+\+|--|!(?!=)|(?<![\w.'])(?:[01](?:\.0)?|true|false)(?![\w.'])"
)
# What is no code that is run: comments, texts, attributes, lines of the preprocessor, and lists of
# template parameters.
NO_CODE = re.compile(
    r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|\[\[.*?\]\]|^[ \t]*#[^\n]*"
    r"|\btemplate <(?:[^<>\n]|<[^<>\n]*>)*>|\bstatic_assert\b[^;]*;|\boperator\S+",
    re.MULTILINE,
)
# Headers of the kernels have no test of their own, and a source that is a step of several has more.
TESTS = {
    "kernels/core/sweep_block.hpp": ["update_core", "core_blocks", "core_moments"],
    "kernels/core/update_core.cpp": ["update_core", "core_blocks", "core_moments"],
    "kernels/core/entry_tree.hpp": ["core_gram", "update_core", "core_responsibility"],
    "kernels/core/fiber_sum.hpp": ["fiber_sum", "core_gram", "core_responsibility"],
    "kernels/core/gram/core_gram.cpp": ["core_gram", "update_core", "core_moments"],
    "kernels/core/gram/gram.hpp": ["core_gram", "update_core"],
    "kernels/delta/component_list.hpp": ["update_factor", "row_sums", "responsibility"],
    "kernels/delta/contract.hpp": ["tuple_tables", "update_factor", "row_sums"],
    "kernels/delta/delta.hpp": ["row_sums", "update_factor", "reconstruct", "responsibility"],
    "kernels/factor/chosen_rows.hpp": ["row_sums"],
    "kernels/factor/row_pass.hpp": ["row_sums", "update_factor", "responsibility"],
    "kernels/factor/row_steps.hpp": ["update_factor", "solve_rows"],
    "kernels/factor/row_sums.hpp": ["row_sums", "update_factor", "update_noisy_factor"],
    "kernels/factor/score.hpp": ["responsibility", "core_responsibility"],
    "kernels/vectors/outer_sums.hpp": ["row_sums", "update_factor", "solve_rows"],
    "kernels/vectors/pairs.hpp": ["core_gram", "fiber_sum"],
    "engine/prune.cpp": ["prune", "solver"],
}


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield what was changed in which line, and the changed source."""
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    for place in PLACES.finditer(code):
        swap = SWAPS[place[0]]
        changed = source[: place.start()] + swap + source[place.end() :]
        begin = source.rfind("\n", 0, place.start()) + 1
        number = source.count("\n", 0, begin) + 1
        line = source[begin:].partition("\n")[0].strip()
        yield f"line {number}: {place[0]} -> {swap or 'nothing'} in: {line[:80]}", changed


class Kernel:
    """A file of the core, in a copy of the tree, and the tests that must notice its mutants."""

    def __init__(self, given: str) -> None:
        self.tests = TESTS.get(given, [Path(given).stem])
        for part in ("CMakeLists.txt", "pyproject.toml", "cpp", "tests/cpp"):
            copy(ROOT / part, TREE / "tree" / part)
        self.file = TREE / "tree" / "cpp" / "src" / given
        self.source = self.file.read_text("utf-8")
        self.build = TREE / "build"
        programs = ROOT / ".venv" / "bin"
        self.cmake, self.ctest = str(programs / "cmake"), str(programs / "ctest")
        path = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        options = ["-G", "Ninja", "-DVEST_TESTS=ON", "-DVEST_UNITY=OFF", "-DCMAKE_BUILD_TYPE=Once",
                   "-DCMAKE_CXX_FLAGS_ONCE=-O1"]  # fmt: skip
        command = [self.cmake, "-S", str(TREE / "tree"), "-B", str(self.build), *options]
        subprocess.run(command, check=True, env=path, stdout=subprocess.DEVNULL)
        self.patience = 600.0
        is_built, began = self.is_built(), time.monotonic()
        if not is_built or not self.passes():
            raise SystemExit(f"the tests {self.tests} fail without a change")
        self.patience = PATIENCE + 5.0 * (time.monotonic() - began)
        self.unchanged = self.fingerprint()

    def is_built(self) -> bool:
        """Build the tests with what the copy contains; whether that was possible."""
        targets = [f"test_{test}" for test in self.tests]
        command = [self.cmake, "--build", str(self.build), "--target", *targets]
        return subprocess.run(command, capture_output=True).returncode == 0

    def passes(self) -> bool:
        """Whether the tests pass."""
        names = f"^({'|'.join(self.tests)})$"
        command = [self.ctest, "--test-dir", str(self.build), "-R", names, "--stop-on-failure",
                   "--no-tests=error", "--timeout", f"{self.patience:.0f}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, preexec_fn=limit)
        return done.returncode == 0

    def fingerprint(self) -> bytes:
        """Return what tells whether a mutant is the same program."""
        files = [self.build / "tests" / "cpp" / f"test_{test}" for test in self.tests]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).digest()

    def is_noticed(self, changed: str) -> bool | None:
        """Whether a test fails with the changed source; None if it is no other program."""
        self.file.write_text(changed, "utf-8")
        try:
            if not self.is_built() or self.fingerprint() == self.unchanged:
                return None
            return not self.passes()
        finally:
            self.file.write_text(self.source, "utf-8")


def limit() -> None:
    """Let a mutant neither fill the memory nor leave its own on the disk."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def copy(there: Path, here: Path) -> None:
    """Copy files that differ, so that nothing else is built again."""
    pairs = [(there, here)]
    if there.is_dir():
        pairs = [(each, here / each.relative_to(there)) for each in there.rglob("*.*")]
    for one, other in pairs:
        if one.is_file() and not (other.exists() and one.read_bytes() == other.read_bytes()):
            other.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(one, other)
