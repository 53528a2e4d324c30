"""``python -m vest_tucker.demo``: plant a sparse model, observe a little of it, find it again."""

from __future__ import annotations

import numpy as np

import vest_tucker as vt
from vest_tucker.checks import Floats
from vest_tucker.model import constant_error

SHADES = " ░▒▓█"  # zero, then the quarters up to the largest magnitude
WIDTH = 96


def main() -> None:
    """Make a tensor, hold a tenth of it out, fit the rest and show what came of it."""
    X, truth = vt.datasets.synthetic((100, 80, 60), 4, nnz=30_000, sparsity=0.5, noise=0.1, seed=0)
    train, test = split(X, share=0.1, seed=1)
    print(f"{X}: a planted model with {truth.sparsity:.0%} zeros, plus noise.")
    print(f"Fitting {train.nnz:,} of its entries, holding out {test.nnz:,}.\n")

    model = vt.fit(train, ranks=4, seed=0, progress=True)

    print(f"\n{model}\n")
    print("Factor 0, one column per line, one row per character; blank is zero:")
    for line in picture(model.factors[0]):
        print(f"  |{line}|")
    print(f"\nHeld-out error        {vt.relative_error(model, test):.4f}")
    print(f"always the mean       {constant_error(train.mean, test):.4f}")
    print(f"the noise by itself   {truth.error:.4f}")
    print("The rest of the error is the price of the zeros: sparsity=0 comes close to the noise.")


def split(
    X: vt.SparseTensor, *, share: float, seed: int
) -> tuple[vt.SparseTensor, vt.SparseTensor]:
    """Split the entries at random into those to fit and the ``share`` held out."""
    held_out = np.random.default_rng(seed).random(X.nnz) < share
    train, test = (
        vt.SparseTensor(X.coords[rows], X.values[rows], X.shape) for rows in (~held_out, held_out)
    )
    return train, test


def picture(factor: Floats) -> list[str]:
    """Draw the first rows of a factor, a line per column: the darker, the larger.

    Examples
    --------
    >>> picture(np.array([[0.0, 1.0], [0.3, -4.0]]))
    [' █', '░█']
    """
    sizes = np.abs(factor[:WIDTH]).T
    peaks = np.maximum(sizes.max(axis=1, keepdims=True), np.finfo(float).tiny)
    levels = np.ceil(sizes / peaks * (len(SHADES) - 1)).astype(int)
    return ["".join(SHADES[level] for level in line) for line in levels]


if __name__ == "__main__":
    main()
