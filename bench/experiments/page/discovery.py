"""Figure 6 on the page: the rows that stay dense."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page.pictures import PICTURES
from experiments.page.text import listed, number, share, table, with_spread
from experiments.summary.rows import Document, ok, pick, spread, values

FIGURE = "figure6"


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["discovery"].line
    yield ""
    yield (
        "The paper finds that the rows of films that stay fully dense belong to famous films. "
        "Fame is measured by the number of ratings: does it go with the elements that are left? "
        "The correlation is Spearman's over all films that have a rating; the last column says how "
        "many of the 20 densest rows, those of the largest weights first, are among the 20 films "
        "rated most often."
    )
    for tensor in values(pick(document, FIGURE), "set"):
        rows = []
        for name in values(pick(document, FIGURE, set=tensor), "system"):
            some = pick(document, FIGURE, set=tensor, system=name)
            zeros, hits = spread(some, "zeros"), spread(some, "among_popular")
            cells = [
                share(zeros.mean if zeros else None),
                with_spread(spread(some, "correlation"), 2),
                number(hits.mean if hits else None, 1),
            ]
            rows.append([document["systems"][name]["title"], *cells])
        yield from table([tensor, "zeros", "correlation", "of 20"], rows)
        films = ok(pick(document, FIGURE, set=tensor))[0]["found"]["of"]
        yield f"By chance it would be {20 * 20 / films:.1f} of 20, for {films} films have a rating."
        yield ""
        yield from _films(document, tensor)


def _films(document: Document, tensor: str) -> Iterator[str]:
    """List the densest rows of one fit, with titles where there are any."""
    rows = ok(pick(document, FIGURE, set=tensor, system="vest-l1-auto"))
    if not rows:
        return
    films = rows[0]["found"]["films"]
    titled = any(isinstance(film[0], str) and not film[0].isdigit() for film in films)
    names = [
        f"{film[0]} ({film[1]} elements, {film[2]} ratings)"
        if titled
        else f"{film[0]} ({film[2]} ratings)"
        for film in films
    ]
    kind = "films" if titled else "numbers of the films in the file"
    seed = rows[0]["seed"]
    yield f"The 20 densest rows of VeST, L1, auto, seed {seed} ({kind}): {listed(names)}."
    if not titled:
        yield (
            "The file has no titles: with a MovieLens folder in `VEST_MOVIELENS` the same list has "
            "them. Whether they are among the 100 greatest of a magazine is not checked here."
        )
    yield ""
