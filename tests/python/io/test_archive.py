"""The container: what goes in comes out bit for bit; what is not ours, or not whole, is named."""

from __future__ import annotations

import contextlib
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as st_np

import vest_tucker as vt
from interrupting import Interrupting
from vest_tucker.io import archive
from vest_tucker.io.archive import read_archive, write_archive
from vest_tucker.io.safety.header import HEADER_LIMIT, signed

ARRAYS: dict[str, Any] = {
    "coords": np.arange(12, dtype=np.int32).reshape(4, 3),
    "values": np.array([0.1, -0.0, np.nan, 1e-320]),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "every other": np.arange(10)[::2],
    "scalar": np.array(2.5),
    "none": np.empty((0, 3), dtype=np.int64),
    "days": np.array(["2020-02-29", "NaT"], dtype="M8[D]"),
    "flags": np.array([True, False]),
    "big endian": np.array([1, 2], dtype=">i4"),
}
META = {"modes": ["user", "film"], "error": 0.1 + 0.2, "stopped": None}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file.npz"
    write_archive(path, "thing", ARRAYS, META)
    return path


def rewrite(path: Path, **changes: bytes | None) -> None:
    """Replace members of a zip, or leave them out; a checksum of zip's own is made anew."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, content in {**members, **changes}.items():
            if content is not None:
                new.writestr(name, content)


def header_of(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as file:
        header: dict[str, Any] = json.loads(file.read("header.json"))
    del header["checksum"]
    return header


def assert_same(got: Any, want: Any) -> None:
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert got.tobytes() == want.tobytes()


def test_everything_comes_back_bit_for_bit(path: Path) -> None:
    arrays, meta = read_archive(path, "thing")
    assert meta == META
    assert list(arrays) == list(ARRAYS)
    for name, want in ARRAYS.items():
        assert_same(arrays[name], want)
        assert arrays[name].flags.writeable


def test_numpy_opens_it_too(path: Path) -> None:
    with np.load(path) as loaded:
        assert_same(loaded["coords"], ARRAYS["coords"])


def test_the_same_content_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    write_archive(tmp_path / "again", "thing", ARRAYS, META)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("dtype", [object, np.str_])
def test_strings_of_any_script_are_never_pickled(tmp_path: Path, dtype: Any) -> None:
    texts = [
        "",
        "Amélie",
        "千と千尋の神隠し",
        "a\nb",
        "\U0001f9c5",
        "lone \udc80 surrogate",
        "x" * 5000,
    ]
    write_archive(tmp_path / "file", "thing", {"titles": np.array(texts, dtype=dtype)}, {})
    assert b"pickle" not in (tmp_path / "file").read_bytes()
    got = read_archive(tmp_path / "file", "thing")[0]["titles"]
    assert got.dtype == object
    assert got.tolist() == texts
    write_archive(tmp_path / "none", "thing", {"titles": np.array([], dtype=dtype)}, {})
    assert read_archive(tmp_path / "none", "thing")[0]["titles"].tolist() == []


def test_other_objects_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(vt.errors.DtypeError, match="'odd' holds None, a NoneType"):
        write_archive(tmp_path / "file", "thing", {"odd": np.array(["a", None], dtype=object)}, {})
    with pytest.raises(TypeError):
        write_archive(tmp_path / "file", "thing", {}, {"odd": object()})
    assert list(tmp_path.iterdir()) == []


# Between the opening of a file and its `with`, Python itself closes it, and older ones say so.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
# And 3.13 closes a member of a zip that is not made yet.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <zipfile._ZipWriteFile:pytest.PytestUnraisableExceptionWarning"
)
def test_ctrl_c_anywhere_is_what_is_raised(path: Path) -> None:
    """At every call of a function, those inside of the zip and of its members included."""
    before, moment, is_written = path.read_bytes(), 0, False
    while not is_written:
        moment += 1
        with contextlib.suppress(KeyboardInterrupt), Interrupting(moment):
            write_archive(path, "sizes", {"n": np.arange(3), "m": np.ones(2)}, {})
            is_written = True
        assert [*path.parent.iterdir()] == [path], moment
        assert path.read_bytes() == before or read_archive(path, "sizes"), moment
    assert moment > 50  # it was interrupted, and not only at the beginning


@given(array=st_np.arrays(st_np.scalar_dtypes(), st_np.array_shapes(min_dims=0, min_side=0)))
def test_any_array(tmp_path_factory: pytest.TempPathFactory, array: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    write_archive(path, "thing", {"array": array}, {})
    if array.dtype.kind != "U":
        assert_same(read_archive(path, "thing")[0]["array"], array)


def test_an_array_longer_than_a_chunk(tmp_path: Path) -> None:
    long = np.arange(archive.CHUNK // 4 + 3, dtype=np.int64)
    write_archive(tmp_path / "file", "thing", {"long": long}, {})
    assert_same(read_archive(tmp_path / "file", "thing")[0]["long"], long)


# --- What is not ours, or not whole ---------------------------------------------------------------


def test_another_kind_and_a_newer_version_are_named(path: Path) -> None:
    with pytest.raises(vt.errors.FileFormatError, match=r"file\.npz: holds a thing, not a model"):
        read_archive(path, "model")
    header = header_of(path) | {"version": 7}
    rewrite(path, **{"header.json": json.dumps(header).encode()})
    with pytest.raises(vt.errors.FileFormatError, match=r"version 7 of the format.*upgrade"):
        read_archive(path, "thing")


def test_a_file_cut_short_anywhere_is_damaged(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(4, len(whole), 29):
        path.write_bytes(whole[:length])
        with pytest.raises(vt.errors.DamagedFileError, match="cut short"):
            read_archive(path, "thing")


def test_no_changed_byte_goes_unnoticed(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with contextlib.suppress(vt.errors.FileFormatError):
            # Some bytes only other readers look at, as the time of a member.
            arrays, meta = read_archive(path, "thing")
            assert meta == META
            for name, want in ARRAYS.items():
                assert_same(arrays[name], want)


def test_a_member_exchanged_with_its_zip_checksum_is_noticed(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        forged = bytearray(file.read("values.npy"))
    forged[-1] ^= 1
    rewrite(path, **{"values.npy": bytes(forged)})
    with pytest.raises(vt.errors.DamagedFileError, match=r"values\.npy have another checksum"):
        read_archive(path, "thing")


HEADER: Any = {"format": "vest-tucker", "version": 1, "kind": "thing", "meta": {}, "arrays": {}}
BAD_HEADERS: dict[str, Any] = {
    "no JSON": b"{",
    "no text": b"\xff\xfe\xfd",
    "a list": [1, 2],
    "another program's": {"format": "other"},
    "no version": {"format": "vest-tucker"},
    "a version in words": HEADER | {"version": "one"},
    "a version that is a truth": HEADER | {"version": True},
    "a version that is a fraction": HEADER | {"version": 0.5},
    "a version from before the first": HEADER | {"version": 0},
    "facts that are none": HEADER | {"meta": [1]},
    "no facts": {name: part for name, part in HEADER.items() if name != "meta"},
    "arrays that are a list": HEADER | {"arrays": []},
    "arrays that are none": HEADER | {"arrays": [1]},
    "an array that is not there": HEADER | {"arrays": {"ghost": {"npy": "00"}}},
    "an array without a checksum": HEADER | {"arrays": {"values": {}}},
    "an array of no known form": HEADER | {"arrays": {"values": 3}},
    "nested too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("header", BAD_HEADERS.values(), ids=BAD_HEADERS)
def test_bad_headers(path: Path, header: Any) -> None:
    content = header if isinstance(header, bytes) else json.dumps(header).encode()
    rewrite(path, **{"header.json": content})
    with pytest.raises(vt.errors.FileFormatError, match=r"file\.npz: "):
        read_archive(path, "thing")


def npy(description: str, content: bytes = b"") -> bytes:
    text = description.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


BAD_MEMBERS = {
    "not .npy": b"rubbish",
    "empty": b"",
    "more elements than bytes": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10**15,), }".replace("10**15", "1" * 15)
    ),
    "negative sides": npy("{'descr': '<i1', 'fortran_order': False, 'shape': (-1, -1), }", b"x"),
    "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"x" * 8),
    "of no size": npy("{'descr': '|V0', 'fortran_order': False, 'shape': (9,), }"),
    "texts of no size": npy("{'descr': '<U0', 'fortran_order': False, 'shape': (8589934592,), }"),
    "bytes of no size": npy("{'descr': '|S0', 'fortran_order': False, 'shape': (8589934592, 2), }"),
    "a description without end": b"\x93NUMPY\x01\x00\xff\xff" + b"{" * 65535,
    "a description that is code": npy("__import__('os').abort()"),
}


@pytest.mark.parametrize("member", BAD_MEMBERS.values(), ids=BAD_MEMBERS)
def test_bad_members(path: Path, member: bytes) -> None:
    rewrite(path, **{"values.npy": member})
    with pytest.raises(vt.errors.DamagedFileError, match=r"file\.npz: is damaged"):
        read_archive(path, "thing")


def test_a_zip_bomb_is_not_opened(path: Path) -> None:
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("bomb.npy", bytes(10_000_000))
    with pytest.raises(vt.errors.FileFormatError, match="compressed arrays"):
        read_archive(path, "thing")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", bytes(HEADER_LIMIT + 1))
    with pytest.raises(vt.errors.FileFormatError, match="more than"):
        read_archive(path, "thing")


def test_members_that_overlap_are_not_opened(path: Path) -> None:
    header = {**HEADER, "arrays": {}}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps(header))
        file.writestr("a.npy", bytes(10_000))
        for k in range(5):  # the same bytes under five more names
            file.filelist.append(file.filelist[1])
            file.NameToInfo[f"b{k}.npy"] = file.filelist[1]
    with pytest.raises(vt.errors.DamagedFileError, match="claim"):
        read_archive(path, "thing")


def test_foreign_files_are_named(tmp_path: Path) -> None:
    text, foreign, other = tmp_path / "text", tmp_path / "foreign.npz", tmp_path / "other.npz"
    text.write_bytes(b"1 1 5.0\n")
    with pytest.raises(vt.errors.FileFormatError, match="not a file that vest-tucker wrote"):
        read_archive(text, "thing")
    text.write_bytes(b"")
    with pytest.raises(vt.errors.FileFormatError, match="not a file that vest-tucker wrote"):
        read_archive(text, "thing")
    np.savez(foreign, coords=np.zeros(3))
    with pytest.raises(vt.errors.FileFormatError, match=r"without header\.json.*np\.load"):
        read_archive(foreign, "thing")
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("header.json", '{"format": "ours"}')
    with pytest.raises(vt.errors.FileFormatError, match="did not write"):
        read_archive(other, "thing")
    with pytest.raises(FileNotFoundError, match="missing"):
        read_archive(tmp_path / "missing", "thing")
    with pytest.raises((IsADirectoryError, PermissionError)):
        read_archive(tmp_path, "thing")


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("offsets", np.array([0, 2, 3], dtype=np.int32)),
        ("offsets", np.array([0.0, 2.0, 3.0])),
        ("offsets", np.array([[0, 2, 3]])),
        ("offsets", np.array([], dtype=np.int64)),
        ("offsets", np.array([1, 2, 3])),
        ("offsets", np.array([0, 2, 2])),
        ("offsets", np.array([0, 2, 4])),
        ("offsets", np.array([0, 4, 3])),
        ("offsets", np.array([0, -1, 3])),
        ("utf8", np.array([97, 98, 99])),
        ("utf8", np.array([[97, 98, 99]], dtype=np.uint8)),
    ],
)
def test_strings_that_are_packed_in_another_way(tmp_path: Path, part: str, changed: Any) -> None:
    path = tmp_path / "file.npz"
    write_archive(path, "thing", {"x": np.array(["ab", "c"], dtype=object)}, {})
    header = header_of(path)
    del header["types"]  # as files of earlier versions are
    write_archive(path, "thing", {f"x.{part}": changed}, {})
    header["arrays"]["x"][part] = header_of(path)["arrays"][f"x.{part}"]["npy"]
    forged = zipfile.ZipFile(path).read(f"x.{part}.npy")
    write_archive(path, "thing", {"x": np.array(["ab", "c"], dtype=object)}, {})
    rewrite(path, **{f"x.{part}.npy": forged, "header.json": signed(header)})
    with pytest.raises(vt.errors.DamagedFileError, match="of strings"):
        read_archive(path, "thing")


def test_members_that_no_header_names_are_refused(path: Path) -> None:
    whole = path.read_bytes()
    for name in ("../up.npy", "/etc/passwd", "values.npy", "more.npy"):
        path.write_bytes(whole)
        with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as file:
            warnings.simplefilter("ignore")  # zipfile's, of the name that is there twice
            link = zipfile.ZipInfo(name)
            link.external_attr = 0o120777 << 16  # a symbolic link
            file.writestr(link, b"/etc/passwd")
        with pytest.raises(vt.errors.DamagedFileError, match="not those that its header names"):
            read_archive(path, "thing")


def test_another_type_of_the_same_bytes_is_noticed(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        values = file.read("values.npy")
    rewrite(path, **{"values.npy": values.replace(b"'<f8'", b"'<i8'")})
    with pytest.raises(vt.errors.DamagedFileError, match=r"values\.npy is of another type"):
        read_archive(path, "thing")
    rewrite(path, **{"values.npy": values.replace(b"(4,), }  ", b"(2, 2), }")})
    with pytest.raises(vt.errors.DamagedFileError, match=r"values\.npy is of another type"):
        read_archive(path, "thing")


def test_arrays_of_several_columns_are_not_written(tmp_path: Path) -> None:
    for array in (np.zeros(2, dtype="i4,f8"), np.zeros(2, dtype="V0")):
        with pytest.raises(vt.errors.DtypeError, match="'odd' is of"):
            write_archive(tmp_path / "file", "thing", {"odd": array}, {})
