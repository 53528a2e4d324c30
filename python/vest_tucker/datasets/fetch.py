"""Fetching datasets by name, once, from where their owners publish them."""

from __future__ import annotations

import logging
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from vest_tucker.base.errors import DownloadError, MissingFileError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.options import check_path
from vest_tucker.base.types import AnyPath

log = logging.getLogger(__name__)

GROUPLENS = "https://files.grouplens.org/datasets/movielens"


class Remote(NamedTuple):
    """The address of a dataset, and the checksum that its owner publishes, or None."""

    url: str
    checksum: str | None


# The MD5 sums are those of the files <url>.md5 beside the archives. The two "latest" archives
# change from time to time, and SNAP publishes no sums: the SHA-256 of their files is logged.
REMOTES = {
    "ml-100k": Remote(f"{GROUPLENS}/ml-100k.zip", "md5:0e33842e24a9c977be4e0107933c0723"),
    "ml-1m": Remote(f"{GROUPLENS}/ml-1m.zip", "md5:c4d9eecfca2ab87c1945afe126590906"),
    "ml-10m": Remote(f"{GROUPLENS}/ml-10m.zip", "md5:ce571fd55effeba0271552578f2648bd"),
    "ml-20m": Remote(f"{GROUPLENS}/ml-20m.zip", "md5:cd245b17a1ae2cc31bb14903e1204af3"),
    "ml-25m": Remote(f"{GROUPLENS}/ml-25m.zip", "md5:6b51fb2759a8657d3bfcbfc42b592ada"),
    "ml-32m": Remote(f"{GROUPLENS}/ml-32m.zip", "md5:d472be332d4daa821edc399621853b57"),
    "ml-latest": Remote(f"{GROUPLENS}/ml-latest.zip", None),
    "ml-latest-small": Remote(f"{GROUPLENS}/ml-latest-small.zip", None),
    "finefoods": Remote("https://snap.stanford.edu/data/finefoods.txt.gz", None),
}


def located(path_or_name: AnyPath, names: tuple[str, ...], cache: AnyPath | None) -> Path:
    """Return the path if it exists, or else fetch the dataset of that name and return its path."""
    path = check_path("path", path_or_name)
    if path.exists():
        return path
    if str(path_or_name) in names:
        return fetched(str(path_or_name), cache)
    raise MissingFileError(
        f"there is no file or folder {str(path_or_name)!r}; give the path of one, or one of the "
        f"names that can be fetched: {', '.join(names)}"
    )


def fetched(name: str, cache: AnyPath | None = None) -> Path:
    """Return the path of a dataset's archive, fetching it unless it is in the cache folder."""
    with needed_for(f"fetching {name}", "datasets"):
        pooch = import_module("pooch")  # by name, because it has no type hints
    url, checksum = REMOTES[name]
    folder = (
        check_path("cache", cache) if cache is not None else Path(pooch.os_cache("vest-tucker"))
    )
    file = url.rpartition("/")[2]
    is_new = not (folder / file).exists()
    try:
        path = Path(pooch.retrieve(url, checksum, fname=file, path=folder))
    except Exception as error:  # network, libraries and disk raise errors of many types
        raise DownloadError(
            f"could not fetch {name} from {url} ({error}); download it by hand and pass the path "
            f"of the file, or put it into {folder}"
        ) from error
    if is_new and checksum is None:
        sha256 = pooch.file_hash(str(path), alg="sha256")
        log.warning("%s has no published checksum; the SHA-256 of the file is %s", url, sha256)
    return path
