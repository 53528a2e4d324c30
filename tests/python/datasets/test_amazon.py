"""Amazon's fine foods as SNAP and as Kaggle give them, with line ends where none should be."""

from __future__ import annotations

import gzip
import sys
import zipfile
from pathlib import Path

import pytest

import vest_tucker as vt

MODULE = "vest_tucker.datasets.amazon"
# product, user, profile name, score, time, text; 2011-04-27, 2011-04-30 and 1999-10-08
REVIEWS = [
    ("B001E4KFG0", "A3SGXH7AUHU8GW", "delmartian", 5, 1303862400, "Good dog food."),
    ("B001E4KFG0", "A3SGXH7AUHU8GW", "Amélie", 2, 1304121600, 'Not "as" advertised, sorry'),
    ("B00813GRG4", "A1D87F6ZCVE5NK", 'Sherry "Tell us\n  about yourself!', 1, 939340800, "<br />"),
]
CELLS = {
    ("B001E4KFG0", "A3SGXH7AUHU8GW", "2011-04"): 3.5,
    ("B00813GRG4", "A1D87F6ZCVE5NK", "1999-10"): 1.0,
}


def record(product: str, user: str, name: str, score: float, time: int, text: str) -> str:
    return (
        f"product/productId: {product}\nreview/userId: {user}\nreview/profileName: {name}\n"
        f"review/helpfulness: 1/1\nreview/score: {score:.1f}\nreview/time: {time}\n"
        f"review/summary: Summary\nreview/text: {text}\n\n"
    )


@pytest.fixture
def txt(tmp_path: Path) -> Path:
    path = tmp_path / "finefoods.txt"
    path.write_bytes("".join(record(*review) for review in REVIEWS).encode("latin-1"))
    return path


@pytest.fixture
def reviews_csv(tmp_path: Path) -> Path:
    path = tmp_path / "Reviews.csv"
    lines = [
        "Id,ProductId,UserId,ProfileName,HelpfulnessNumerator,HelpfulnessDenominator,Score,Time,"
        "Summary,Text"
    ]
    for number, (product, user, *names, score, time, review) in enumerate(REVIEWS, start=1):
        name, text = (each.replace('"', '""') for each in (*names, review))
        lines.append(f'{number},{product},{user},"{name}",1,1,{score},{time},Yes,"{text}"')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def cells(X: vt.SparseTensor) -> dict[tuple[object, ...], float]:
    columns = [X.mode_labels.decode(mode, X.coords[:, mode]).tolist() for mode in range(X.order)]
    return dict(zip(zip(*columns, strict=True), X.values.tolist(), strict=True))


def test_both_layouts_give_the_same_tensor(txt: Path, reviews_csv: Path) -> None:
    for path in (txt, reviews_csv):
        X = vt.datasets.amazon_fine_foods(path)
        assert X.modes == ("product", "user", "month")
        assert cells(X) == CELLS
        assert X.shape == (2, 2, 2)


def test_packed_files_and_folders(txt: Path, reviews_csv: Path) -> None:
    packed = txt.parent / "foods.gz"
    packed.write_bytes(gzip.compress(txt.read_bytes()))
    assert cells(vt.datasets.amazon_fine_foods(packed)) == CELLS
    archive = txt.parent / "archive.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.write(reviews_csv, "Reviews.csv")
        opened.writestr("hashes.txt", "")
    assert cells(vt.datasets.amazon_fine_foods(archive)) == CELLS
    assert cells(vt.datasets.amazon_fine_foods(str(txt.parent))) == CELLS


def test_other_ways_to_merge_repeated_reviews(txt: Path) -> None:
    X = vt.datasets.amazon_fine_foods(txt, duplicates="first")
    assert cells(X)["B001E4KFG0", "A3SGXH7AUHU8GW", "2011-04"] == 5.0
    with pytest.raises(vt.errors.DuplicateError, match="2011-04"):
        vt.datasets.amazon_fine_foods(txt, duplicates="error")


