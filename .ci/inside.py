"""Says whether a wheel contains what it must, and is small: .ci/inside.py WHEEL...

The module, the licenses of everything inside, a bill of materials for what was compiled in, and one
for each library that a repair has copied in; no path of the machine it was built on.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 3_000_000
# Folders that machines build in, as they would stand in a binary.
BUILT_IN = re.compile(
    rb"/(?:home|root|tmp|Users|build|work|project|builds)/[\w./-]+\.(?:[ch]pp|cpp)"
)


def complaints(wheel: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel, in sentences."""
    if wheel.stat().st_size > MOST_BYTES:
        yield f"has {wheel.stat().st_size:,} bytes, and {MOST_BYTES:,} are the most it may have"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name for name in names if name.endswith(".dist-info/METADATA"))
        info = info.removesuffix("METADATA")
        binaries = [name for name in names if re.search(r"\.(so|pyd|dylib|dll)(\.|$)", name)]
        if not any(name.startswith("vest_tucker/_core.") for name in binaries):
            yield "has no module vest_tucker._core"
        for name in binaries:
            if path := BUILT_IN.search(archive.read(name)):
                yield f"names a file of the machine it was built on: {path[0].decode()} in {name}"
        told = archive.read(f"{info}METADATA").decode().splitlines()
        for license_file in ("LICENSE", *(f"licenses/{p.name}" for p in licenses())):
            if f"{info}licenses/{license_file}" not in names:
                yield f"lacks the license {license_file}"
            if f"License-File: {license_file}" not in told:
                yield f"does not list the license {license_file}"
        inside = set(materials(archive, info))
        copied = {library(name) for name in binaries if ".libs/" in name or ".dylibs/" in name}
        for wanted in sorted({"armadillo", "pybind11"} | copied):
            if not any(part.startswith(wanted) for part in inside):
                yield f"has no bill of materials that lists {wanted}"


def licenses() -> list[Path]:
    """Return the files with the licenses of what is not ours."""
    return sorted((ROOT / "licenses").glob("*.txt"))


def materials(archive: zipfile.ZipFile, info: str) -> Iterator[str]:
    """Yield the names of all components that the bills of materials in a wheel list."""
    for name in archive.namelist():
        if name.startswith(f"{info}sboms/") and name.endswith(".cdx.json"):
            for part in json.loads(archive.read(name)).get("components", ()):
                yield part["name"]


def library(name: str) -> str:
    """Return what a library is called without the hash and the version in its file's name.

    >>> library("vest_tucker.libs/libgomp-a34b3233.so.1.0.0")
    'libgomp'
    """
    return re.split(r"[-.]", name.rpartition("/")[2])[0]


def main(wheels: list[Path]) -> int:
    """Print what is wrong; return how a program should end."""
    wrong = [f"{wheel.name} {sentence}" for wheel in wheels for sentence in complaints(wheel)]
    for line in wrong:
        print(line, file=sys.stderr)
    for wheel in () if wrong else wheels:
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, complete")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
