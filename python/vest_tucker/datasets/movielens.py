"""MovieLens: the rating of a movie by a user, in a year and at an hour, from GroupLens's files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import FileFormatError, MissingFileError, ModeError
from vest_tucker.base.options import texts
from vest_tucker.base.types import AnyPath, Coords, Indices, Labels
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.numbering import numbered
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.datasets.archives import Source, contents, find, is_archive
from vest_tucker.datasets.fetch import located
from vest_tucker.datasets.ids import distinct_names
from vest_tucker.datasets.tables import read_columns
from vest_tucker.io.diagnose import shown
from vest_tucker.io.text_tables import Kind, Layout

NAMES = (
    "ml-100k", "ml-1m", "ml-10m", "ml-20m", "ml-25m", "ml-32m", "ml-latest", "ml-latest-small",
)  # fmt: skip
MODES = ("user", "movie", "year", "hour")
USER, MOVIE, RATING, TIME = "userId", "movieId", "rating", "timestamp"
# The genres of the flags in u.item, in their order, as u.genre lists them.
GENRES = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary",
    "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi",
    "Thriller", "War", "Western",
)  # fmt: skip
FIRST_FLAG = 5
NO_GENRES = "(no genres listed)"
COLUMNS: dict[str, Kind] = {USER: "int64", MOVIE: "int64", RATING: "float64", TIME: "int64"}


def movielens(
    path: AnyPath,
    *,
    modes: Iterable[str] = MODES,
    duplicates: Duplicates = "error",
    cache: AnyPath | None = None,
) -> SparseTensor:
    r"""Read the ratings of any MovieLens release, with titles as labels.

    Parameters
    ----------
    path : str or path
        The folder of a release (100K, 1M, 10M, 20M, 25M, 32M, latest or latest-small) or its .zip,
        which is read without unpacking it. Or the name of a release,
        "ml-100k", "ml-1m" and so on up to "ml-latest-small", if there is no such path: it is then
        fetched from GroupLens, checked against the published MD5 sum, and kept.
    modes : sequence of str
        Some of "user", "movie", "year" and "hour", in the order wanted.
    duplicates : {"error", "mean", "median", "sum", "count", "min", "max", "first", "last"}
        What to do with cells that appear more than once. Nobody rates a movie twice, so with "user"
        and "movie" among the modes there are none.
    cache : str or path, optional
        The folder that fetched archives are kept in, by default the user's cache folder.

    Returns
    -------
    SparseTensor
        Users, years and hours are labelled with whole numbers, movies with their titles. Year and
        hour are those of the rating, in UTC. Movies without a rating are left out. If two movies
        share a title, both get their id, as in "Hamlet (2000) [3598]"; a movie that is not in the
        list of movies is called "movie" and its id. `movielens_movies` and `movielens_users` are
        frames to join by these labels.

    Examples
    --------
    >>> import pathlib, vest_tucker as vt
    >>> folder = pathlib.Path("ml-tiny")
    >>> folder.mkdir()
    >>> _ = (folder / "ratings.dat").write_text("1::1193::5::978300760\n7::661::3::978302109\n")
    >>> _ = (folder / "movies.dat").write_text(
    ...     "661::James and the Giant Peach (1996)::Musical\n1193::Brazil (1985)::Sci-Fi\n"
    ... )
    >>> X = vt.datasets.movielens(folder)
    >>> X
    SparseTensor(shape=(2, 2, 1, 1), nnz=2, density=0.5, modes=('user', 'movie', 'year', 'hour'))
    >>> X.labels[1].tolist(), X.labels[2].tolist(), X.labels[3].tolist()
    (['James and the Giant Peach (1996)', 'Brazil (1985)'], [2000], [22])
    """
    chosen = _checked(modes)
    release = find_release(located(path, NAMES, cache))
    columns = {
        name: column.to_numpy()
        for name, column in read_columns(release.ratings, release.layout).items()
    }
    coords: Coords = np.empty((len(columns[RATING]), len(chosen)), dtype=np.int32)
    labels = []
    for place, mode in enumerate(chosen):
        of_mode, coords[:, place] = _coded(mode, columns)
        labels.append(_titled(of_mode, release) if mode == "movie" else of_mode)
    return SparseTensor(coords, columns[RATING], modes=chosen, labels=labels, duplicates=duplicates)


def _checked(modes: Iterable[str]) -> tuple[str, ...]:
    chosen = (modes,) if isinstance(modes, str) else texts("modes", modes)
    for mode in chosen:
        if mode not in MODES:
            raise ModeError(f"there is no mode {mode!r} in MovieLens; there are {', '.join(MODES)}")
    if len(chosen) < 2 or len(set(chosen)) < len(chosen):
        raise ModeError(f"modes are {chosen}; choose two or more different ones")
    return chosen


class Movie(NamedTuple):
    """What a release tells of a movie; genres are separated by ``|``."""

    title: str
    genres: str


Movies: TypeAlias = dict[int, Movie]


class Release(NamedTuple):
    """The two files of a release that are read, and the form of each."""

    ratings: Source
    layout: Layout
    movies: Source
    reader: Callable[[str, str], Movies]

    def read_movies(self) -> Movies:
        """Return all movies by their ids."""
        return self.reader(text_of(self.movies), str(self.movies))


def find_release(path: Path) -> Release:
    """Return the files of a folder or archive; their names tell which of three forms they have."""
    place = path.parent if path.name in LAYOUTS else path
    if place.is_file() and not is_archive(place):
        raise MissingFileError(
            f"{place} is neither the folder of a MovieLens release nor its .zip; pass one of them"
        )
    for ratings, (movies, layout, reader) in LAYOUTS.items():
        found, beside = find(place, ratings), find(place, movies)
        if found and beside:
            return Release(found, layout, beside, reader)
        if found:
            raise MissingFileError(
                f"{place} has {ratings} but no {movies}, which has the titles; {contents(place)}"
            )
    wanted = " nor ".join(LAYOUTS)
    below = [ratings.parent for name in LAYOUTS for ratings in sorted(place.glob(f"*/{name}"))]
    hint = f"did you mean {below[0]}?" if below else contents(place)
    raise MissingFileError(f"{place} has neither {wanted}: it is not a MovieLens release; {hint}")


def _coded(mode: str, columns: dict[str, NDArray[Any]]) -> tuple[Labels, Indices]:
    if mode == "year":
        years, found = numbered(columns[TIME].astype("M8[s]").astype("M8[Y]").astype(np.int64))
        return years + 1970, found
    if mode == "hour":
        return numbered(columns[TIME] // 3600 % 24)
    return numbered(columns[USER if mode == "user" else MOVIE])


def _titled(ids: Labels, release: Release) -> Labels:
    """Return the titles of movies, all different."""
    return labels_of(ids.tolist(), release.read_movies())


def labels_of(ids: Sequence[int], movies: Movies) -> Labels:
    """Return the label of each movie: its title, with its id if another one has the same title."""
    titles = {id_: movie.title for id_, movie in movies.items()}
    return distinct_names([titles.get(id_, f"movie {id_}") for id_ in ids], ids)


def text_of(source: Source) -> str:
    """Return all text of a file, whatever its encoding."""
    with source.open() as stream:
        content = stream.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # the older releases


def _of_dat(text: str, where: str) -> Movies:
    """Read lines ``1::Toy Story (1995)::Animation|Comedy``; a title may contain ``::`` too."""
    return _by_id(((n, line, _dat_fields(line)) for n, line in lines_of(text)), where)


def _dat_fields(line: str) -> list[str]:
    id_, *title, genres = line.split("::")
    return [id_, "::".join(title), genres] if title else []


def _of_item(text: str, where: str) -> Movies:
    """Read lines ``1|Toy Story (1995)|01-Jan-1995||http://...|0|0|0|1``."""
    return _by_id(((n, line, _item_fields(line)) for n, line in lines_of(text)), where)


