"""Prints the requirements of the given parts of pyproject.toml, one per line, for pip install -r.

A part is `build` or the name of an extra; the package's own dependencies come with either.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    try:
        import tomli as tomllib  # pytest brings it to Python 3.10
    except ImportError:
        from pip._vendor import tomli as tomllib  # and pip a copy of its own


def requirements(pyproject: dict[str, Any], part: str) -> Iterator[str]:
    """Yield the requirements of one part, an extra that names other extras unfolded."""
    project = pyproject["project"]
    if part == "build":
        # Without build isolation, CMake and Ninja are ours to bring as well.
        yield from (*pyproject["build-system"]["requires"], "cmake>=3.20", "ninja")
        return
    for requirement in project["optional-dependencies"][part]:
        own = re.fullmatch(rf"{project['name']}\[(.+)\]", requirement)
        if own is None:
            yield requirement
        else:
            for extra in own[1].split(","):
                yield from requirements(pyproject, extra)


if __name__ == "__main__":
    text = Path(__file__).resolve().parents[1].joinpath("pyproject.toml").read_text("utf-8")
    settings = tomllib.loads(text)
    print(*settings["project"]["dependencies"], sep="\n")
    for part in sys.argv[1:]:
        print(*requirements(settings, part), sep="\n")
