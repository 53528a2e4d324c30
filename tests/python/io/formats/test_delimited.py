"""CSV and TSV: labels of any kind, quoted or not, and bad lines by their number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_same

pytest.importorskip("pyarrow")

FILMS = ["Amélie", 'Big, "bad"', "two\nlines", "tab\there", "'", "  spaces  "]


def labelled() -> vt.SparseTensor:
    coords = [[k % 3, k, k // 3] for k in range(6)]
    days = np.array(["2020-02-29", "2021-01-01"], dtype="M8[D]")
    return vt.SparseTensor(
        coords, [0.1 + 0.2, -0.0, 1e-320, 3, 4, 5.5],
        modes=["user", "film", "day"], labels=[[7, 11, 13], sorted(FILMS), days],
    )  # fmt: skip


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz", "x.tsv.zst"])
def test_labels_round_trip(tmp_path: Path, name: str) -> None:
    X = labelled()
    vt.write(X, tmp_path / name, value="stars")
    assert_same(vt.read(tmp_path / name), X)


def test_numbers_round_trip(tmp_path: Path) -> None:
    X = vt.SparseTensor([[0, 4], [2, 0]], [1.5, 2.0])
    vt.write(X, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == '"mode_0","mode_1","value"\n0,4,1.5\n2,0,2\n'
    got, info = vt.read(tmp_path / "x.csv", return_info=True)
    assert info.index_base == 0
    assert (got.shape, got.labels) == ((3, 5), (None, None))
    assert vt.read(tmp_path / "x.csv", shape=(9, 9)).shape == (9, 9)


def test_chosen_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("user,movie,rating,timestamp,note\n1,é,5,978300760,a\n2,b,3.5,978302109,\n")
    X = vt.read(path, modes=["movie", "user"], value="rating")
    assert (X.modes, X.values.tolist()) == (("movie", "user"), [5.0, 3.5])
    assert X.labels[0] is not None
    assert X.labels[0].tolist() == ["b", "é"]


@pytest.mark.parametrize(
    "labels",
    [
        ["12345678901234567890", "12345678901234567891"],
        ["01234", "1234", "7"],
        ["007", "7"],
        ["0x10", "16"],
        ["100000", "1e5"],
        ["True", "true"],
        ["-0", "0"],
        ["-0", "0", "1.5"],
        ["1", "1.0"],
        ["1", "NA"],
        ["1.5", "nan"],
        ["", "7"],
        ["2020-01-01", "2020-1-1"],
    ],
)
def test_different_texts_are_different_labels(tmp_path: Path, labels: list[str]) -> None:
    coords = [[row, 0] for row in range(len(labels))]
    X = vt.SparseTensor(coords, np.ones(len(labels)), modes=["a", "b"], labels=[labels, ["x"]])
    vt.write(X, tmp_path / "x.csv")
    assert_same(vt.read(tmp_path / "x.csv"), X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-7, 8, 2**62]),
        np.array([0.5, 1.0, 1e20]),
        np.array(["2020-02-29", "2021-01-01"], dtype="M8[D]"),
        np.array(["2020-02-29T01:02:03.5", "2021-01-01T00:00:00"], dtype="M8[ms]"),
        np.array([False, True]),
    ],
)
def test_types_come_back_where_nothing_is_lost(tmp_path: Path, labels: Any) -> None:
    coords = [[row, 0] for row in range(len(labels))]
    X = vt.SparseTensor(coords, np.ones(len(labels)), modes=["a", "b"], labels=[labels, ["x"]])
    vt.write(X, tmp_path / "x.csv")
    assert_same(vt.read(tmp_path / "x.csv"), X)


def test_like_decides_the_type_of_labels(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,c,v\n7,1.0,2020-01-02,1\n")
    day = np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")
    X = vt.SparseTensor(
        [[1, 1, 1]], [1.0], modes=["a", "b", "c"], labels=[["6", "7"], [0.5, 1.0], day]
    )
    assert_same(vt.read(path, like=X), X)
    path.write_text("a,b,c,v\n07,1.0,2020-01-02,1\n")
    numbers = vt.SparseTensor([[1, 0, 0]], [1.0], modes=["a", "b", "c"], labels={"a": [6, 7]})
    with pytest.raises(vt.errors.LabelError, match="'07'"):
        vt.read(path, like=numbers)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffuser,film,stars\r\na,x,1\r\nb,y,-2e0\r\n",
        "user,film,stars\ra,x,1\rb,y,-2",
        '\n"user","film","stars"\n\na,"x",1\n"b",y,-2.0\n\n',
    ],
)
def test_byte_order_mark_line_ends_and_quotes(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.csv").write_bytes(content.encode())
    X = vt.read(tmp_path / "x.csv")
    assert X.modes == ("user", "film")
    assert X.values.tolist() == [1.0, -2.0]


def test_a_table_without_names_is_read_as_lines_of_numbers(tmp_path: Path) -> None:
    for name, text in (("x.csv", "1,2,3.5\n2,2,1\n"), ("x.tsv", "1\t2\t3.5\n2\t2\t1\n")):
        (tmp_path / name).write_text(text)
        X, info = vt.read(tmp_path / name, return_info=True)
        assert (info.format, info.index_base, X.nnz) == ("tns", 1, 2)


BAD: dict[str, tuple[bytes, Any, int | None, str]] = {
    "too few columns": (
        b"a,b,v\n1,2,3\n1,2\n",
        {},
        3,
        "has 2 columns, but there should be 3",
    ),
    "too many columns": (
        b"a,b,v\n1,2,3,4\n",
        {},
        2,
        "has 4 columns, but there should be 3",
    ),
    "text as value": (
        b"a,b,v\nx,y,1\nx,z,good\n",
        {},
        3,
        "the column 'v' has 'good'",
    ),
    "after a quoted newline": (b'a,b,v\n"x\n\nx",y,1\nx,z,?\n', {}, 5, "the column 'v' has '?'"),
    "NaN": (b"a,b,v\nx,y,1\n\nx,z,nan\n", {}, 4, "the value is nan"),
    "NA": (b"a,b,v\nx,y,1\n\nx,z,NA\n", {}, 4, "the column 'v' has 'NA'"),
    "infinity": (b"a,b,v\nx,y,-inf\nx,z,1\n", {}, 2, "the value is -inf"),
    "no value": (b"a,b,v\nx,y,1\nx,z,\n", {}, 3, "no value in the column 'v'"),
    "no label": (b"a,b,v\n1,y,1\n,z,1\n", {}, 3, "no value in the column 'a'"),
    "no text": (b"a,b,v\nx,y,1\n,z,1\n", {}, 3, "no value in the column 'a'"),
    "float index": (b"a,b,v\n1,1,1\n1.5,2,1\n", {"index_base": 1}, 3, "the column 'a' has '1.5'"),
    "one column": (b"a\n1\n", {}, None, "two modes or more"),
    "only names": (b"a,b,v\n", {}, None, "no entries"),
    "binary": (b"a,b,v\n\x00\x01", {}, None, "binary"),
    "UTF-16": ("a,b,v\n".encode("utf-16"), {}, None, "UTF-16"),
    "latin-1 in the names": ("é,b,v\nx,y,1\n".encode("latin-1"), {}, 1, "UTF-8"),
    "latin-1 in the values": (b"a,b,v\nx,y,1\nx,z,\xb2\n", {}, 3, "UTF-8"),
    "a cell without end": (b'a,b,v\nx,y,1\nx,"z,2\n' + b"x" * 200_000, {}, 3, "field"),
    "latin-1": ("a,b,v\nx,y,1\nAmélie,y,2\n".encode("latin-1"), {}, 3, "UTF-8"),
    "two of a name": (b"a,a,v\n1,2,3\n", {}, None, "two columns called 'a'"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_files(tmp_path: Path, bad: tuple[bytes, Any, int | None, str]) -> None:
    content, options, line, said = bad
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(vt.errors.FileFormatError) as caught:
        vt.read(path, **options)
    assert said in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"")
    with pytest.raises(vt.errors.FileFormatError):
        vt.read(tmp_path / "x.csv")


def test_duplicates_are_named_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,v\nx,y,1\nx,z,1\n\nx,y,3\n")
    with pytest.raises(vt.errors.DuplicateError, match=r"lines 2 \('x,y,1'\) and 5 \('x,y,3'\)"):
        vt.read(path)
    assert vt.read(path, duplicates="sum").values.tolist() == [4.0, 1.0]


def test_a_mode_with_the_name_of_the_value_column_is_refused(tmp_path: Path) -> None:
    X = vt.SparseTensor([[0, 1]], [1.0], modes=["value", "film"])
    with pytest.raises(vt.errors.ColumnError, match="value"):
        vt.write(X, tmp_path / "x.csv")
    vt.write(X, tmp_path / "x.csv", value="stars")
    assert list(tmp_path.iterdir()) == [tmp_path / "x.csv"]


def test_a_nul_is_refused_before_a_file_is_written_that_nobody_can_read(tmp_path: Path) -> None:
    labels = {"user": ["a\x00b", "c"]}
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], modes=["user", "item"], labels=labels)
    for name in ("x.csv", "x.tsv.gz"):
        with pytest.raises(vt.errors.LabelError, match="'user' has a NUL"):
            vt.write(X, tmp_path / name)
        assert not (tmp_path / name).exists()
    vt.write(X, tmp_path / "x.npz")
    assert vt.read(tmp_path / "x.npz").labels[0].tolist() == labels["user"]  # type: ignore[union-attr]


def test_labels_of_modes_without_names(tmp_path: Path) -> None:
    """They would be read back as indices."""
    X = vt.SparseTensor([[0, 1]], [1.0], labels=[[7], None])
    for form in ("x.csv", "x.tsv"):
        with pytest.raises(vt.errors.ModeError, match="name the modes first"):
            vt.write(X, tmp_path / form)
    assert not list(tmp_path.iterdir())


GAPPY = "who,dish,stars,n\nann,NA,4,1\nbob,soup,NA,1\n,soup,3,1\nbob,rice, 2 ,1\nann,rice,,1\n"


def test_rows_with_gaps_are_dropped_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(GAPPY)
    with pytest.raises(
        vt.errors.FileFormatError, match=r"line 3: .*'stars' has 'NA'.*missing=\"drop\""
    ):
        vt.read(path, value="stars", weight="n")
    with pytest.warns(UserWarning, match="dropped") as caught:
        X = vt.read(path, value="stars", weight="n", missing="drop")
    assert X.to_frame(backend="pyarrow").to_pylist() == [
        {"who": "ann", "dish": "NA", "value": 4.0, "weight": 1.0},  # a label like any other
        {"who": "bob", "dish": "rice", "value": 2.0, "weight": 1.0},
    ]
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        f"{path}: 3 of 5 rows were dropped for gaps: 1 in the column 'who' (first in line 4), 2 in "
        f"the column 'stars' (first in line 3)"
    )


@pytest.mark.parametrize("field", ["??", "1,5", "inf", "0x10"])
def test_what_is_neither_a_number_nor_a_gap_is_an_error(tmp_path: Path, field: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(f"who\tdish\tstars\nann\ttea\tNA\nbob\ttea\t{field}\n")
    with pytest.raises(
        vt.errors.FileFormatError, match=r"line 3: .*'stars' has .*neither a number nor"
    ):
        vt.read(path, missing="drop")


def test_after_rows_were_dropped_lines_are_still_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("who,dish,stars\nann,tea,\nann,tea,1\nbob,tea,2\nann,tea,3\n")
    with (
        pytest.warns(UserWarning, match="line 2"),
        pytest.raises(vt.errors.DuplicateError, match=r"lines 3 .* and 5 "),
    ):
        vt.read(path, missing="drop")


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize(("clock", "written"), [("00:00", ""), ("08:30:15", " 08:30:15")])
def test_times_have_no_needless_zeros(tmp_path: Path, unit: str, clock: str, written: str) -> None:
    weeks = np.array([f"2024-07-01T{clock}", f"2024-07-08T{clock}"], dtype=f"M8[{unit}]")
    X = vt.SparseTensor(
        [[0, 0], [1, 1]], [1, 2], modes=["week", "store"], labels=[weeks, ["a", "b"]]
    )
    vt.write(X, tmp_path / "X.csv")
    assert f"\n2024-07-01{written},".replace('"', "") in (tmp_path / "X.csv").read_text()
    back = vt.read(tmp_path / "X.csv").labels[0]
    assert back is not None
    assert (back == weeks).all()
