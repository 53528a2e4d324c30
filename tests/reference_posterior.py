"""Updates of elements with variances in slow, plain NumPy, one element after the other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from vest_tucker.base.types import Floats


@dataclass
class Twin:
    """A fit with variances: part 0 is the core, part n + 1 the factor of mode n.

    ``inside`` are the modes whose variances an update of each mode's factor looks at.
    """

    coords: np.ndarray
    x: Floats
    w: Floats
    values: list[Floats]
    variances: list[Floats]
    precision: list[Floats]
    noise: float
    inside: list[list[int]]

    @property
    def order(self) -> int:
        return len(self.values) - 1

    def predicted(self) -> Floats:
        return self.contracted(self.values[0], range(self.order)).reshape(-1)

    def contracted(self, core: Floats, modes: object, squares: int | None = None) -> Floats:
        """Contract a core with the rows of some modes, for each entry; of one, with variances."""
        found = []
        for at in self.coords:
            out = core
            for mode in sorted(modes, reverse=True):  # type: ignore[call-overload]
                part = self.variances if mode == squares else self.values
                out = np.tensordot(out, part[mode + 1][at[mode]], axes=(mode, 0))
            found.append(out)
        return np.array(found)

    def spread(self, mode: int, other: int) -> Floats:
        """Return what the variances of another mode's rows add to Var delta, for each entry."""
        rest = [n for n in range(self.order) if n not in (mode, other)]
        found = []
        for at, table in zip(self.coords, self.contracted(self.values[0], rest), strict=True):
            axis = 0 if other < mode else 1
            found.append(np.tensordot(table**2, self.variances[other + 1][at[other]], (axis, 0)))
        return np.array(found)

    def sweep(self) -> None:
        for mode in range(self.order):
            delta = self.contracted(self.values[0], [n for n in range(self.order) if n != mode])
            spread = sum(self.spread(mode, other) for other in self.inside[mode])
            for row in range(len(self.values[mode + 1])):
                mine = self.coords[:, mode] == row
                for j in range(delta.shape[1]):
                    f, w = delta[mine, j], self.w[mine]
                    left = self.x[mine] - delta[mine] @ self.values[mode + 1][row]
                    left += f * self.values[mode + 1][row, j]
                    unsure = np.asarray(spread)[mine, j]
                    self.step(mode + 1, (row, j), j, f, w, left, unsure)
        rows = [self.values[n + 1][self.coords[:, n]] for n in range(self.order)]
        known = [self.variances[n + 1][self.coords[:, n]] for n in range(self.order)]
        for beta in product(*map(range, self.values[0].shape)):
            f = np.prod([r[:, j] for r, j in zip(rows, beta, strict=True)], axis=0)
            both = [r[:, j] ** 2 + s[:, j] for r, s, j in zip(rows, known, beta, strict=True)]
            left = self.x - self.predicted() + f * self.values[0][beta]
            self.step(0, beta, 0, f, self.w, left, np.prod(both, axis=0) - f**2)

    def step(
        self, part: int, at: tuple[int, ...], column: int, f: Floats, w: Floats, left: Floats,
        unsure: Floats,
    ) -> None:  # fmt: skip
        """Update one element: m = h / (v + own penalty), s = noise / (v + own penalty)."""
        own = self.precision[part][column] * self.noise + np.sum(w * unsure)
        v = np.sum(w * f * f)
        self.values[part][at] = np.sum(w * f * left) / (v + own)
        self.variances[part][at] = self.noise / (v + own)
