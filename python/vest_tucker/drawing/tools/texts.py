"""Texts that users gave, as pictures can show them: one line, short, in any script, never markup.

Labels may be long, empty, full of dollar signs or written in a script that the font lacks. They are
cut in the middle, because the ends tell more; never read as formulas; and drawn with the fonts that
have their characters. What no installed font has becomes a small box, so that Matplotlib has
nothing to warn of.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from vest_tucker.base.text_table import clipped, visible
from vest_tucker.base.text_table import shorten as shortened
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.data.sources.zones import zone_of
from vest_tucker.drawing.tools.canvas import Axes, font_size, inks, matplotlib, points

LONGEST_TEXT = 1000  # columns of any text
LONGEST = 26  # columns of a label; characters of Chinese, Japanese and Korean take two
BOX = "▯"  # for what no font has

# Fonts with many scripts, by the systems that bring them; DejaVu Sans comes with Matplotlib.
FALLBACKS = (
    "DejaVu Sans", "Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP",
    "Noto Sans SC", "Source Han Sans", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei",
    "Microsoft YaHei", "PingFang SC", "PingFang HK", "Heiti TC", "Hiragino Sans", "Yu Gothic",
    "MS Gothic", "IPAexGothic", "Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans CJK KR",
    "NanumGothic", "Droid Sans Fallback", "Arial Unicode MS", "Unifont", "Noto Sans Arabic",
    "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil",
    "Noto Sans Telugu", "Noto Sans Thai", "Noto Sans Ethiopic", "Noto Sans Georgian",
    "Noto Sans Armenian", "Nirmala UI", "Leelawadee UI", "Ebrima", "Kohinoor Devanagari",
    "Thonburi", "Segoe UI", "Segoe UI Symbol", "Segoe UI Historic", "Noto Sans Symbols",
    "Noto Sans Symbols 2", "Noto Emoji", "Symbola", "FreeSans", "FreeSerif",
)  # fmt: skip


def one_line(label: object) -> str:
    r"""Return a label as one line of text without characters that cannot be seen.

    Examples
    --------
    >>> one_line("iced\n tea"), one_line(""), one_line(2.50), one_line("a\x00b")
    ('iced tea', "''", '2.5', 'a▯b')
    """
    if isinstance(label, float | np.floating):
        return f"{label:g}"
    text = " ".join(clipped(plain_text(label), LONGEST_TEXT).split())
    kinds = {c: unicodedata.category(c) for c in set(text)}
    shown = (BOX if kinds[c] in ("Cc", "Cs", "Co", "Cn") else c for c in text)
    return "".join(c for c in shown if kinds.get(c) != "Cf" or c in "\u200c\u200d") or "''"


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return a text of at most so many columns, by default those of a label."""
    return shortened(text, longest)


def short_labels(
    labels: Iterable[object], longest: int = LONGEST, rows: Sequence[int] | None = None
) -> list[str]:
    """Return labels as pictures show them: short, and still different.

    Labels that look the same when they are cut are followed by their row in the model, or by their
    place in the list.

    Examples
    --------
    >>> short_labels(["soup of the day", "soup of my day"], 9), short_labels([3, "tea"])
    (['soup…day (0)', 'soup…day (1)'], ['3', 'tea'])
    """
    if isinstance(labels, np.ndarray) and zone_of(labels) is not None:
        labels = listed(labels)  # as local times
    texts = [shorten(drawable(one_line(label)), longest) for label in labels]
    times = Counter(texts)
    numbers = range(len(texts)) if rows is None else rows
    return [
        f"{text} ({number})" if times[text] > 1 else text
        for text, number in zip(texts, numbers, strict=True)
    ]


def drawable(text: str) -> str:
    """Return a text with boxes for the characters that no font has."""
    return "".join(c if c.isascii() or _family_of(c) is not None else BOX for c in text)


def plain(*artists: Any) -> Any:
    """Make texts of Matplotlib show what they say: no formulas, fonts that have all characters.

    Returns the last of them.
    """
    for artist in artists:
        artist.set_parse_math(False)
        artist.set_usetex(False)
        text = visible(shortened(artist.get_text(), LONGEST_TEXT))
        artist.set_text(text)
        if text.isascii():
            continue
        artist.set_text(drawable(text))
        more = {_family_of(c) for c in artist.get_text() if not c.isascii()} - {None, ""}
        if more:
            artist.set_fontfamily([*artist.get_fontfamily(), *sorted(map(str, more))])
    return artists[-1]


def set_labels(axis: Any, places: Any, labels: Sequence[str], **looks: Any) -> None:
    """Put labels at places of an axis, as `plain` text and without marks."""
    axis.set_ticks(places, labels=labels, **looks)
    axis.set_tick_params(length=0)
    for text in axis.get_ticklabels():
        plain(text)


def entitle(ax: Axes, title: str = "", x: str | None = None, y: str | None = None) -> None:
    """Set title and names of the axes as `plain` text; what is not given stays."""
    if title:
        plain(ax.set_title(title, loc="left", fontsize="medium"))
    if x is not None:
        plain(_named(ax.xaxis, x))
    if y is not None:
        plain(_named(ax.yaxis, y))


def note(
    ax: Axes, text: str, at: tuple[Any, Any], *, by: tuple[float, float] = (0.0, 0.0), **looks: Any
) -> Any:
    """Write `plain` text at a place of the axes, moved ``by`` so many points; return it."""
    settings: dict[str, Any] = {"fontsize": "small", "color": inks(ax).ink, **looks}
    written = ax.annotate(
        text, at, xytext=by, textcoords="offset points", annotation_clip=False, **settings
    )
    return plain(written)


def legend_above(ax: Axes, handles: Sequence[Any] | None = None, title: str = "") -> Any:
    """Put title and legend above the axes, where they cover nothing that is drawn."""
    found = ax.get_legend_handles_labels()[0] if handles is None else list(handles)
    names = [handle.get_label() for handle in found]
    longest = max(len(name) for name in names) + 6  # a mark and a gap
    columns = max(1, int(points(ax)[0] / (longest * font_size(0.833) * 0.55)))
    return legend_of(
        ax, found, names, title=title or None, title_fontsize="medium", loc="lower left",
        bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, borderpad=0.2,
        ncols=min(len(found), columns),
    )  # fmt: skip


def legend_of(ax: Axes, handles: Sequence[Any], names: Sequence[str], **looks: Any) -> Any:
    """Make a legend of `plain` text; no name is left out, as one that begins with _ would be."""
    places = [str(number) for number in range(len(names))]
    legend = ax.legend(
        list(handles), places, fontsize="small", frameon=False, alignment="left", **looks
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
    plain(*legend.get_texts(), legend.get_title())
    return legend


def _named(axis: Any, name: str) -> Any:
    axis.set_label_text(name)
    return axis.label


@lru_cache(maxsize=4096)
def _known(character: str, settings: tuple[str, ...]) -> str | None:
    """Return "" if the fonts of the settings have a character, or a fallback that has it."""
    manager = matplotlib("font_manager")
    for family in settings:
        if _has(manager.findfont(manager.FontProperties(family=[family])), character):
            return ""
    installed = set(manager.fontManager.get_font_names())
    for family in FALLBACKS:
        if family in installed and _has(manager.findfont(family), character):
            return family
    return None


def _family_of(character: str) -> str | None:
    return _known(character, tuple(matplotlib().rcParams["font.family"]))


def _has(path: Any, character: str) -> bool:
    font = matplotlib("font_manager").get_font(path)
    return bool(font.get_char_index(ord(character)))
