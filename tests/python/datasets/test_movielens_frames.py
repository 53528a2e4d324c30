"""What MovieLens tells of movies and users, from small folders in the forms of its releases."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

import vest_tucker as vt

pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")

RATED = [(1, 1, 5), (1, 2, 3), (2, 4, 1)]
# Two movies of one title, of which one was never rated; a title without its year; no genres.
TITLES = {1: "Cité (1995)", 2: "Hamlet (2000)", 3: "Hamlet (2000)", 4: "Untitled"}
GENRES = {1: "Animation|Comedy", 2: "Drama", 3: "Drama|War", 4: ""}


def write_100k(folder: Path) -> None:
    names = ["unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime",
             "Documentary", "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery",
             "Romance", "Sci-Fi", "Thriller", "War", "Western"]  # fmt: skip
    flags = {
        id_: [str(int(name in own.split("|"))) for name in names] for id_, own in GENRES.items()
    }
    items = "".join(
        f"{id_}|{title}|01-Jan-1995||http://x|{'|'.join(flags[id_])}\n"
        for id_, title in TITLES.items()
    )
    (folder / "u.item").write_bytes(items.encode("latin-1"))
    (folder / "u.data").write_text("".join(f"{u}\t{m}\t{r}\t978300760\n" for u, m, r in RATED))
    (folder / "u.user").write_text("1|24|M|technician|85711\n2|53|F|other|94043\n")


def write_1m(folder: Path) -> None:
    movies = "".join(f"{id_}::{title}::{GENRES[id_]}\n" for id_, title in TITLES.items())
    (folder / "movies.dat").write_bytes(movies.encode("latin-1"))
    (folder / "ratings.dat").write_text("".join(f"{u}::{m}::{r}::978300760\n" for u, m, r in RATED))
    (folder / "users.dat").write_text("1::M::25::17::85711\n2::F::50::0::94043\n")


def write_25m(folder: Path) -> None:
    genres = {id_: own or "(no genres listed)" for id_, own in GENRES.items()}
    movies = "".join(f'{id_},"{title}",{genres[id_]}\n' for id_, title in TITLES.items())
    (folder / "movies.csv").write_text(f"movieId,title,genres\n{movies}", "utf-8")
    lines = "".join(f"{u},{m},{r},978300760\n" for u, m, r in RATED)
    (folder / "ratings.csv").write_text(f"userId,movieId,rating,timestamp\n{lines}")


WRITERS = {"ml-100k": write_100k, "ml-1m": write_1m, "ml-25m": write_25m}


def made(name: str, tmp_path: Path) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    WRITERS[name](folder)
    return folder


def columns(frame: Any) -> dict[str, list[Any]]:
    return {name: frame[name].to_pylist() for name in frame.column_names}


@pytest.mark.parametrize("name", WRITERS)
def test_movies_of_every_release(name: str, tmp_path: Path) -> None:
    folder = made(name, tmp_path)
    found = columns(vt.datasets.movielens_movies(folder, backend="pyarrow"))
    assert found == {
        "movie": ["Cité (1995)", "Hamlet (2000)", "Hamlet (2000) [3]", "Untitled"],
        "id": [1, 2, 3, 4],
        "title": list(TITLES.values()),
        "year": [1995, 2000, 2000, 0],
        "genres": list(GENRES.values()),
    }
    labels = vt.datasets.movielens(folder).labels[1]
    assert labels is not None
    assert labels.tolist() == ["Cité (1995)", "Hamlet (2000)", "Untitled"]
    assert set(labels.tolist()) <= set(found["movie"])  # so that they can be joined


@pytest.mark.parametrize(("name", "age", "job"), [
    ("ml-100k", [24, 53], ["technician", "other"]),
    ("ml-1m", [25, 50], ["technician/engineer", "other"]),
])  # fmt: skip
def test_users(name: str, age: list[int], job: list[str], tmp_path: Path) -> None:
    folder = made(name, tmp_path)
    archive = tmp_path / "users.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in sorted(folder.iterdir()):
            packed.write(file, f"{name}/{file.name}")
    for place in (folder, archive):
        assert columns(vt.datasets.movielens_users(place, backend="pyarrow")) == {
            "user": [1, 2], "gender": ["M", "F"], "age": age, "occupation": job,
            "zip": ["85711", "94043"],
        }  # fmt: skip


def test_a_release_without_users(tmp_path: Path) -> None:
    with pytest.raises(
        vt.errors.MissingFileError, match=r"only 100K and 1M tell of users; it has movies"
    ):
        vt.datasets.movielens_users(made("ml-25m", tmp_path))


@pytest.mark.parametrize("line", ["1::M::25::17", "one::M::25::17::8", "1::M::young::17::8"])
def test_a_line_that_is_not_a_user(line: str, tmp_path: Path) -> None:
    folder = made("ml-1m", tmp_path)
    (folder / "users.dat").write_text(f"3::M::25::17::85711\n{line}\n")
    with pytest.raises(vt.errors.FileFormatError, match="line 2: is not a user"):
        vt.datasets.movielens_users(folder)


def test_frames_join_those_of_a_model(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    X = vt.datasets.movielens(made("ml-1m", tmp_path), modes=["user", "movie"])
    films = vt.datasets.movielens_movies(tmp_path / "ml-1m", backend="pandas")
    joined = X.to_frame(backend="pandas").merge(films, on="movie")
    assert isinstance(joined, pd.DataFrame)
    assert joined["id"].tolist() == [1, 2, 4]
