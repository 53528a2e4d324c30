"""Labels that a model has not seen: how many there are, and which known ones may be meant."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from vest_tucker.base.errors import UnseenLabelsWarning
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Flags, Labels
from vest_tucker.data.label_arrays import label_array, listed, nulls
from vest_tucker.data.labels import SHOWN, ModeLabels, show
from vest_tucker.data.sources.dates import looks_like

LOOKED_AT = 10_000  # unseen labels of a mode that known ones are looked for; more would take long


class Advice(NamedTuple):
    """What a message about unseen labels ends with, in a warning and in an error: what to do."""

    warning: str
    error: str


# Of calls that have the option ``unseen``, and of those that have not.
OPTION = Advice("unseen= says how these are predicted", 'unseen="mean" predicts without it')
NO_OPTION = Advice("they count as average ones", "leave such cells out")


@dataclass
class _OfMode:
    """The unseen labels of a mode, in the order they were met, and in how many cells they are."""

    labels: dict[Any, None] = field(default_factory=dict)
    nulls: bool = False
    cells: int = 0
    kind: str = ""  # why none of them can be known, if they are of another kind


class StrangeLabels:
    """Counts cells with labels that a model has not seen, to tell of all of them at once.

    Examples
    --------
    >>> import numpy as np
    >>> modes = ModeLabels(2, ["who", "dish"], [["ann"], ["soup", "pizza"]])
    >>> strange = StrangeLabels(modes)
    >>> strange.add(1, label_array(["Pizza", "tofu"]), np.array([True, False, True, True]))
    >>> print(strange.text())
    3 of 4 cells have labels that the model has not seen: 2 of mode 'dish', in 3 cells ('Pizza': did
    you mean 'pizza'?, 'tofu')
    """

    def __init__(self, modes: ModeLabels) -> None:
        self.modes = modes
        self.cells: Flags | None = None
        self.before = (0, 0)  # cells with strange labels, and all cells, of blocks that are done
        self.of: dict[int, _OfMode] = {}

    def add(self, mode: int, unseen: Labels, cells: Flags) -> None:
        """Take in the unseen labels of one mode, and in which of all cells they are."""
        if not cells.any():
            return
        self.cells = cells if self.cells is None else self.cells | cells
        missing = nulls(unseen)
        own = self.of.setdefault(mode, _OfMode())
        own.labels |= dict.fromkeys(_hashable(listed(label_array(unseen[~missing]))))
        own.nulls |= bool(missing.any())
        own.cells += int(cells.sum())

    def add_kind(self, mode: int, why: str) -> None:
        """Take in that all labels of a mode are of another kind, and why."""
        self.of.setdefault(mode, _OfMode()).kind = why

    def end_block(self, cells: int) -> None:
        """Take in that so many cells were looked through: what is added now is of other cells.

        The labels that are kept stay so few that files of any length can be gone through.
        """
        strange = 0 if self.cells is None else int(self.cells.sum())
        self.before = (self.before[0] + strange, self.before[1] + cells)
        self.cells = None
        for own in self.of.values():
            own.labels = dict.fromkeys(itertools.islice(own.labels, LOOKED_AT))

    def text(self, *, mistakes_only: bool = False) -> str:
        """Return what there is to say about all modes; or only if some labels look like mistakes.

        If there is nothing to say, it is "".
        """
        number, total = self.before
        if self.cells is not None:
            number, total = number + int(self.cells.sum()), total + len(self.cells)
        if not number:
            return ""
        slips = {mode: self._slips(mode, [*own.labels]) for mode, own in self.of.items()}
        # A block may be all of another kind, where others are not.
        kinds = [own.kind for own in self.of.values() if own.kind and own.cells == total]
        odd = any(self._looks(mode, own) for mode, own in self.of.items())
        if mistakes_only and not kinds and not odd and not any(slips.values()):
            return ""
        some = f"{number:,} of {_cells(total)} {'has' if number == 1 else 'have'} labels"
        modes = [self._of_mode(mode, own, slips[mode]) for mode, own in self.of.items()]
        return "; ".join([f"{some} that the model has not seen: {'; '.join(modes)}", *kinds])

    def _slips(self, mode: int, labels: list[Any]) -> dict[Any, Any]:
        """Return the known labels that may be meant by some unseen ones."""
        slips: dict[Any, Any] = self.modes.alike(mode, labels[:LOOKED_AT])
        return slips | {
            label: meant
            for label in labels[:SHOWN]
            if label not in slips and (meant := self.modes.nearest(mode, label)) is not None
        }

    def _of_mode(self, mode: int, own: _OfMode, slips: dict[Any, Any]) -> str:
        # What can be put right comes first.
        labels = (
            sorted(own.labels, key=lambda label: label not in slips) if slips else [*own.labels]
        )
        texts = [
            f"{show(label)}: did you mean {show(slips[label])}?" if label in slips else show(label)
            for label in labels[:SHOWN]
        ]
        if own.nulls:
            texts.append("no label at all")
        more = f" and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
        more += self._looks(mode, own)
        least = "at least " if self.before[1] and len(labels) >= LOOKED_AT else ""
        return (
            f"{least}{len(labels) + own.nulls:,} of mode {self.modes.names[mode]!r}, in "
            f"{_cells(own.cells)} ({', '.join(texts)}{more})"
        )

    def _looks(self, mode: int, own: _OfMode) -> str:
        """Return how the times of a mode look, if texts are unseen and it is not told anyway."""
        texts = any(isinstance(label, str) for label in own.labels)
        return how_they_look(self.modes.labels[mode]) if texts and not own.kind else ""

    def warn(self, *, mistakes_only: bool, advice: str) -> None:
        """Warn of them, if there are any; or only if some look like mistakes."""
        text = self.text(mistakes_only=mistakes_only)
        if text:
            warn(f"{text}; {advice}", UnseenLabelsWarning)


def _hashable(labels: list[Any]) -> list[Any]:
    try:
        set(labels)
    except TypeError:  # lists, for example, which cannot be labels
        return list(map(repr, labels))
    return labels


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number:,} cells"


def how_they_look(own: Labels | None) -> str:
    """Say how the times of a mode are written, as "; labels look like 2024-01-05"; or nothing.

    Examples
    --------
    >>> import numpy as np
    >>> how_they_look(label_array([np.datetime64("2024-01-05")]))
    '; labels look like 2024-01-05'
    """
    is_time = own is not None and own.dtype.kind == "M" and len(own) > 0
    return f"; labels look like {looks_like(own)}" if own is not None and is_time else ""


def why_not_kin(given: Labels, own: Labels, name: str) -> str:
    """Say why labels cannot be found because they are of another kind, as text among numbers."""
    given = label_array(given[~nulls(given)])  # missing labels have no kind
    theirs, ours = _kind(given), _kind(own)
    if not given.size or not theirs or not ours or theirs == ours:
        return ""
    example = looks_like(own) if ours == "times" else show(own[0])
    return (
        f"mode {name!r} has {ours} for labels, such as {example}, but the cells have "
        f"{theirs}, such as {show(given[0])}; convert them first"
    )


def _kind(labels: Labels) -> str:
    if labels.dtype.kind == "O":
        return "text" if all(isinstance(label, str) for label in labels.tolist()) else ""
    kinds = {"b": "truth values", "M": "times", "m": "durations"}
    return kinds.get(labels.dtype.kind, "numbers")
