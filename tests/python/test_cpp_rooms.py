"""The C++ folders: includes run one way, and a header declares what its own source defines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"
SOURCES = {
    str(file.relative_to(root)): file
    for root in (CPP / "include", CPP / "src")
    for file in sorted(root.rglob("*.[ch]pp"))
}
# What a caller needs: each of these may include those before it.
PUBLIC = (
    "types", "parallel", "pages", "big_vector", "sparse_tensor", "plan", "shard", "model",
    "penalty", "row_systems", "memory", "predict", "ranking", "solver",
)  # fmt: skip
# The folders of src: each may include those before it. workspace/ and engine/ are compiled once,
# kernels/ once per instruction set; the files beside its folders are the last of it.
ROOMS = (
    "workspace", "kernels/vectors", "kernels/delta", "kernels/factor", "kernels/cells",
    "kernels/core", "kernels", "engine",
)  # fmt: skip
FILES = 15  # the most of a folder, as in Python
# The list of all kernels; each is defined in a file of its own.
LISTS = {"kernels/kernels.hpp"}


def included(name: str) -> list[str]:
    """The project's own headers that a file includes."""
    return re.findall(r'^#include "(.+)"', SOURCES[name].read_text("utf-8"), re.M)


def room(name: str) -> str:
    """The folder of a file, with the one below for the kernels."""
    folders = name.split("/")[:-1]
    return "/".join(folders[: 2 if folders[0] == "kernels" else 1])


def may_include(name: str, other: str) -> bool:
    here, there = room(name), room(other)
    if here == "vest":
        stems = [Path(header).stem for header in (other, name)]
        return there == "vest" and PUBLIC.index(stems[0]) < PUBLIC.index(stems[1])
    if there == "vest" or (other in LISTS and here.startswith("kernels")):
        return True
    if here == "engine" and there.startswith("kernels"):
        return name == "engine/dispatch.hpp"
    return ROOMS.index(there) <= ROOMS.index(here)


@pytest.mark.parametrize("name", SOURCES)
def test_includes_run_one_way(name: str) -> None:
    for other in included(name):
        assert other in SOURCES, f"{name} includes {other}, which is not one of ours"
        assert may_include(name, other), f"{name} may not include {other}"


def test_the_rule_can_fail() -> None:
    assert not may_include("vest/plan.hpp", "vest/solver.hpp")
    assert not may_include("vest/plan.hpp", "workspace/workspace.hpp")
    assert not may_include("workspace/workspace.cpp", "kernels/core/gram/gram_layout.hpp")
    assert not may_include("engine/solver.cpp", "kernels/kernel_table.hpp")
    assert not may_include("kernels/delta/delta.hpp", "kernels/core/gram/gram.hpp")
    assert not may_include("kernels/delta/delta.hpp", "engine/prune.hpp")
    assert may_include("kernels/delta/delta.hpp", "workspace/scratch.hpp")


def test_the_order_of_the_public_headers_is_complete() -> None:
    assert {Path(name).stem for name in SOURCES if room(name) == "vest"} == set(PUBLIC)


def declared(text: str) -> set[str]:
    """Functions declared at the left margin and not defined there, without their namespaces."""
    return set(re.findall(r"^(?=\S)[\w:<>&*\[\] ]*?[\s*&](\w+)\([^;{}]*\);$", text, re.M))


@pytest.mark.parametrize("name", [name for name in SOURCES if name.endswith(".hpp")])
def test_a_header_declares_what_its_source_defines(name: str) -> None:
    stem = Path(name).stem
    sources = [
        file.read_text("utf-8")
        for file in SOURCES.values()
        if file.suffix == ".cpp" and (file.stem == stem or name in LISTS)
    ]
    for function in declared(SOURCES[name].read_text("utf-8")):
        defined = rf"\b{function}\([^;]*?\) (?:const )?\{{"
        assert any(re.search(defined, source) for source in sources), (
            f"{function} of {name} is not defined in {stem}.cpp"
        )


def test_declarations_are_found() -> None:
    assert declared("[[nodiscard]] double plan_bytes(double entries,\n    int n);\n") == {
        "plan_bytes"
    }
    assert declared("void a(int b) {\n  c(d);\n}\n") == set()
    layout = SOURCES["kernels/core/gram/gram_layout.hpp"]
    assert {"spread_pairs"} == declared(layout.read_text("utf-8"))


def test_a_folder_holds_few_files() -> None:
    folders = Counter(file.parent for file in SOURCES.values())
    assert [str(folder) for folder, files in folders.items() if files > FILES] == []


def test_kernels_are_in_the_namespace_of_their_instruction_set() -> None:
    """What is compiled several times must not define the same function several times."""
    for name, file in SOURCES.items():
        opened = re.findall(r"^namespace vest.*\{$", file.read_text("utf-8"), re.M)
        for line in opened:
            in_isa = "VEST_ISA" in line
            assert in_isa == name.startswith("kernels/") or name == "kernels/kernel_table.hpp", (
                f"{name}: {line}"
            )
