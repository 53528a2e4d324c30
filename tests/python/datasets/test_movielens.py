"""MovieLens in the layouts of all its releases, quirks included; what is wrong is named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt

# user, movie, rating, time: 2000-12-31 22:12:40, 1995-01-09 11:46:44 and 2000-12-31 23:00:00 UTC
RATINGS = [(1, 1193, 5, 978300760), (6040, 1, 3, 789652004), (1, 11, 4, 978303600)]
TITLES = {
    1: "Toy Story (1995)",
    11: "American President, The (1995)",
    16: "Never Rated (1995)",
    1193: "Cité des enfants perdus: La (1995)",
}


def write_100k(folder: Path, titles: dict[int, str], ratings: list[tuple[float, ...]]) -> None:
    rest = "01-Jan-1995||http://us.imdb.com/M/title-exact|0|0|1|1|0"
    items = "".join(f"{id_}|{title}|{rest}\n" for id_, title in titles.items())
    (folder / "u.item").write_bytes(items.encode("latin-1"))
    (folder / "u.data").write_text("".join("\t".join(map(str, row)) + "\n" for row in ratings))
    (folder / "u1.base").write_text("")


def write_1m(folder: Path, titles: dict[int, str], ratings: list[tuple[float, ...]]) -> None:
    movies = "".join(f"{id_}::{title}::Animation|Comedy\n" for id_, title in titles.items())
    (folder / "movies.dat").write_bytes(movies.encode("latin-1"))
    (folder / "ratings.dat").write_text("".join("::".join(map(str, row)) + "\n" for row in ratings))
    (folder / "users.dat").write_text("1::F::1::10::48067\n")


def write_10m(folder: Path, titles: dict[int, str], ratings: list[tuple[float, ...]]) -> None:
    write_1m(folder, titles, ratings)
    movies = (folder / "movies.dat").read_bytes().decode("latin-1")
    (folder / "movies.dat").write_bytes(movies.encode("utf-8"))
    (folder / "tags.dat").write_text("15::4973::excellent!::1215184630\n")


def write_25m(folder: Path, titles: dict[int, str], ratings: list[tuple[float, ...]]) -> None:
    movies = "movieId,title,genres\r\n" + "".join(
        f'{id_},"{title}",Comedy\r\n' if "," in title else f"{id_},{title},(no genres listed)\r\n"
        for id_, title in titles.items()
    )
    (folder / "movies.csv").write_bytes(movies.encode("utf-8"))
    lines = "".join(",".join(map(str, row)) + "\r\n" for row in ratings)
    (folder / "ratings.csv").write_bytes(b"userId,movieId,rating,timestamp\r\n" + lines.encode())


WRITERS = {"ml-100k": write_100k, "ml-1m": write_1m, "ml-10M100K": write_10m, "ml-25m": write_25m}


@pytest.fixture(params=WRITERS)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """One folder in each of the layouts."""
    folder = tmp_path / str(request.param)
    folder.mkdir()
    WRITERS[request.param](folder, TITLES, list(RATINGS))
    return folder


@pytest.fixture
def ml_1m(tmp_path: Path) -> Path:
    folder = tmp_path / "ml-1m"
    folder.mkdir()
    write_1m(folder, TITLES, list(RATINGS))
    return folder


def zipped(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, f"{folder.name}/{file.name}")
    return path


def file_of(folder: Path, *names: str) -> Path:
    """Return the one of some files that a folder has."""
    return next(folder / name for name in names if (folder / name).exists())


def cells(X: vt.SparseTensor) -> dict[tuple[object, ...], float]:
    """Labels of every entry -> its value."""
    columns = [X.mode_labels.decode(mode, X.coords[:, mode]).tolist() for mode in range(X.order)]
    return dict(zip(zip(*columns, strict=True), X.values.tolist(), strict=True))


@pytest.mark.parametrize("as_zip", [False, True])
def test_every_layout_gives_the_same_tensor(release: Path, as_zip: bool) -> None:
    X = vt.datasets.movielens(zipped(release) if as_zip else release)
    assert X.modes == ("user", "movie", "year", "hour")
    assert cells(X) == {
        (1, "Cité des enfants perdus: La (1995)", 2000, 22): 5.0,
        (6040, "Toy Story (1995)", 1995, 11): 3.0,
        (1, "American President, The (1995)", 2000, 23): 4.0,
    }
    assert X.shape == (2, 3, 2, 3)  # the movie that nobody rated has no row
    users, movies, years, hours = X.labels
    assert users is not None
    assert movies is not None
    assert years is not None
    assert hours is not None
    assert all(labels.dtype == np.int64 for labels in (users, years, hours))
    assert movies.tolist()[0] == "Toy Story (1995)"  # in the order of the ids
    assert years.tolist() == [1995, 2000]


def test_archives_are_read_without_unpacking(ml_1m: Path) -> None:
    path = zipped(ml_1m)
    before = sorted(path.parent.rglob("*"))
    vt.datasets.movielens(path)
    assert sorted(path.parent.rglob("*")) == before


def test_the_file_of_the_ratings_stands_for_its_folder(ml_1m: Path) -> None:
    assert cells(vt.datasets.movielens(ml_1m / "ratings.dat")) == cells(
        vt.datasets.movielens(str(ml_1m))
    )


def test_half_stars(tmp_path: Path) -> None:
    write_10m(tmp_path, TITLES, [(1, 1, 4.5, 0), (2, 1, 0.5, 0)])
    assert vt.datasets.movielens(tmp_path).values.tolist() == [4.5, 0.5]


def test_movies_that_share_a_title_get_their_ids(release: Path) -> None:
    titles = TITLES | {1193: TITLES[1]}
    WRITERS[release.name](release, titles, list(RATINGS))
    movies = vt.datasets.movielens(release).labels[1]
    assert movies is not None
    assert movies.tolist() == [
        "Toy Story (1995) [1]",
        "American President, The (1995)",
        "Toy Story (1995) [1193]",
    ]


def test_a_title_shared_with_an_unrated_movie_stays_as_it_is(ml_1m: Path) -> None:
    write_1m(ml_1m, TITLES | {16: TITLES[1]}, list(RATINGS))
    movies = vt.datasets.movielens(ml_1m).labels[1]
    assert movies is not None
    assert "Toy Story (1995)" in movies


def test_a_movie_without_a_title_is_called_by_its_id(ml_1m: Path) -> None:
    write_1m(ml_1m, {1: "Toy Story (1995)"}, list(RATINGS))
    movies = vt.datasets.movielens(ml_1m).labels[1]
    assert movies is not None
    assert movies.tolist() == ["Toy Story (1995)", "movie 11", "movie 1193"]


def test_some_of_the_modes_in_another_order(ml_1m: Path) -> None:
    X = vt.datasets.movielens(ml_1m, modes=("movie", "user"))
    assert X.modes == ("movie", "user")
    assert cells(X)["Toy Story (1995)", 6040] == 3.0


def test_cells_that_repeat_without_the_movie(ml_1m: Path) -> None:
    with pytest.raises(vt.errors.DuplicateError, match=r"user=1, year=2000"):
        vt.datasets.movielens(ml_1m, modes=["user", "year"])
    X = vt.datasets.movielens(ml_1m, modes=["user", "year"], duplicates="mean")
    assert cells(X) == {(1, 2000): 4.5, (6040, 1995): 3.0}


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        (("user", "genre"), "no mode 'genre' in MovieLens; there are user, movie, year, hour"),
        (("user",), "choose two or more"),
        ("user", "choose two or more"),
        (("user", "user"), "different"),
    ],
)
def test_unknown_modes_are_refused(ml_1m: Path, modes: tuple[str, ...], message: str) -> None:
    with pytest.raises(vt.errors.ModeError, match=message):
        vt.datasets.movielens(ml_1m, modes=modes)


def test_the_folder_above_is_named_with_the_one_meant(ml_1m: Path) -> None:
    with pytest.raises(
        vt.errors.MissingFileError, match=rf"MovieLens release; did you mean {ml_1m}"
    ):
        vt.datasets.movielens(ml_1m.parent)


def test_another_folder_is_named_with_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(
        vt.errors.MissingFileError,
        match=r"neither ratings\.csv nor ratings\.dat nor u\.data.*notes\.txt",
    ):
        vt.datasets.movielens(tmp_path)


def test_another_archive_is_named_with_what_it_has(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("notes.txt", "")
    with pytest.raises(
        vt.errors.MissingFileError, match=r"other\.zip has neither.*it has notes\.txt"
    ):
        vt.datasets.movielens(tmp_path / "other.zip")


def test_another_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(vt.errors.MissingFileError, match=r"notes\.txt is neither the folder"):
        vt.datasets.movielens(tmp_path / "notes.txt")


def test_missing_titles_are_named(release: Path) -> None:
    movies = next(
        file
        for file in release.iterdir()
        if file.stem in ("u", "movies") and "u.d" not in file.name
    )
    movies.unlink()
    with pytest.raises(
        vt.errors.MissingFileError, match=rf"but no {movies.name}, which has the titles"
    ):
        vt.datasets.movielens(release)


def test_a_line_cut_short_is_named(release: Path) -> None:
    ratings = next(
        release / name
        for name in ("u.data", "ratings.dat", "ratings.csv")
        if (release / name).exists()
    )
    whole = ratings.read_bytes()
    ratings.write_bytes(whole[: whole.rstrip().rfind(b"9783") - 2])
    lines = len(RATINGS) + (ratings.suffix == ".csv")
    with pytest.raises(
        vt.errors.FileFormatError, match=rf"{ratings.name}, line {lines}: has . columns"
    ):
        vt.datasets.movielens(release)


@pytest.mark.parametrize(
    ("name", "line"), [("movies.dat", b"12::Half a li"), ("movies.dat", b"x::Title::Drama")]
)
def test_a_bad_title_is_named(ml_1m: Path, name: str, line: bytes) -> None:
    (ml_1m / name).write_bytes((ml_1m / name).read_bytes() + line)
    with pytest.raises(
        vt.errors.FileFormatError, match=rf"{name}, line 5: is not a movie.*{line.decode()!r}"
    ):
        vt.datasets.movielens(ml_1m)


def test_two_colons_in_a_title(ml_1m: Path) -> None:
    movies = (ml_1m / "movies.dat").read_text("latin-1").split("\n")
    id_, title, genres = movies[0].split("::")
    movies[0] = f"{id_}::Re:: {title}::{genres}"
    (ml_1m / "movies.dat").write_text("\n".join(movies), "latin-1")
    titles = vt.datasets.movielens(ml_1m).labels[1]
    assert titles is not None
    assert f"Re:: {title}" in titles.tolist()


def test_an_archive_cut_short(ml_1m: Path) -> None:
    path = zipped(ml_1m)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(vt.errors.DamagedFileError, match=r"ml-1m\.zip"):
        vt.datasets.movielens(path)


def test_titles_come_through_a_fit(ml_1m: Path) -> None:
    X = vt.datasets.movielens(ml_1m)
    assert vt.fit(X, 1, max_iter=2, seed=0, preset="paper").shape == X.shape