@pytest.mark.parametrize("block", [1, 7, 300])
def test_blocks_smaller_than_a_record(
    txt: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[MODULE], "BLOCK", block)
    assert cells(vt.datasets.amazon_fine_foods(txt)) == CELLS


def test_other_line_ends_and_no_last_one(txt: Path) -> None:
    text = txt.read_bytes().rstrip()
    txt.write_bytes(text.replace(b"\n", b"\r\n"))
    assert cells(vt.datasets.amazon_fine_foods(txt)) == CELLS
    txt.write_bytes(text[: text.rindex(b"\nreview/summary")])
    assert cells(vt.datasets.amazon_fine_foods(txt)) == CELLS


@pytest.mark.parametrize("block", [1 << 24, 200])
@pytest.mark.parametrize(
    ("there", "instead", "lacks"),
    [
        ("review/userId: A3SGXH7AUHU8GW\n", "", "review/userId"),
        ("review/score: 2.0", "review/score: two", "review/score"),
        ("review/time: 1304121600", "review/time: 2011-04-30", "review/time"),
        ("review/time: 1304121600", f"review/time: {'9' * 30}", "review/time"),
        ("productId: B001E4KFG0", "productId: Käse", "product/productId"),
        ("review/score: 2.0\nreview/time: 1304121600", "review/time: 1\nreview/score: 2",
         "lines in the usual order"),
    ],
)  # fmt: skip
def test_a_bad_record_is_named(
    txt: Path,
    there: str,
    instead: str,
    lacks: str,
    block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules[MODULE], "BLOCK", block)
    first, second, third = (record(*review) for review in REVIEWS)
    assert there in second
    txt.write_bytes((first + second.replace(there, instead) + third).encode("latin-1"))
    with pytest.raises(
        vt.errors.FileFormatError,
        match=rf"finefoods\.txt, line 10: .* has no {lacks}: 'product/productId: ",
    ):
        vt.datasets.amazon_fine_foods(txt)


def test_a_file_cut_short(txt: Path) -> None:
    text = txt.read_bytes()
    txt.write_bytes(text[: text.rindex(b"review/score")])
    with pytest.raises(vt.errors.FileFormatError, match=r"line 19: .* has no review/score"):
        vt.datasets.amazon_fine_foods(txt)


def test_a_row_cut_short(reviews_csv: Path) -> None:
    text = reviews_csv.read_bytes()
    reviews_csv.write_bytes(text[: text.rindex(b",1,1,")])
    with pytest.raises(vt.errors.FileFormatError, match=r"Reviews\.csv, line 4: has 5 columns"):
        vt.datasets.amazon_fine_foods(reviews_csv)


def test_another_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing of the kind\n")
    with pytest.raises(vt.errors.FileFormatError, match=r"line 1: there is no column 'Product"):
        vt.datasets.amazon_fine_foods(path)
    path.rename(tmp_path / "other.txt")
    with pytest.raises(
        vt.errors.MissingFileError, match=r"has neither finefoods\.txt nor .*other\.txt"
    ):
        vt.datasets.amazon_fine_foods(tmp_path)


def test_an_unknown_path_or_name_is_refused() -> None:
    with pytest.raises(vt.errors.MissingFileError, match="names that can be fetched: finefoods"):
        vt.datasets.amazon_fine_foods("finefood")


def test_without_arrow_the_way_to_get_it_is_named(
    txt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        vt.errors.MissingPackageError, match=r"reading finefoods\.txt needs.*pyarrow"
    ):
        vt.datasets.amazon_fine_foods(txt)


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n", b"\r\n\n", b"\xef\xbb\xbf\n\n"])
def test_a_byte_order_mark_or_blank_lines_before_the_first_review(
    txt: Path, before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    txt.write_bytes(before + txt.read_bytes())
    for size in (1 << 24, 40):
        monkeypatch.setattr(f"{MODULE}.BLOCK", size)
        assert cells(vt.datasets.amazon_fine_foods(txt)) == CELLS
