"""Small files of every kind, kept for ever in ``tests/data/old-files``, and what is in them.

``python tests/old_files.py --write`` adds those of this version, before a release or when the
format changes; ``--name`` calls the folder otherwise than the version. A folder that is there is
never written again: what users have in their drawers does not change either.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import warnings
import zoneinfo
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt

FOLDER = Path(__file__).parent / "data" / "old-files"
EXPECTED = "expected.json"
MODELS = ("plain", "paper", "offset", "weights", "zones", "texts", "named")
PAPER: dict[str, Any] = {"preset": "paper", "ranks": 2, "sparsity": 0.2, "max_iter": 3, "seed": 0}
CHECKPOINT: dict[str, Any] = {**PAPER, "max_iter": 2}
TEXTS = ["soup", "", "Zoë", "千", "<b>", "=1+1", "a\nb", "\udc80"]
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
HOURS = [dt.datetime(2024, 3, 31, hour, tzinfo=BERLIN) for hour in range(4, 9)]


def tensor(kind: str) -> vt.SparseTensor:
    """Return the entries of one kind of file, always the same."""
    rng = np.random.default_rng(7)
    shape = (8, 6, 5)
    coords = np.argwhere(rng.random(shape) < 0.5)
    parts = [rng.normal(size=(dim, 1)) for dim in shape]
    effects = np.einsum("ia,ja,ka->ijk", *parts)[tuple(coords.T)]
    values = np.round(3.0 + coords[:, 0] / 4 + effects + 0.1 * rng.normal(size=len(coords)), 3)
    labels: dict[str, Any] = {}
    if kind in ("texts", "named"):
        labels = {"dish": TEXTS, "day": np.arange("2021-05-01", "2021-05-07", dtype="M8[D]")}
    if kind == "zones":
        labels = {"hour": HOURS}
    weights = rng.integers(1, 4, len(values)) if kind == "weights" else None
    return vt.SparseTensor(
        coords, values, shape, modes=("dish", "day", "hour"), labels=labels, weights=weights
    )


def model(kind: str) -> vt.TuckerModel:
    """Fit one kind of model."""
    X = tensor(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind in ("plain", "weights"):
            return vt.fit(X, ranks=2, seed=0)
        fitted = vt.fit(X, **PAPER, offset="biases" if kind == "offset" else None)
    return fitted.name("dish", 0, "warm") if kind == "named" else fitted


def write(folder: Path) -> None:
    """Write a file of every kind, and what they hold."""
    folder.mkdir(parents=True)  # refuses what is there
    for kind in MODELS:
        model(kind).save(folder / f"model-{kind}.npz")
    for kind in ("plain", "weights", "zones", "texts"):
        vt.write(tensor(kind), folder / f"tensor-{kind}.npz")
    for suffix in ("sptensor", "tsv", "parquet", "tns.gz", "csv.zst"):
        vt.write(tensor("plain"), folder / f"tensor-plain.{suffix}")
    vt.write(tensor("weights"), folder / "tensor-weights.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vt.fit(tensor("plain"), **CHECKPOINT, checkpoint=folder / "fit.ckpt")
    expected = {path.name: content(path) for path in files(folder)}
    lines = (f"{json.dumps(name)}: {json.dumps(told)}" for name, told in expected.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (folder / EXPECTED).write_text(text, encoding="ascii")


def files(folder: Path) -> list[Path]:
    """Return the files of a version, without what is told of them."""
    return sorted(path for path in folder.iterdir() if path.name != EXPECTED)


def content(path: Path) -> dict[str, Any]:
    """Read a file and return what is in it, as JSON has it."""
    if path.name.startswith("tensor-"):
        return dict(_tensor_content(vt.read(path)))
    if path.name.startswith("model-"):
        return dict(_model_content(vt.TuckerModel.load(path)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(_model_content(vt.fit(tensor("plain"), **CHECKPOINT, checkpoint=path)))


def _tensor_content(X: vt.SparseTensor) -> Iterator[tuple[str, Any]]:
    yield "shape", list(X.shape)
    yield "modes", list(X.modes)
    yield "labels", [_texts(own) for own in X.labels]
    order = np.lexsort(X.coords.T)
    yield "coords", X.coords[order].tolist()
    yield "values", X.values[order].tolist()
    yield "weights", None if X.weights is None else X.weights[order].tolist()


def _model_content(fitted: vt.TuckerModel) -> Iterator[tuple[str, Any]]:
    yield "shape", list(fitted.shape)
    yield "ranks", list(fitted.ranks)
    yield "modes", list(fitted.modes)
    yield "labels", [_texts(own) for own in fitted.labels]
    cells = [[row % dim for dim in fitted.shape] for row in range(max(fitted.shape))]
    yield "predicted", fitted.predict(cells).tolist()
    if fitted.core_variance is not None:
        yield "std", fitted.predict(cells, return_std=True)[1].tolist()
    yield "error", fitted.error
    yield "iterations", len(fitted.history)
    yield "titles", [fitted._title(0, component) for component in range(fitted.ranks[0])]


def _texts(labels: Any) -> list[str] | None:
    return None if labels is None else [str(label) for label in labels]


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="add the files of this version")
    parser.add_argument("--name", default=vt.__version__, help="the name of their folder")
    given = parser.parse_args()
    if not given.write:
        parser.print_help()
        return 2
    folder = FOLDER / given.name
    if folder.exists():
        print(f"{folder} is there already, and old files are never written again", file=sys.stderr)
        return 1
    write(folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"wrote {len(files(folder))} files, {size / 1000:.0f} kB, to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
