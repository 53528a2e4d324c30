"""Tensors to try things on, one file per dataset."""

from vest_tucker.datasets.cafes import demo
from vest_tucker.datasets.synthetic import synthetic

__all__ = ["demo", "synthetic"]
