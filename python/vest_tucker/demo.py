"""``python -m vest_tucker.demo``: find out who orders what when, from a part of the answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import vest_tucker as vt
from vest_tucker.model.measure import constant_error

SHOWN = 6  # labels of a component


def main() -> None:
    """Take the tensor of the cafés, hold a tenth of it out, fit the rest and name what is found."""
    X = vt.datasets.demo()
    train, test = vt.train_test_split(X, test=0.1, seed=0)
    print(f"{X.nnz:,} answers: how often in a year who ordered which dish at which hour.")
    print(f"Fitting {train.nnz:,} of them, holding out {test.nnz:,}.\n")

    model = vt.fit(
        train, ranks=4, preset="paper", sparsity=0.72, max_prune_rate=0.02, seed=0, progress=True
    )

    print(f"\n{model}\n")
    elements = np.count_nonzero(model.core)
    print(f"{elements} elements of the core are not zero. Each is a habit of a group of people:")
    for line in habits(model):
        print(line)
    print(f"\nHeld-out error    {vt.relative_error(model, test):.4f}")
    print(f"always the mean   {constant_error(train.mean, test):.4f}")
    print("Nobody told the model who is a student, or what is served for breakfast.")


def habits(model: vt.TuckerModel) -> Iterator[str]:
    """Say of each element of the core, the largest first, which rows of each mode it joins."""
    heavy = np.argsort(-np.abs(model.core), axis=None)[: np.count_nonzero(model.core)]
    for at in zip(*np.unravel_index(heavy, model.core.shape), strict=True):
        yield ""
        for name, factor, component in zip(model.modes, model.factors, at, strict=True):
            labels = [str(label) for label, _ in model.top(name, int(component), SHOWN)]
            rest = np.count_nonzero(factor[:, component]) - len(labels)
            yield f"  {name:<8}{', '.join(labels)}{f' and {rest} more' if rest else ''}"


if __name__ == "__main__":
    main()
