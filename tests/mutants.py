"""Changes single operators, numbers and conditions of a file, and sees whether its tests notice.

``python tests/mutants.py data/split.py [most]`` makes such changes one at a time, each in a fork of
a process that has everything loaded, and runs the test of that module there. A file of the core,
such as ``kernels/core/update_core.cpp``, is changed and built in a copy of the tree
(`mutants_cpp.py`). What survives is printed: either a test is missing, or the change makes no
difference.
"""

from __future__ import annotations

import ast
import copy
import importlib
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mutants_cpp
import vest_tucker

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(vest_tucker.__file__).resolve().parent
PATIENCE = 60  # seconds after which a mutant counts as noticed: it hangs
SWAPS: dict[type, Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


def mutants(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Yield changed trees, and what was changed in which line."""
    said = {each for node in ast.walk(tree) for each in annotation_of(node)}
    for number, node in enumerate(ast.walk(tree)):
        for what in [] if node in said else changes_of(node):
            changed = copy.deepcopy(tree)
            place = next(each for k, each in enumerate(ast.walk(changed)) if k == number)
            line = getattr(place, "lineno", 0)
            before = ast.unparse(place)
            apply(place, what)
            ast.fix_missing_locations(changed)
            after = ast.unparse(place)
            if after != before:
                yield f"line {line}: {before[:70]} -> {after[:70]}", changed


def annotation_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what an annotation is made of, which is never run."""
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield from ast.walk(getattr(node, name))


def changes_of(node: ast.AST) -> list[str]:
    """Return which changes a node allows; annotations and docstrings have none."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        return ["op"]
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
        return ["op"]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return ["bare"]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return ["more"]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ["not"]
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return ["never"]
    return []


def apply(node: Any, what: str) -> None:
    """Change a node."""
    if what == "op" and isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif what == "op" and isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = SWAPS[type(node.op)]()
    elif what == "bare" and isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif what in ("more", "not") and isinstance(node, ast.Constant):
        value: Any = node.value
        node.value = not value if what == "not" else value + 1
    elif what == "never" and isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.Constant(value=False)


def is_noticed(module: str, tree: ast.Module, test: Path) -> bool:
    """Whether the test fails with a changed module, in a fork of this process."""
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            loaded = importlib.import_module(module)
            exec(compile(tree, str(loaded.__file__), "exec"), loaded.__dict__)
            code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(test)])
        except BaseException:
            code = 1
        os._exit(int(code) & 127)
    return os.waitpid(child, 0)[1] != 0


def of_package(given: str) -> tuple[list[tuple[str, Any]], Callable[[Any], bool | None]]:
    """Return the mutants of a file of the package, and who says whether one is noticed."""
    room, _, name = given.rpartition("/")
    test = ROOT / "tests" / "python" / room / f"test_{name}"
    module = "vest_tucker." + given.removesuffix(".py").replace("/", ".")
    importlib.import_module(module)
    tree = ast.parse((PACKAGE / given).read_text("utf-8"))
    if is_noticed(module, tree, test):
        raise SystemExit(f"{test} fails without a change")
    return list(mutants(tree)), lambda changed: is_noticed(module, changed, test)


def of_core(given: str) -> tuple[list[tuple[str, Any]], Callable[[Any], bool | None]]:
    """Return the same of a file of the core."""
    kernel = mutants_cpp.Kernel(given)
    return list(mutants_cpp.mutants(kernel.source)), kernel.is_noticed


def main(given: str, most: int) -> int:
    """Try the mutants of a file, so many at most, and print what survives."""
    every, ask = of_package(given) if given.endswith(".py") else of_core(given)
    tried = random.Random(0).sample(every, min(most, len(every)))
    began, answers = time.monotonic(), []
    for what, changed in tried:
        answers.append(ask(changed))
        if answers[-1] is False:
            print(f"  {what}", flush=True)
    seconds = time.monotonic() - began
    others = len(answers) - answers.count(None)
    print(
        f"{given}: {answers.count(True)} of {others} noticed (of {len(every)}; "
        f"{answers.count(None)} more are no program, or the same), {seconds:.0f} s"
    )
    return answers.count(False)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
