"""Time zones of labels: times are those of UTC, and an array of them knows its zone beside.

Two different times may have the same local time, so that labels are times of UTC. The zone is what
NumPy calls the metadata of a dtype: copies, parts and pickles of an array keep it, and nothing that
compares or sorts times needs to know of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

ZONE = "time zone"  # in the metadata of a dtype
OFFSET = re.compile(r"(?:UTC)?([+-])(\d{2}):?(\d{2})")


def zoned(times: NDArray[Any], zone: str | None) -> NDArray[Any]:
    """Return times of UTC that know their time zone; without one, or if they are none, as they are.

    Examples
    --------
    >>> times = zoned(np.array(["2024-07-01T10:00"], dtype="M8[s]"), "Europe/Berlin")
    >>> zone_of(times), local(times)[0].isoformat()
    ('Europe/Berlin', '2024-07-01T12:00:00+02:00')
    """
    if zone is None or times.dtype.kind != "M":
        return times
    kind: Any = np.dtype
    return times.view(kind(times.dtype.str, metadata={ZONE: zone}))


def zone_of(times: NDArray[Any]) -> str | None:
    """Return the time zone of times; None if they have none."""
    known: Any = times.dtype.metadata
    return str(known[ZONE]) if known and ZONE in known else None


def without_zone(times: NDArray[Any]) -> NDArray[Any]:
    """Return times of UTC as plain ones: files of arrays have no place for a zone."""
    return times if zone_of(times) is None else times.view(times.dtype.str)


def zones_of(labels: Sequence[NDArray[Any] | None]) -> dict[str, list[str | None]]:
    """Return what a file notes beside the labels of all modes: their zones, if some have one."""
    zones = [None if own is None else zone_of(own) for own in labels]
    return {"zones": zones} if any(zones) else {}


def with_zones(
    labels: Sequence[NDArray[Any] | None], noted: Sequence[str | None] | None
) -> list[NDArray[Any] | None]:
    """Return the labels of all modes with the zones that a file has noted."""
    zones = [None] * len(labels) if noted is None else noted
    both = zip(labels, zones, strict=True)
    return [None if own is None else zoned(own, zone) for own, zone in both]


def common_zone(moments: list[datetime]) -> str | None:
    """Return the time zone of moments; None if they have none, or several."""
    zones = {_name(each.tzinfo) for each in moments}
    return zones.pop() if len(zones) == 1 else None


def _name(zone: tzinfo | None) -> str | None:
    if zone is None:
        return None
    return str(getattr(zone, "key", None) or getattr(zone, "zone", None) or zone)


def local(times: NDArray[Any]) -> list[Any]:
    """Return times as Python's own, in their time zone; finer ones than Python's as they are."""
    zone, micro = _zone(str(zone_of(times))), times.astype("M8[us]")
    if zone is None or (micro != without_zone(times)).any():
        return list(without_zone(times))
    try:
        return [each.replace(tzinfo=timezone.utc).astimezone(zone) for each in micro.tolist()]
    except (AttributeError, OverflowError):  # years that Python's own times do not have
        return list(without_zone(times))


def midnight(day: date, name: str) -> np.datetime64 | None:
    """Return the time of UTC at which a day begins in a time zone; None if that is not known.

    Examples
    --------
    >>> midnight(date(2024, 7, 1), "+02:00")
    np.datetime64('2024-06-30T22:00:00.000000')
    """
    zone = _zone(name)
    if zone is None:
        return None
    try:
        begins = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(timezone.utc)
    except OverflowError:  # before the first year
        return None
    return np.datetime64(begins.replace(tzinfo=None))


def _zone(name: str) -> tzinfo | None:
    """Return a time zone; None if this computer does not know it."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # seldom needed

    shift = OFFSET.fullmatch(name)
    if shift:
        ahead = timedelta(hours=int(shift[2]), minutes=int(shift[3]))
        return timezone(ahead if shift[1] == "+" else -ahead)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
