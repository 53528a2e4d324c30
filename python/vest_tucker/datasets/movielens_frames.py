"""What MovieLens tells of movies and users, as frames to join with those of a model."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from vest_tucker.base.errors import FileFormatError, MissingFileError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.datasets.archives import contents, find
from vest_tucker.datasets.fetch import located
from vest_tucker.datasets.movielens import (
    MOVIE,
    NAMES,
    Movies,
    find_release,
    labels_of,
    lines_of,
    text_of,
)
from vest_tucker.datasets.tables import read_columns
from vest_tucker.io.diagnose import shown

YEAR = re.compile(r"\((\d{4})\)\s*$")
# The files of users: how their lines are divided, and which field is what.
USERS = {
    "users.dat": ("::", {"user": 0, "gender": 1, "age": 2, "occupation": 3, "zip": 4}),
    "u.user": ("|", {"user": 0, "age": 1, "gender": 2, "occupation": 3, "zip": 4}),
}
# The occupations of users.dat, by their numbers.
OCCUPATIONS = (
    "other", "academic/educator", "artist", "clerical/admin", "college/grad student",
    "customer service", "doctor/health care", "executive/managerial", "farmer", "homemaker",
    "K-12 student", "lawyer", "programmer", "retired", "sales/marketing", "scientist",
    "self-employed", "technician/engineer", "tradesman/craftsman", "unemployed", "writer",
)  # fmt: skip


def movielens_movies(
    path: AnyPath, *, backend: Backend | None = None, cache: AnyPath | None = None
) -> Any:
    r"""Return the movies of a MovieLens release as a frame, with titles, years and genres.

    Parameters
    ----------
    path, cache
        As for `movielens`.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The library of the frame; by default the first of these that is installed.

    Returns
    -------
    frame
        A row for each movie of the list, rated or not: *movie*, which is its label in the tensor of
        `movielens`, *id*, *title*, *year* (of its release, 0 if the title does not end with it) and
        *genres*, as "Comedy|Drama"; "" if none is listed.

    Examples
    --------
    >>> import pathlib, vest_tucker as vt
    >>> folder = pathlib.Path("ml-films")
    >>> folder.mkdir()
    >>> _ = (folder / "ratings.dat").write_text("1::1193::5::978300760\n7::661::3::978302109\n")
    >>> _ = (folder / "movies.dat").write_text(
    ...     "661::James and the Giant Peach (1996)::Musical\n1193::Brazil (1985)::Sci-Fi|Comedy\n"
    ... )
    >>> vt.datasets.movielens_movies(folder)[["movie", "year", "genres"]]
                                  movie  year         genres
    0  James and the Giant Peach (1996)  1996        Musical
    1                     Brazil (1985)  1985  Sci-Fi|Comedy
    """
    release = find_release(located(path, NAMES, cache))
    movies = release.read_movies()
    rated = np.unique(read_columns(release.ratings, release.layout)[MOVIE].to_numpy()).tolist()
    years = [YEAR.search(movie.title) for movie in movies.values()]
    columns = {
        "movie": np.array(_labels(movies, rated), dtype=object),
        "id": np.array(list(movies), dtype=np.int64),
        "title": np.array([movie.title for movie in movies.values()], dtype=object),
        "year": np.array([int(year[1]) if year else 0 for year in years], dtype=np.int64),
        "genres": np.array([movie.genres for movie in movies.values()], dtype=object),
    }
    return make_frame(columns, backend)


def _labels(movies: Movies, rated: list[int]) -> list[str]:
    """Return the label of each movie; one without a rating has none, and is named like no other."""
    known = dict(zip(rated, labels_of(rated, movies).tolist(), strict=True))
    others = [id_ for id_ in movies if id_ not in known]
    titles = Counter([*known.values(), *(movies[id_].title for id_ in others)])
    return [
        known.get(id_) or (f"{title} [{id_}]" if titles[title] > 1 else title)
        for id_, (title, _) in movies.items()
    ]


def movielens_users(
    path: AnyPath, *, backend: Backend | None = None, cache: AnyPath | None = None
) -> Any:
    """Return the users of a MovieLens release as a frame; only 100K and 1M tell of them.

    Parameters
    ----------
    path, cache
        As for `movielens`.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The library of the frame; by default the first of these that is installed.

    Returns
    -------
    frame
        A row for each user: *user*, which is the label in the tensor of `movielens`, *gender*,
        *age* (in 1M the first year of a range: 1, 18, 25, 35, 45, 50 or 56), *occupation* in words,
        and *zip*.

    Examples
    --------
    >>> import pathlib, vest_tucker as vt
    >>> folder = pathlib.Path("ml-people")
    >>> folder.mkdir()
    >>> _ = (folder / "users.dat").write_text("1::F::1::10::48067")
    >>> vt.datasets.movielens_users(folder)
       user gender  age    occupation    zip
    0     1      F    1  K-12 student  48067
    """
    place = located(path, NAMES, cache)
    source = find(place, *USERS)
    if source is None or source.name not in USERS:
        raise MissingFileError(
            f"{place} has neither {' nor '.join(USERS)}: of the releases of MovieLens only 100K "
            f"and 1M tell of users; {contents(place) if source is None else 'pass the folder of one'}"
        )
    separator, fields = USERS[source.name]
    rows = []
    for number, line in lines_of(text_of(source)):
        row = line.split(separator)
        texts = {name: row[at].strip() for name, at in fields.items() if at < len(row)}
        if len(texts) < len(fields) or not (texts["user"].isdecimal() and texts["age"].isdecimal()):
            raise FileFormatError(
                f"is not a user: an id, gender, age, occupation and zip code: {shown(line)}",
                str(source), number,
            )  # fmt: skip
        rows.append(texts)
    wanted = list(USERS["users.dat"][1])
    columns: dict[str, Any] = {
        name: np.array([row[name] for row in rows], dtype=object) for name in wanted
    }
    columns |= {name: columns[name].astype(np.int64) for name in ("user", "age")}
    columns["occupation"] = np.array([_job(row["occupation"]) for row in rows], dtype=object)
    return make_frame(columns, backend)


def _job(text: str) -> str:
    """Return an occupation in words; files have words, or numbers."""
    is_number = text.isdecimal() and int(text) < len(OCCUPATIONS)
    return OCCUPATIONS[int(text)] if is_number else text
