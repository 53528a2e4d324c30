"""``python -m vest_tucker.demo``: find out who orders what when, from a part of the answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import vest_tucker as vt

SHOWN = 6  # labels of a component


def main() -> None:
    """Take the tensor of the cafés, fit it by the plain call, and name what is found."""
    X = vt.datasets.demo()
    print(f"{X.nnz:,} answers: how often in a year who ordered which dish at which hour.")
    print("Finding out how they hang together; a tenth is held out to see what holds.\n")

    model = vt.fit(X, seed=0, progress=True)

    print(f"\n{model}\n")
    elements = np.count_nonzero(model.core)
    print(f"{elements} elements of the core are not zero. Each is a habit of a group of people:")
    for line in habits(model):
        print(line)
    print(f"\nHeld-out error    {model.validation_error:.4f}")
    print(f"always the mean   {model.validation_mean:.4f}")
    print("Nobody told the model how many groups there are, or what is served for breakfast.")


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
