"""The pictures by name: which file each is, and what draws it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from experiments.drawing import (
    ablations,
    comparison,
    discovery,
    pruning,
    recovery,
    scaling,
    targets,
    times,
)
from experiments.drawing.style import drawn
from experiments.page.pictures import PICTURES
from experiments.summary.rows import Document, ok, pick

DRAWN: dict[str, Callable[[Document], Figure]] = {
    "sparsity": comparison.draw,
    "targets": targets.draw,
    "sizes": targets.draw_sizes,
    "times": times.draw,
    "scaling": scaling.draw,
    "pruning": pruning.draw,
    "discovery": discovery.draw,
    "recovery": recovery.draw,
    "ablations": ablations.draw,
}


def draw_all(document: Document, folder: Path) -> list[Path]:
    """Draw every picture whose figure was measured; return the files."""
    files = []
    for name, picture in PICTURES.items():
        if ok(pick(document, picture.figure)):
            where = folder / picture.file
            drawn(where, partial(DRAWN[name], document))
            files.append(where)
    return files
