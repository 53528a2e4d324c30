"""``python -m vest_tucker.demo``: find out who orders what when, from a part of the answers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import vest_tucker as vt
from vest_tucker.checks import Floats
from vest_tucker.model import constant_error

SHOWN = 6  # labels of a component


def main() -> None:
    """Take the tensor of the cafés, hold a tenth of it out, fit the rest and name what is found."""
    X = vt.datasets.demo()
    train, test = split(X, share=0.1, seed=1)
    print(f"{X}: how often in a year each person ordered which dish at which hour.")
    print(f"Fitting {train.nnz:,} of the answers, holding out {test.nnz:,}.\n")

    model = vt.fit(train, ranks=4, sparsity=0.72, max_prune_rate=0.02, seed=0, progress=True)

    print(f"\n{model}\n")
    elements = np.count_nonzero(model.core)
    print(f"{elements} elements of the core are not zero. Each is a habit of a group of people:")
    for line in habits(model, X):
        print(line)
    print(f"\nHeld-out error    {vt.relative_error(model, test):.4f}")
    print(f"always the mean   {constant_error(train.mean, test):.4f}")
    print("Nobody told the model who is a student, or what is served for breakfast.")


def split(
    X: vt.SparseTensor, *, share: float, seed: int
) -> tuple[vt.SparseTensor, vt.SparseTensor]:
    """Split the entries at random into those to fit and the ``share`` held out."""
    held_out = np.random.default_rng(seed).random(X.nnz) < share
    train, test = (
        vt.SparseTensor(X.coords[rows], X.values[rows], X.shape, labels=X.mode_labels)
        for rows in (~held_out, held_out)
    )
    return train, test


def habits(model: vt.TuckerModel, X: vt.SparseTensor) -> Iterable[str]:
    """Say of each element of the core, the largest first, which rows of each mode it joins."""
    heavy = np.argsort(-np.abs(model.core), axis=None)[: np.count_nonzero(model.core)]
    for at in zip(*np.unravel_index(heavy, model.core.shape), strict=True):
        yield ""
        for mode, (factor, component) in enumerate(zip(model.factors, at, strict=True)):
            rows = strongest(factor[:, component])
            labels = X.mode_labels.decode(mode, rows[:SHOWN])
            more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
            yield f"  {X.modes[mode]:<8}{', '.join(map(str, labels))}{more}"


def strongest(column: Floats) -> list[int]:
    """Return the rows that a component has, the strongest first.

    Examples
    --------
    >>> strongest(np.array([0.1, 0.0, -0.7, 0.2]))
    [2, 3, 0]
    """
    order = np.argsort(-np.abs(column), kind="stable")
    return [int(row) for row in order if column[row] != 0.0]


if __name__ == "__main__":
    main()
