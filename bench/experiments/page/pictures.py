"""The pictures of the page: files, figures, and what stands below each."""

from __future__ import annotations

from dataclasses import dataclass

FOLDER = "images"


@dataclass(frozen=True)
class Picture:
    """A picture and the words for those who do not see it."""

    figure: str
    file: str
    shows: str

    @property
    def line(self) -> str:
        """The line of Markdown that shows it."""
        return f"![{self.shows}]({FOLDER}/{self.file})"


def _picture(name: str, figure: str, shows: str) -> Picture:
    return Picture(figure, f"evaluation-{name}.svg", shows)


PICTURES = {
    "sparsity": _picture(
        "sparsity", "figure1", "Error against share of zeros for every system on small tensors"
    ),
    "targets": _picture(
        "targets", "figure2", "Error against share of zeros on large tensors, over targets"
    ),
    "sizes": _picture("sizes", "figure2", "Test error against the numbers that each system keeps"),
    "times": _picture("times", "figure3", "Test error over the seconds of a fit"),
    "scaling": _picture(
        "scaling", "figure4", "Time over order, dimensionality, entries and threads"
    ),
    "pruning": _picture(
        "pruning", "figure5", "Error over zeros chosen by responsibility, by value and at random"
    ),
    "discovery": _picture(
        "discovery", "figure6", "What is left of a film's row over how often it is rated"
    ),
    "recovery": _picture(
        "recovery", "figure7", "Recovery of planted patterns over noise, entries, skew and order"
    ),
    "ablations": _picture("ablations", "figure8", "What each change does to the test error"),
}
