"""Tables as HTML: a caption, headers that a screen reader can follow, numbers to the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vest_tucker.report.html import Html, tag


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, own: int = -1
) -> Html:
    """Return a table; the first cell of each row is its header, columns of "#" hold numbers.

    The row whose number is ``own`` stands out.

    Examples
    --------
    >>> table("Dishes", ["dish", "#times"], [["tea", "3"]])
    '<div class="scroll"><table class="stack"><caption>Dishes</caption><thead><tr>\
<th scope="col">dish</th><th scope="col" class="number">times</th></tr></thead><tbody><tr>\
<th scope="row">tea</th><td class="number" data-label="times">3</td></tr></tbody></table></div>'
    """
    kinds = ["number" if name.startswith("#") else None for name in columns]
    head = [
        tag("th", name.removeprefix("#"), scope="col", class_=kind)
        for name, kind in zip(columns, kinds, strict=True)
    ]
    body = []
    for number, row in enumerate(rows):
        cells = [
            tag("td", _one(content), class_=kind, data_label=name.removeprefix("#") or None)
            if place
            else tag("th", _one(content), scope="row")
            for place, (content, kind, name) in enumerate(zip(row, kinds, columns, strict=True))
        ]
        body.append(tag("tr", *cells, class_="own" if number == own else None))
    whole = tag(
        "table", tag("caption", caption), tag("thead", tag("tr", *head)), tag("tbody", *body),
        class_="stack",
    )  # fmt: skip
    return tag("div", whole, class_="scroll")


def fold(title: str, *content: object) -> Html:
    """Return what the script folds up on the screen; on paper and without a script it is open."""
    return tag("details", tag("summary", title), *content, open=True, class_="fold")


def _one(content: object) -> object:
    """Return what is in a cell as one element, which stays together on a narrow screen."""
    return tag("div", content) if isinstance(content, Html) else content


def section(name: str, title: str, *content: object) -> Html:
    """Return a section of a page, with its heading.

    Examples
    --------
    >>> section("made", "How it was made", "by hand")
    '<section id="made" aria-labelledby="made-title"><h2 id="made-title">How it was made</h2>\
by hand</section>'
    """
    heading = tag("h2", title, id=f"{name}-title")
    return tag("section", heading, *content, id=name, aria_labelledby=f"{name}-title")
