"""Datasets as tensors, one module per dataset."""

from vest_tucker.datasets.amazon import amazon_fine_foods
from vest_tucker.datasets.demo import demo
from vest_tucker.datasets.movielens import movielens
from vest_tucker.datasets.movielens_frames import movielens_movies, movielens_users
from vest_tucker.datasets.synthetic import synthetic
from vest_tucker.datasets.yelp import yelp

__all__ = [
    "amazon_fine_foods",
    "demo",
    "movielens",
    "movielens_movies",
    "movielens_users",
    "synthetic",
    "yelp",
]


def __dir__() -> list[str]:
    return list(__all__)
