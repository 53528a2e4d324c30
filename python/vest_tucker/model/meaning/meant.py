"""Labels that a model has not seen: how many there are, and which known ones may be meant."""

from __future__ import annotations

import warnings
from typing import Any

from vest_tucker.base.errors import UnseenLabelsWarning
from vest_tucker.base.slips import nearest
from vest_tucker.base.types import Flags, Labels
from vest_tucker.data.label_arrays import label_array, listed, nulls
from vest_tucker.data.labels import SHOWN, ModeLabels, show


class StrangeLabels:
    """Counts the cells of one call with labels that a model has not seen; warns of all at once.

    Examples
    --------
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
        self.said: list[str] = []
        self.kinds: list[str] = []
        self.has_slips = False

    def add(self, mode: int, unseen: Labels, cells: Flags) -> None:
        """Take in the unseen labels of one mode, and in which of all cells they are."""
        if not cells.any():
            return
        self.cells = cells if self.cells is None else self.cells | cells
        missing = nulls(unseen)
        distinct = _distinct(listed(label_array(unseen[~missing])))
        slips: dict[str, str] = self.modes.alike(mode, distinct)
        slips |= {
            label: meant
            for label in distinct[:SHOWN]
            if label not in slips and (meant := self.modes.nearest(mode, label)) is not None
        }
        self.has_slips |= bool(slips)
        # What can be put right comes first.
        shown = sorted(distinct, key=lambda label: label not in slips) if slips else distinct
        texts = [
            f"{show(label)}: did you mean {show(slips[label])}?" if label in slips else show(label)
            for label in shown[:SHOWN]
        ]
        if missing.any():
            texts.append("no label at all")
        more = f" and {len(shown) - SHOWN:,} more" if len(shown) > SHOWN else ""
        number = len(distinct) + bool(missing.any())
        self.said.append(
            f"{number:,} of mode {self.modes.names[mode]!r}, in {_cells(int(cells.sum()))} "
            f"({', '.join(texts)}{more})"
        )

    def add_kind(self, why: str) -> None:
        """Take in that all labels of a mode are of another kind."""
        if why:
            self.kinds.append(why)

    def text(self) -> str:
        """Return what there is to say about all modes."""
        if self.cells is None:
            return ""
        number = int(self.cells.sum())
        some = f"{number:,} of {_cells(len(self.cells))} {'has' if number == 1 else 'have'} labels"
        told = f"{some} that the model has not seen: {'; '.join(self.said)}"
        return "; ".join([told, *self.kinds])

    def warn(self, *, mistakes_only: bool, stacklevel: int) -> None:
        """Warn of them, if there are any; or only if some look like mistakes."""
        if self.cells is None or (mistakes_only and not self.has_slips and not self.kinds):
            return
        how = "unseen= says how these are predicted"
        warnings.warn(f"{self.text()}; {how}", UnseenLabelsWarning, stacklevel=stacklevel + 1)


def _distinct(labels: list[Any]) -> list[Any]:
    try:
        return list(dict.fromkeys(labels))
    except TypeError:  # lists, for example, which cannot be labels
        return list(dict.fromkeys(map(repr, labels)))


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number:,} cells"


def perhaps(label: object, known: Labels | None) -> str:
    """Ask whether another label was meant, as " (did you mean 'tea'?)"; "" if none is near.

    Examples
    --------
    >>> perhaps("Tea", np.array(["tea", "rye"], dtype=object))
    " (did you mean 'tea'?)"
    """
    near = nearest(label, known)
    return "" if near is None else f" (did you mean {show(near)}?)"


def why_not_kin(given: Labels, own: Labels, name: str) -> str:
    """Say why labels cannot be found because they are of another kind, as text among numbers."""
    given = label_array(given[~nulls(given)])  # missing labels have no kind
    theirs, ours = _kind(given), _kind(own)
    if not given.size or not theirs or not ours or theirs == ours:
        return ""
    return (
        f"mode {name!r} has {ours} for labels, such as {show(own[0])}, but the cells have "
        f"{theirs}, such as {show(given[0])}; convert them first"
    )


def _kind(labels: Labels) -> str:
    if labels.dtype.kind == "O":
        return "text" if all(isinstance(label, str) for label in labels.tolist()) else ""
    kinds = {"b": "truth values", "M": "times", "m": "durations"}
    return kinds.get(labels.dtype.kind, "numbers")
