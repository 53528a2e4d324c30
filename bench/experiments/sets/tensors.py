"""Every tensor of the evaluation by name, made the same way each time, and split by seed.

Real ones need $VEST_DATA, the folder of `ML_small.tns.gz` and `movietweetings_train.tns.gz`, or the
variable that names a MovieLens, Yelp or Amazon folder, and are left out without it; planted ones
are always there.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import vest_tucker as vt

SMALL = (50, 50, 10)  # of Yelp-s and AmazonFood-s
YELP_S = 267  # entries of Yelp-s, 1 % of its cells
LIKE_RATINGS = 3.5  # root mean square of planted values: the paper's penalty is made for ratings
RATINGS = 1_000_000


@dataclass(frozen=True)
class Set:
    """A tensor of the evaluation."""

    name: str
    about: str
    make: Callable[[], vt.SparseTensor]
    ranks: tuple[int, ...]
    needs: tuple[str, ...] = ()  # files of $VEST_DATA
    variable: str = ""  # of the environment, which must name its folder

    @property
    def is_here(self) -> bool:
        """Whether it can be made."""
        given = not self.variable or bool(os.environ.get(self.variable))
        return given and all(data_file(name).is_file() for name in self.needs)

    def split(self, seed: int, share: float = 0.1) -> tuple[vt.SparseTensor, vt.SparseTensor]:
        """Return random nine tenths of the entries, and the rest."""
        X = tensor(self.name)
        held = np.zeros(X.nnz, dtype=bool)
        held[np.random.default_rng(seed).permutation(X.nnz)[: int(share * X.nnz)]] = True
        return X.subset(~held), X.subset(held)


def data_file(name: str) -> Path:
    """Return where a data file would be."""
    return Path(os.environ.get("VEST_DATA", ""), name)


@functools.lru_cache(maxsize=4)
def tensor(name: str) -> vt.SparseTensor:
    """Return a tensor by its name."""
    return SETS[name].make()


def digest(X: vt.SparseTensor) -> str:
    """Return a sum over the entries."""
    total = hashlib.sha256(X.coords.tobytes())
    total.update(np.asarray(X.values).tobytes())
    return total.hexdigest()[:12]


def ml_small() -> vt.SparseTensor:
    """(user, movie, year, hour) -> rating."""
    return vt.read(data_file("ML_small.tns.gz"))


def movietweetings() -> vt.SparseTensor:
    """(user, movie, month, hour) -> rating, both files together."""
    parts = [vt.read(data_file(f"movietweetings_{part}.tns.gz")) for part in ("train", "test")]
    shape = tuple(map(max, *(part.shape for part in parts)))
    coords = np.concatenate([part.coords for part in parts])
    return vt.SparseTensor(coords, np.concatenate([part.values for part in parts]), shape)


def small_of_folder(name: str) -> vt.SparseTensor:
    """The densest part of what is in the folder that a variable of the environment names."""
    variable, read = FOLDERS[name]
    return densest(read(os.environ[variable]))


def densest(X: vt.SparseTensor) -> vt.SparseTensor:
    """The first three modes without rows that have few entries, as the paper's small sets."""
    three = vt.SparseTensor(X.coords[:, :3], X.values, X.shape[:3], duplicates="mean")
    found = three.densest(tuple(map(min, SMALL, three.shape)))
    return vt.SparseTensor(found.coords, found.values, found.shape)


def thinned(X: vt.SparseTensor, nnz: int) -> vt.SparseTensor:
    """So many of the entries, drawn at random."""
    return X.subset(np.sort(np.random.default_rng(0).permutation(X.nnz)[:nnz]))


def planted_small(share: float) -> vt.SparseTensor:
    """A sparse Tucker model of the paper's small shape and ranks, and a fifth of noise."""
    nnz = int(share * np.prod(SMALL))
    X, _ = vt.datasets.synthetic(SMALL, 5, nnz, sparsity=0.6, noise=0.2, seed=0)
    scale = LIKE_RATINGS / np.sqrt(np.mean(X.values**2))
    return vt.SparseTensor(X.coords, scale * X.values, X.shape)


