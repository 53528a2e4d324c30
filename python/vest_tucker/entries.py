"""A tensor in parts, as conversions hand it over: nothing in it is checked yet."""

from __future__ import annotations

from typing import NamedTuple

from vest_tucker.checks import Coords, Floats
from vest_tucker.labels import ModeLabels


class Entries(NamedTuple):
    """Coordinates, values, dimensions, and what modes and rows are called."""

    coords: Coords
    values: Floats
    shape: tuple[int, ...]
    labels: ModeLabels
