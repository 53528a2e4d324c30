"""Yelp's lines of JSON, block by block; what is wrong with one of them is named."""

from __future__ import annotations

import gzip
import json
import sys
import tarfile
from pathlib import Path

import pytest

import vest_tucker as vt

MODULE = "vest_tucker.datasets.yelp"
ANN, BOB = "hG7b0MtEbXx5QzbzE6C_VA", "yfFzsLmaWF2d4Sr0UNbBgg"
CAFE, BAR, OTHER = "ytynqOUb3hjKeJfRj5Tshw", "7ATYjTIgM3jUlt4UM3IypQ", "XQfwVwDr-v0ZS3_CbbE5Xw"


def review(user: str, business: str, stars: float, date: str, **more: object) -> str:
    """One line as Yelp writes it."""
    return json.dumps(
        {
            "review_id": "KU_O5udG6zpxOg-VcAEodg",
            "user_id": user,
            "business_id": business,
            "stars": stars,
            "useful": 0,
            "funny": 0,
            "cool": 0,
            "text": 'If you go,\nbe "aware" it is\r\n\tgoing to take 2 hours: café \u2603',
            "date": date,
            **more,
        }
    )


LINES = [
    review(BOB, CAFE, 5.0, "2018-07-07 22:09:11"),
    review(ANN, BAR, 1.0, "2012-01-03 15:28:18"),
    review(ANN, BAR, 4.0, "2012-01-31 23:59:59"),
    review(ANN, BAR, 2.0, "2012-02-01 00:00:00"),
]
BUSINESSES = [
    json.dumps({"business_id": CAFE, "name": "Café Français", "stars": 4.5, "hours": None}),
    json.dumps({"business_id": BAR, "name": "Starbucks", "attributes": {"WiFi": "u'free'"}}),
    json.dumps({"business_id": OTHER, "name": "Starbucks", "is_open": 1}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "yelp_dataset"
    inside.mkdir()
    for what, lines in (("review", LINES), ("business", BUSINESSES)):
        path = inside / f"yelp_academic_dataset_{what}.json"
        path.write_text("".join(line + "\n" for line in lines))
    return inside


@pytest.fixture
def reviews(folder: Path) -> Path:
    return folder / "yelp_academic_dataset_review.json"


def cells(X: vt.SparseTensor) -> dict[tuple[object, ...], float]:
    columns = [X.mode_labels.decode(mode, X.coords[:, mode]).tolist() for mode in range(X.order)]
    return dict(zip(zip(*columns, strict=True), X.values.tolist(), strict=True))


MEANS = {
    (BOB, CAFE, "2018-07"): 5.0,
    (ANN, BAR, "2012-01"): 2.5,
    (ANN, BAR, "2012-02"): 2.0,
}


def test_reviews_become_a_tensor_and_twice_in_a_month_is_their_mean(reviews: Path) -> None:
    X = vt.datasets.yelp(reviews)
    assert X.modes == ("user", "business", "month")
    assert cells(X) == MEANS
    assert [list(labels) for labels in X.labels if labels is not None] == [
        [ANN, BOB], [BAR, CAFE], ["2012-01", "2012-02", "2018-07"],
    ]  # fmt: skip


def test_other_ways_to_merge_repeated_reviews(reviews: Path) -> None:
    assert cells(vt.datasets.yelp(reviews, duplicates="last"))[ANN, BAR, "2012-01"] == 4.0
    with pytest.raises(vt.errors.DuplicateError, match="2012-01"):
        vt.datasets.yelp(reviews, duplicates="error")


def test_folders_archives_and_compressed_files(folder: Path, reviews: Path) -> None:
    assert cells(vt.datasets.yelp(folder)) == MEANS
    packed = folder.parent / "reviews.gz"
    packed.write_bytes(gzip.compress(reviews.read_bytes()))
    assert cells(vt.datasets.yelp(packed)) == MEANS
    archive = folder.parent / "yelp_dataset.tar"
    with tarfile.open(archive, "w") as tar:
        for file in sorted(folder.iterdir()):
            tar.add(file, file.name)
    assert cells(vt.datasets.yelp(archive, businesses=archive))[ANN, "Starbucks", "2012-02"] == 2.0


def test_blocks_smaller_than_a_line(reviews: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[MODULE], "BLOCK", 10)
    assert cells(vt.datasets.yelp(reviews)) == MEANS


def test_dates_without_a_time_blank_lines_and_no_end(reviews: Path) -> None:
    lines = [line.replace(" 15:28:18", "") for line in LINES]
    reviews.write_text("\n\n".join(lines).rstrip())
    assert cells(vt.datasets.yelp(reviews)) == MEANS


def test_names_of_businesses(folder: Path, reviews: Path) -> None:
    X = vt.datasets.yelp(reviews, businesses=folder)
    assert X.labels[1] is not None
    assert X.labels[1].tolist() == ["Starbucks", "Café Français"]
    with reviews.open("a") as file:
        file.write(review(BOB, OTHER, 3.0, "2018-07-07 22:09:11") + "\n")
        file.write(review(BOB, "unlisted", 3.0, "2018-07-07 22:09:11") + "\n")
    labels = vt.datasets.yelp(
        reviews, businesses=folder / "yelp_academic_dataset_business.json"
    ).labels[1]
    assert labels is not None
    assert labels.tolist() == [
        f"Starbucks [{BAR}]", f"Starbucks [{OTHER}]", "unlisted", "Café Français",
    ]  # fmt: skip


@pytest.mark.parametrize("block", [1 << 24, 100])
@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (LINES[1][:150], r"is not valid JSON \(.*\): '\{\"review_id\": "),
        ("[1, 2]", "is not a JSON object"),
        ("garbage", "is not valid JSON"),
        (review(ANN, BAR, 1.0, "2012-01-03").replace("user_id", "user"), "has no user_id"),
        (review(ANN, BAR, 1.0, "yesterday"), "has a wrong date"),
        (review(ANN, BAR, "five", "2012-01-03"), "has a wrong stars"),  # type: ignore[arg-type]
        (review(ANN, None, 5.0, "2012-01-03"), "has no business_id"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_line_is_named(
    reviews: Path, bad: str, complaint: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[MODULE], "BLOCK", block)
    reviews.write_text("\n".join([*LINES[:2], bad, *LINES[2:]]) + "\n")
    with pytest.raises(vt.errors.FileFormatError, match=rf"review\.json, line 3: {complaint}"):
        vt.datasets.yelp(reviews)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file(reviews: Path, content: bytes) -> None:
    reviews.write_bytes(content)
    with pytest.raises(vt.errors.FileFormatError, match=r"review\.json: has no entries"):
        vt.datasets.yelp(reviews)


def test_a_binary_file(reviews: Path) -> None:
    reviews.write_bytes(bytes(range(256)))
    with pytest.raises(vt.errors.FileFormatError, match=r"review\.json, line 1: is not valid JSON"):
        vt.datasets.yelp(reviews)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        vt.errors.MissingFileError, match=r"no yelp_academic_dataset_review\.json; it is"
    ):
        vt.datasets.yelp(tmp_path)
    with pytest.raises(vt.errors.MissingFileError, match="there is no file or folder 'yelp'"):
        vt.datasets.yelp("yelp")


def test_without_arrow_the_way_to_get_it_is_named(
    reviews: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(vt.errors.MissingPackageError, match="pyarrow"):
        vt.datasets.yelp(reviews)
