"""Datasets by name: where from, what is checked, and what is said where there is no network."""

from __future__ import annotations

import hashlib
import logging
import sys
from pathlib import Path

import pytest

import vest_tucker as vt
from vest_tucker.datasets import fetch
from vest_tucker.datasets.fetch import REMOTES, Remote, fetched, located
from vest_tucker.datasets.movielens import NAMES


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a small file where the archive of "tiny" is to be fetched from."""
    pooch = pytest.importorskip("pooch")
    path = tmp_path / "server" / "tiny.zip"
    path.parent.mkdir()
    path.write_bytes(b"archive")

    def copy(url: str, output: object, _pooch: object, **_options: object) -> None:
        assert url == "https://example.org/tiny.zip"
        Path(str(output)).write_bytes(path.read_bytes())

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda url, progressbar=False: copy)
    checksum = f"md5:{hashlib.md5(b'archive').hexdigest()}"
    monkeypatch.setitem(REMOTES, "tiny", Remote("https://example.org/tiny.zip", checksum))
    return path


def test_a_path_that_exists_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ml-1m").mkdir()
    assert located("ml-1m", ("ml-1m",), None) == Path("ml-1m")


def test_a_name_is_fetched_once_and_kept(published: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    path = located("tiny", ("tiny",), cache)
    assert path == cache / "tiny.zip"
    assert path.read_bytes() == b"archive"
    published.unlink()
    assert fetched("tiny", cache) == path


def test_a_wrong_checksum_is_an_error(published: Path, tmp_path: Path) -> None:
    published.write_bytes(b"something else")
    with pytest.raises(vt.errors.DownloadError, match="hash"):
        fetched("tiny", tmp_path / "cache")
    assert not (tmp_path / "cache" / "tiny.zip").exists()


def test_without_a_published_checksum_the_one_of_the_file_is_logged(
    published: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setitem(REMOTES, "tiny", REMOTES["tiny"]._replace(checksum=None))
    with caplog.at_level(logging.WARNING, fetch.__name__):
        fetched("tiny", tmp_path / "cache")
        assert hashlib.sha256(b"archive").hexdigest() in caplog.text
        caplog.clear()
        fetched("tiny", tmp_path / "cache")
        assert not caplog.text
    assert published.exists()


def test_without_a_network_the_message_says_how_to_fetch_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pooch = pytest.importorskip("pooch")

    def no_network(url: str, *_args: object, **_options: object) -> None:
        raise ConnectionError("no route to host")

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda url, progressbar=False: no_network)
    with pytest.raises(vt.errors.DownloadError) as raised:
        vt.datasets.movielens("ml-1m", cache=tmp_path)
    message = str(raised.value)
    assert "https://files.grouplens.org/datasets/movielens/ml-1m.zip" in message
    assert "no route to host" in message
    assert f"pass the path of the file, or put it into {tmp_path}" in message


def test_a_file_put_into_the_cache_by_hand_is_used(published: Path, tmp_path: Path) -> None:
    published.unlink()
    (tmp_path / "tiny.zip").write_bytes(b"archive")
    assert fetched("tiny", tmp_path) == tmp_path / "tiny.zip"


def test_an_unknown_path_or_name_is_refused() -> None:
    with pytest.raises(
        vt.errors.MissingFileError, match=r"'ml-2m'.*fetched: ml-100k, ml-1m, .*small"
    ):
        vt.datasets.movielens("ml-2m")


def test_every_name_has_a_place_and_a_checksum_where_one_is_published() -> None:
    assert {*NAMES, "finefoods"} == set(REMOTES)
    for name, (url, checksum) in REMOTES.items():
        assert url.startswith("https://")
        assert (checksum is None) == (name in ("ml-latest", "ml-latest-small", "finefoods"))
        assert checksum is None or len(checksum) == len("md5:") + 32


def test_without_pooch_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        vt.errors.MissingPackageError, match=r"fetching ml-1m needs.*pooch.*\[datasets\]"
    ):
        vt.datasets.movielens("ml-1m")
