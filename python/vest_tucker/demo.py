"""``python -m vest_tucker.demo [folder]``: find out who orders what when, from some of the answers.

It writes a report and, where Matplotlib is there, a picture into the folder, and says where.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import vest_tucker as vt
from vest_tucker.base.types import AnyPath


def main(folder: AnyPath | None = None) -> None:
    """Take the tensor of the cafés, fit it by the plain call, and say what is found."""
    X = vt.datasets.demo()
    print(f"{X.nnz:,} answers: how often in a year who ordered which dish at which hour.")
    print("Finding out how they hang together; a tenth is held out to see what holds.\n")

    model = vt.fit(X, seed=0, progress=True)

    print(f"\n{model.describe(unit='times')}\n")
    print("Nobody told the model how many groups there are, or what is served for breakfast.\n")
    print(model.recommend({"person": "Leo (clerk)", "hour": 8}, along="dish", k=3), "\n")
    show(model, Path(tempfile.mkdtemp(prefix="vest-tucker-") if folder is None else folder))


def show(model: vt.TuckerModel, folder: Path) -> None:
    """Write the report and the picture, and say where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    model.report(
        folder / "demo.html", title="Who orders what when", note="A made-up town.", unit="times"
    )
    print(f"The whole story, for a browser: {folder / 'demo.html'}")
    try:
        axes = model.plot.relations(labels=4)
    except vt.errors.MissingPackageError as error:
        print(f"There is no picture: {error}")
        return
    axes[0, 0].figure.savefig(folder / "demo.png", dpi=100, bbox_inches="tight")
    print(f"And a picture of it: {folder / 'demo.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
