"""Times as texts, and texts as times: one form for every message, and the one that is understood.

A text is understood as a time only if it is written as ISO 8601 says, because only then is it
beyond doubt which time is meant: "03.07.2023" is another day here than there.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from vest_tucker.base.types import Labels
from vest_tucker.data.sources.zones import local, midnight, zone_of

ISO = re.compile(
    r"(\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?)?)?)(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
DAY = 10  # characters of a date
COARSE = {4: "Y", 7: "M"}  # characters of a year and of a month -> their unit


def plain_text(label: object) -> str:
    """Return a label as text, a time without what is zero in it: midnight is the day alone.

    Other times of a time zone are followed by its distance from UTC.

    Examples
    --------
    >>> import numpy as np
    >>> plain_text(np.datetime64("2024-01-05T00:00:00.000000")), plain_text("soup")
    ('2024-01-05', 'soup')
    >>> plain_text(np.datetime64("2024-01-05T08:30:00.000")), plain_text(np.datetime64("2024-01"))
    ('2024-01-05 08:30', '2024-01')
    """
    if isinstance(label, dt.datetime) and label.tzinfo is not None:
        text = plain_text(label.replace(tzinfo=None))
        return text if text == str(label.date()) else f"{text}{str(label)[-6:]}"
    if not isinstance(label, dt.datetime | np.datetime64):
        return str(label)
    text = str(np.datetime64(label))
    day, _, clock = text.partition("T")
    if text == "NaT":
        return text
    if "." in clock:
        clock = clock.rstrip("0").rstrip(".")
    clock = clock.removesuffix(":00") if clock.count(":") > 1 else clock
    return day if clock in ("", "00", "00:00") else f"{day} {clock}"


def as_times(labels: Labels, own: Labels | None, array: Callable[[list[Any]], Labels]) -> Labels:
    """Return labels with times in place of texts that are some, if those of a mode are times.

    ``array`` makes an array of labels.

    Examples
    --------
    >>> from vest_tucker.data.label_arrays import label_array
    >>> weeks = np.array(["2024-01-01", "2024-01-08"], dtype="M8[D]")
    >>> as_times(label_array(["2024-01-08", "8.1.2024"]), weeks, label_array).tolist()
    [np.datetime64('2024-01-08'), '8.1.2024']
    """
    if own is None or own.dtype.kind != "M" or labels.dtype.kind != "O":
        return labels
    items = labels.tolist()
    texts = dict.fromkeys(item for item in items if isinstance(item, str))
    read = time_reader(own)
    times = {text: time for text in texts if (time := read(text)) is not None}
    if not times:
        return labels
    return array([times.get(item, item) if isinstance(item, str) else item for item in items])


def time_reader(own: Labels) -> Callable[[str], Any]:
    """Return what reads texts as times like those of a mode: it returns None for any other text.

    A month is a time only where all labels are first days of months, a year only where they are
    those of years. Where times have a time zone, a text needs an offset from UTC, unless it is a
    day, which begins as it does there; where they have none, it must not have one.

    Examples
    --------
    >>> read = time_reader(np.array(["2024-01-01", "2024-02-01"], dtype="M8[D]"))
    >>> read("2024-02"), read("2024-02-01 08:30"), read("2024"), read("2024-02-30")
    (np.datetime64('2024-02'), np.datetime64('2024-02-01T08:30'), None, None)
    """
    units = {unit for unit in COARSE.values() if (own.astype(f"M8[{unit}]") == own).all()}
    return partial(_read, units=units, zone=zone_of(own))


def _read(text: str, units: set[str], zone: str | None) -> Any:
    found = ISO.fullmatch(text.strip())
    if found is None:
        return None
    body, shift = found.groups()
    if len(body) < DAY and (shift or zone or COARSE[len(body)] not in units):
        return None
    if shift and (zone is None or len(body) == DAY):
        return None
    try:
        time = np.datetime64(body)
    except ValueError:  # as the thirtieth of February
        return None
    if zone is None or shift == "Z":
        return time
    if shift:
        ahead = np.timedelta64(60 * int(shift[1:3]) + int(shift[-2:]), "m")
        return time - ahead if shift[0] == "+" else time + ahead
    return midnight(dt.date.fromisoformat(body), zone) if len(body) == DAY else None


def looks_like(own: Labels) -> str:
    """Return how the times of a mode are written.

    Examples
    --------
    >>> looks_like(np.array(["2024-01-01T00:00"], dtype="M8[us]"))
    '2024-01-01'
    """
    return plain_text(own[0] if zone_of(own) is None else local(own[:1])[0])