def _item_fields(line: str) -> list[str]:
    fields = line.split("|")
    flags = zip(GENRES, fields[FIRST_FLAG:], strict=False)
    return [*fields[:2], "|".join(genre for genre, flag in flags if flag == "1"), *fields[2:]]


def _of_csv(text: str, where: str) -> Movies:
    """Read lines ``11,"American President, The (1995)",Comedy|Drama`` after a line of names."""
    reader = csv.reader(io.StringIO(text))
    rows = ((reader.line_num, ",".join(row), row) for row in reader if row)
    next(rows, None)
    return _by_id(rows, where)


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text that are not empty, with their numbers."""
    # Not splitlines(), which also splits at characters of latin-1 that are in titles.
    numbered_lines = enumerate(text.replace("\r\n", "\n").split("\n"), start=1)
    return ((number, line) for number, line in numbered_lines if line)


def _by_id(rows: Iterable[tuple[int, str, list[str]]], where: str) -> Movies:
    movies: Movies = {}
    for number, line, fields in rows:
        if len(fields) < 3 or not fields[0].isdecimal() or not fields[1]:
            raise FileFormatError(
                f"is not a movie: an id, a title and more: {shown(line)}", where, number
            )
        genres = "" if fields[2] == NO_GENRES else fields[2]
        movies[int(fields[0])] = Movie(fields[1], genres)
    return movies


# The file of the ratings -> the file of the titles, the layout of the first, the second's reader.
LAYOUTS: dict[str, tuple[str, Layout, Callable[[str, str], Movies]]] = {
    "ratings.csv": ("movies.csv", Layout(COLUMNS, ",", header=True), _of_csv),
    "ratings.dat": ("movies.dat", Layout(COLUMNS, "::"), _of_dat),
    "u.data": ("u.item", Layout(COLUMNS, "\t"), _of_item),
}
