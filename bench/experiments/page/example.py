"""A tensor of 3 x 3 x 3 cells worked out by hand: why values do not tell what elements carry."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from experiments.page.text import number, table

Cell = tuple[int, int, int]
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
# Two relations of weight 1, each with a column of its own in every mode; five observed entries.
A = ((4, 0), (3, 0), (0, 1))
B = ((4, 0), (2, 0), (0, 1))
C = ((HALF, 0), (0, 2), (QUARTER, 0))
ENTRIES: dict[Cell, int] = {
    (1, 1, 1): 8, (1, 2, 1): 5, (2, 1, 1): 6, (3, 3, 2): 3, (1, 1, 3): 4,
}  # fmt: skip
ELEMENTS = ((1, 1), (2, 2), (3, 1))  # of C: row and column, those that are not zero


def feature(cell: Cell, column: int) -> Fraction:
    """Return what an element of C is multiplied with at a cell: the other two rows' product."""
    i, j, _ = cell
    return Fraction(A[i - 1][column - 1] * B[j - 1][column - 1])


def prediction(cell: Cell) -> Fraction:
    """Return the sum of both relations."""
    return sum((feature(cell, r) * C[cell[2] - 1][r - 1] for r in (1, 2)), Fraction(0))


def squares() -> tuple[Fraction, Fraction]:
    """Return the sums of squares of what is left, and of the values."""
    left = sum(((x - prediction(cell)) ** 2 for cell, x in ENTRIES.items()), Fraction(0))
    return left, Fraction(sum(x * x for x in ENTRIES.values()))


def growth(element: tuple[int, int]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the sums of residual times feature and of squared features, and the growth.

    The squared error without an element e grows by 2 e Σ r f + e² Σ f².
    """
    row, column = element
    e = Fraction(C[row - 1][column - 1])
    touched = [cell for cell in ENTRIES if cell[2] == row]
    rf = sum(((ENTRIES[c] - prediction(c)) * feature(c, column) for c in touched), Fraction(0))
    ff = sum((feature(c, column) ** 2 for c in touched), Fraction(0))
    return rf, ff, 2 * e * rf + e * e * ff


def section() -> Iterator[str]:
    """Yield the example as text and two tables."""
    left, total = squares()
    yield "### Worked out by hand"
    yield ""
    yield (
        "A model of 3 x 3 x 3 cells with two relations of weight 1, so that a prediction is "
        "*a*₁*b*₁*c*₁ + *a*₂*b*₂*c*₂ with the rows of three factors:"
    )
    rows = [[str(k + 1), *(f"{each[k][0]}, {each[k][1]}" for each in (A, B, C))] for k in range(3)]
    yield from table(["row", "A", "B", "C"], rows)
    yield "Five cells were observed:"
    rows = [
        [", ".join(map(str, cell)), str(x), str(prediction(cell)), str(x - prediction(cell))]
        for cell, x in ENTRIES.items()
    ]
    yield from table(["cell", "value", "predicted", "left over"], rows)
    yield (
        f"The squared error is {left}, the squared values add up to {total}, so RE = "
        f"√({left}/{total}) = {number(math.sqrt(left / total), 3)}. Which element of C should go "
        "first? An element *e* is multiplied with *f*, the product of the other two rows; without "
        "it the squared error grows by 2*e* Σ*rf* + *e*² Σ*f*², with *r* what is left over, and "
        "both sums over the cells of its row:"
    )
    found = {element: growth(element) for element in ELEMENTS}
    values = {element: Fraction(C[element[0] - 1][element[1] - 1]) for element in ELEMENTS}
    by_value = sorted(ELEMENTS, key=lambda each: values[each])
    by_growth = sorted(ELEMENTS, key=lambda each: found[each][2])
    rows = []
    for element in ELEMENTS:
        rf, ff, grows = found[element]
        after = math.sqrt((left + grows) / total)
        rows.append(
            [f"C({element[0]}, {element[1]})", str(values[element]), str(rf), str(ff), str(grows),
             number(after, 3), str(by_value.index(element) + 1), str(by_growth.index(element) + 1)]
        )  # fmt: skip
    head = ["element", "value", "Σrf", "Σf²", "growth", "RE without it"]
    yield from table([*head, "goes, by value", "goes, by responsibility"], rows)
    first, other = by_value[0], by_growth[0]
    errors = [math.sqrt((left + found[each][2]) / total) for each in (first, other)]
    yield (
        f"Pruning by value takes C({first[0]}, {first[1]}) = {values[first]} first, and ends with "
        f"RE = {number(errors[0], 3)}; responsibility takes the largest value of the three, "
        f"C({other[0]}, {other[1]}) = {values[other]}, and ends with {number(errors[1], 3)}: its "
        "row meets one cell, and small numbers there."
    )
    yield ""
