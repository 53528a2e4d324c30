"""``python -m vest_tucker.demo``: find out who orders what when, from a part of the answers."""

from __future__ import annotations

import vest_tucker as vt

SHOWN = 6  # labels of a group


def main() -> None:
    """Take the tensor of the cafés, fit it by the plain call, and say what is found."""
    X = vt.datasets.demo()
    print(f"{X.nnz:,} answers: how often in a year who ordered which dish at which hour.")
    print("Finding out how they hang together; a tenth is held out to see what holds.\n")

    model = vt.fit(X, seed=0, progress=True)

    print(f"\n{model}\n")
    print("Each relation is a habit of a group of people:\n")
    print(model.describe(labels=SHOWN, unit="times"))
    print(f"\nHeld-out error    {model.validation_error:.4f}")
    print(f"always the mean   {model.validation_mean:.4f}")
    print("Nobody told the model how many groups there are, or what is served for breakfast.")


if __name__ == "__main__":
    main()
