"""What is installed and what is released contain licenses and a bill of materials."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
LICENSES = ["LICENSE", *(f"licenses/{file.name}" for file in (ROOT / "licenses").glob("*.txt"))]
INFO = "vest_tucker-1.0.dist-info"


def read_installed(end: str) -> list[str]:
    """The texts of the installed files whose path, inside of the metadata, matches."""
    files = importlib.metadata.files("vest-tucker") or []
    return [file.read_text() for file in files if re.search(rf"\.dist-info/{end}$", str(file))]


@pytest.mark.parametrize("name", LICENSES)
def test_licenses_are_installed_and_listed(name: str) -> None:
    assert read_installed(rf"licenses/{name}") == [(ROOT / name).read_text("utf-8")]
    listed = importlib.metadata.metadata("vest-tucker").get_all("License-File") or []
    assert name in listed


def test_what_was_compiled_in_is_listed_with_its_version() -> None:
    (text,) = read_installed(r"sboms/vest-tucker\.cdx\.json")
    bill = json.loads(text)
    assert bill["bomFormat"] == "CycloneDX"
    own = bill["metadata"]["component"]
    assert (own["name"], own["version"]) == (
        "vest-tucker",
        importlib.metadata.version("vest-tucker"),
    )
    assert {part["name"] for part in bill["components"]} == {"armadillo", "pybind11"}
    for part in bill["components"]:
        assert re.fullmatch(r"\d+\.\d+\.\d+\S*", part["version"])
        assert part["purl"].endswith(f"/{part['name']}@{part['version']}")
    references = [own["bom-ref"], *(part["bom-ref"] for part in bill["components"])]
    (dependency,) = bill["dependencies"]
    assert [dependency["ref"], *dependency["dependsOn"]] == references


@pytest.fixture(scope="module")
def inside() -> ModuleType:
    """The script that looks into wheels."""
    spec = importlib.util.spec_from_file_location("inside", ROOT / ".ci" / "inside.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wheel_of(files: dict[str, bytes | None], where: Path) -> Path:
    """A wheel that has everything, but for these files: others, or missing ones."""
    parts = [{"name": "armadillo"}, {"name": "pybind11"}, {"name": "libgomp1"}]
    whole: dict[str, bytes | None] = {
        "vest_tucker/_core.cpython-313-x86_64-linux-gnu.so": b"\x7fELF",
        "vest_tucker.libs/libgomp-a34b3233.so.1.0.0": b"\x7fELF",
        f"{INFO}/METADATA": "\n".join(f"License-File: {name}" for name in LICENSES).encode(),
        f"{INFO}/sboms/all.cdx.json": json.dumps({"components": parts}).encode(),
        **{f"{INFO}/licenses/{name}": b"text" for name in LICENSES},
    }
    wheel = where / "vest_tucker-1.0-cp313-cp313-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in (whole | files).items():
            if content is not None:
                archive.writestr(name, content)
    return wheel


def test_a_complete_wheel_is_not_complained_of(inside: ModuleType, tmp_path: Path) -> None:
    assert list(inside.complaints(wheel_of({}, tmp_path))) == []


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"vest_tucker/_core.cpython-313-x86_64-linux-gnu.so": None}, "no module"),
        ({f"{INFO}/licenses/licenses/pybind11.txt": None}, "lacks the license licenses/pybind11"),
        ({f"{INFO}/METADATA": b""}, "does not list the license LICENSE"),
        ({f"{INFO}/sboms/all.cdx.json": None}, "lists armadillo"),
        ({"vest_tucker.libs/libomp-1234.so": b""}, "lists libomp"),
        ({"vest_tucker/_core.so": b"\0/home/me/cpp/solver.cpp\0"}, "/home/me/cpp/solver.cpp"),
        ({"vest_tucker/large.bin": bytes(3_000_001)}, "3,000,000 are the most"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_wheel_lacks_is_said(
    inside: ModuleType, tmp_path: Path, files: dict[str, bytes | None], complaint: str
) -> None:
    assert any(complaint in said for said in inside.complaints(wheel_of(files, tmp_path)))
