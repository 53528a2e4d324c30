"""Numbers as a page shows them: few digits, a true minus sign, and thousands apart.

The script of the page writes numbers by the same rules, ``shown`` and ``signed``.
"""

from __future__ import annotations

import math

MINUS = "\u2212"
DIGITS = 3  # significant ones


def shown(value: float, digits: int = DIGITS) -> str:
    """Return a number with a few significant digits, "–" for one that is unknown.

    Examples
    --------
    >>> [shown(value) for value in (0.0, 1234.5678, 12.345, -0.001234, 5e-9, float("nan"))]
    ['0', '1,235', '12.3', '−0.00123', '5e−9', '–']
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else (MINUS if value < 0 else "") + "∞"
    if value == 0.0:
        return "0"
    size = float(f"{abs(value):.{digits - 1}e}")
    if 1e-4 <= size < 1e15:
        places = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{abs(value):,.{places}f}"
    else:
        mantissa, _, exponent = f"{abs(value):.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(exponent)}".replace("-", MINUS)
    return (MINUS if value < 0 else "") + text


def signed(value: float, digits: int = DIGITS) -> str:
    """Return a number with its sign, also if it is positive.

    Examples
    --------
    >>> signed(2.5), signed(-2.5), signed(0.0)
    ('+2.50', '−2.50', '0')
    """
    return ("+" if value > 0 else "") + shown(value, digits)


def with_unit(text: str, unit: str) -> str:
    r"""Return a number with its unit, on one line.

    Examples
    --------
    >>> with_unit("3.7", ""), with_unit("3.7", "min") == "3.7\u00a0min"
    ('3.7', True)
    """
    return f"{text}\u00a0{unit}" if unit else text


def plain(value: float, digits: int = 6) -> str:
    """Return a number as a table of data has it, without zeros at the end.

    Examples
    --------
    >>> plain(46.0), plain(-1234.5), plain(0.25)
    ('46', '−1,234.5', '0.25')
    """
    return f"{value:,.{digits}g}".replace("-", MINUS)


def percent(share: float) -> str:
    """Return a share in per cent, with a digit after the point where it matters.

    Examples
    --------
    >>> print(*(percent(share) for share in (0.732, 0.042, 0.0004, 0.9996)), sep=", ")
    73 %, 4.2 %, under 0.1 %, over 99.9 %
    """
    if math.isnan(share):
        return "–"
    value = 100.0 * share
    if 0.0 < value < 0.1:
        return "under 0.1\u00a0%"
    if 99.9 < value < 100.0:
        return "over 99.9\u00a0%"
    size = abs(value)
    fine = 0.0 < size < 9.95 or 99.0 <= size < 100.0
    return f"{value:.1f}\u00a0%".replace("-", MINUS) if fine else f"{value:.0f}\u00a0%"


def count(number: float, one: str, many: str | None = None) -> str:
    """Return a number of things, in words that agree with it.

    Examples
    --------
    >>> count(1, "entry", "entries"), count(2000, "entry", "entries"), count(2, "relation")
    ('1 entry', '2,000 entries', '2 relations')
    """
    word = one if number == 1 else (many or f"{one}s")
    return f"{number:,} {word}"