def planted_ratings(
    nnz: int = RATINGS, shape: Sequence[int] = (6000, 4000, 36), seed: int = 0
) -> vt.SparseTensor:
    """Made-up stars: mean, effects of users and films, six tastes, noise, rounded to 0.5 to 5.

    Users and films differ in how often they occur, as in life; times do not.
    """
    rng = np.random.default_rng(seed)
    weights = [1.0 / (np.arange(dim) + 1 + dim / 50) for dim in shape[:2]]
    weights.append(np.ones(shape[2]))
    drawn = [
        rng.choice(dim, size=int(1.1 * nnz), p=each / each.sum())
        for dim, each in zip(shape, weights, strict=True)
    ]
    coords = np.stack(drawn, axis=1)
    _, first = np.unique(coords @ [shape[1] * shape[2], shape[2], 1], return_index=True)
    coords = rng.permutation(coords[first])[:nnz]
    pairs = zip(shape, (0.4, 0.5, 0.1), strict=True)
    effects = [scale * rng.standard_normal(dim) for dim, scale in pairs]
    tastes = [rng.standard_normal((dim, 6)) * (rng.random((dim, 6)) < 0.5) for dim in shape[:2]]
    users, films = (each[coords[:, mode]] for mode, each in enumerate(tastes))
    values = 3.5 + sum(each[coords[:, mode]] for mode, each in enumerate(effects))
    values = values + 0.35 * np.einsum("ij,ij->i", users, films)
    values = values + 0.7 * rng.standard_normal(len(coords))
    stars = np.clip(np.round(2.0 * values) / 2.0, 0.5, 5.0)
    return vt.SparseTensor(coords, stars, tuple(shape))


ML = ("ML_small.tns.gz",)
MT = ("movietweetings_train.tns.gz", "movietweetings_test.tns.gz")
CUBE = (5, 5, 5)
FOLDERS: dict[str, tuple[str, Callable[[str], vt.SparseTensor]]] = {
    "MovieLens": ("VEST_MOVIELENS", vt.datasets.movielens),
    "Yelp": ("VEST_YELP", vt.datasets.yelp),
    "AmazonFood": ("VEST_AMAZON", vt.datasets.amazon_fine_foods),
}
SETS: dict[str, Set] = {
    each.name: each
    for each in (
        Set("ML-s", "densest 50 x 50 x 10 of ML_small", lambda: densest(ml_small()), CUBE, ML),
        Set(
            "ML-s, 1 %",
            f"{YELP_S} random entries of ML-s, as many as Yelp-s has",
            lambda: thinned(densest(ml_small()), YELP_S),
            CUBE,
            ML,
        ),
        Set(
            "MT-s",
            "densest 50 x 50 x 10 of MovieTweetings",
            lambda: densest(movietweetings()),
            CUBE,
            MT,
        ),
        *(
            Set(
                f"{name}-s",
                f"densest 50 x 50 x 10 of {name}",
                functools.partial(small_of_folder, name),
                CUBE,
                variable=variable,
            )
            for name, (variable, _) in FOLDERS.items()
        ),
        Set("planted-s", "planted, 10 % of the cells", lambda: planted_small(0.1), CUBE),
        Set("planted-s, 50 %", "planted, half of the cells", lambda: planted_small(0.5), CUBE),
        Set("planted-s, 80 %", "planted, 80 % of the cells", lambda: planted_small(0.8), CUBE),
        Set("ML_small", "the MovieLens sample", ml_small, (6, 6, 2, 2), ML),
        Set("MovieTweetings", "ratings from tweets", movietweetings, (6, 6, 2, 2), MT),
        Set("ratings 100k", "made-up stars", lambda: planted_ratings(100_000), (6, 6, 2)),
        Set("ratings 1M", "a million made-up stars", planted_ratings, (6, 6, 2)),
    )
}
