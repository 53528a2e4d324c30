"""Texts that users gave: cut in the middle, never markup, in whatever script."""

from __future__ import annotations

import numpy as np
import pytest

from drawn import HOSTILE, finished, pyplot
from vest_tucker.data.sources.zones import zoned
from vest_tucker.drawing.tools import texts
from vest_tucker.drawing.tools.texts import BOX, one_line, plain, short_labels, shorten


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("tea", "tea"), (7, "7"), (np.float64(0.1), "0.1"), (np.datetime64("2021-05"), "2021-05"),
        (" a \t\n b ", "a b"), ("", "''"), ("\u202e", "''"), ("x\x07", "x" + BOX),
        (None, "None"), (True, "True"),
    ],
)  # fmt: skip
def test_one_line(label: object, shown: str) -> None:
    assert one_line(label) == shown


@pytest.mark.parametrize("longest", [5, 8, 26])
@pytest.mark.parametrize(
    "text", ["strawberry cheesecake with cream", "東京都千代田区丸の内", "a" * 99]
)
def test_shorten_keeps_both_ends(text: str, longest: int) -> None:
    cut = shorten(text, longest)
    if cut == text:
        assert longest == 26
        return
    begin, end = cut.split("…")
    assert begin
    assert text.startswith(begin)
    assert text.endswith(end)
    wide = 2 if text.startswith("東") else 1
    assert wide * (len(begin) + len(end)) + 1 <= longest


def test_accents_stay_with_their_letters() -> None:
    text = "e\u0301" * 12
    begin, end = shorten(text, 8).split("…")
    assert not end.startswith("\u0301")
    assert begin.count("e") == begin.count("\u0301") == 4


def test_short_labels_stay_different() -> None:
    shown = short_labels(["soup of the day", "soup of my day", "tea"], 9, rows=[40, 7, 3])
    assert shown == ["soup…day (40)", "soup…day (7)", "tea"]
    assert len(set(short_labels(HOSTILE))) == len(HOSTILE)


def test_what_no_font_has_becomes_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "FALLBACKS", ())
    texts._known.cache_clear()
    try:
        assert texts.drawable("a東b") == f"a{BOX}b"
        assert texts.drawable("Zoë") == "Zoë"
    finally:
        texts._known.cache_clear()


def test_fallbacks_are_used_where_the_font_lacks_a_character() -> None:
    """Liberation and others lack what DejaVu Sans has, which comes with Matplotlib."""
    with pyplot.rc_context({"font.family": ["STIXGeneral"]}):
        text = plain(pyplot.figure().text(0.5, 0.5, "Ա՞"))
        assert text.get_text() == "Ա՞"
        assert text.get_fontfamily() == ["STIXGeneral", "DejaVu Sans"]
        finished(pyplot.gcf().subplots())


@pytest.mark.parametrize("label", HOSTILE)
def test_labels_are_drawn_as_they_are(label: str) -> None:
    ax = pyplot.figure().subplots()
    texts.set_labels(ax.yaxis, [0.0], short_labels([label]))
    texts.entitle(ax, title=one_line(label), x=one_line(label), y=one_line(label))
    texts.note(ax, one_line(label), (0.5, 0.5))
    finished(ax)
    assert ax.yaxis.get_ticklabels()[0].get_text() == short_labels([label])[0]


def test_tex_is_never_run() -> None:
    with pyplot.rc_context({"text.usetex": True}):
        text = plain(pyplot.figure().text(0.5, 0.5, "100 % & more_"))
    assert not text.get_usetex()


def test_legends_are_above_the_axes() -> None:
    ax = finished(pyplot.figure(layout="constrained").subplots())
    for name in ("$x$", "_hidden", "a longer name of a line"):
        ax.plot([0, 1], label=None).pop().set_label(name)
    legend = texts.legend_above(ax, ax.get_lines(), title="$title$")
    finished(ax)
    assert [each.get_text() for each in legend.get_texts()[:2]] == ["$x$", "_hidden"]
    assert legend.get_title().get_text() == "$title$"
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1 - 1.0


def test_times_in_a_zone_are_local_times() -> None:
    months = np.array(["2023-12-31T23:00", "2024-03-31T22:00"], dtype="M8[s]")
    assert short_labels(zoned(months, "Europe/Berlin")) == ["2024-01-01", "2024-04-01"]
    assert short_labels(months)[0].startswith("2023-12-31")
