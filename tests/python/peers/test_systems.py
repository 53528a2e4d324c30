"""The list of systems is complete, and the page that is made of it is as it would be made now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import peers
from peers import SYSTEMS
from peers.readme import BEGIN, END, lines

FOLDER = Path(peers.__file__).parent
COMMAND = "to write it anew: PYTHONPATH=bench python -m peers.readme"
NOT_SYSTEMS = {"written.deflated", "published.surprise_data"}


def test_every_file_of_a_system_is_listed() -> None:
    files = {
        f"{file.parent.name}.{file.stem}"
        for kind in ("ours", "published", "written")
        for file in (FOLDER / kind).glob("*.py")
        if file.stem != "__init__"
    }
    listed = {peer.module.removeprefix("peers.") for peer in SYSTEMS.values()}
    assert files - NOT_SYSTEMS == listed


@pytest.mark.parametrize("name", SYSTEMS)
def test_everything_is_said(name: str) -> None:
    peer = SYSTEMS[name]
    assert re.fullmatch(r"[a-z0-9-]+", name)
    for said in (peer.title, peer.reference, peer.fair, peer.departs):
        assert said
        assert "\n" not in said
        assert "|" not in said
    test = Path(__file__).parent.joinpath(*peer.module.split(".")[1:-1])
    assert (test / f"test_{peer.module.rpartition('.')[2]}.py").is_file()


def test_titles_differ() -> None:
    titles = [peer.title for peer in SYSTEMS.values()]
    assert len(set(titles)) == len(titles)


def test_the_page_is_up_to_date() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    between = page.partition(BEGIN)[2].partition(END)[0]
    assert between.strip().splitlines() == list(lines()), COMMAND
