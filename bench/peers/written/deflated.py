"""A sparse tensor, missing cells 0, less rank-one components: what power methods contract.

Nothing of the size of all cells is made: components are subtracted where they are contracted.
"""

from __future__ import annotations

import numpy as np

from peers.peer import Fitted, Floats, Task
from peers.tucker import cp_predictor

Vectors = list[Floats]  # of unit norm, one per mode


class Deflated:
    """The tensor of a task, from which components are taken off one after the other."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.shape, self.order, self.cells = task.shape, task.order, task.cells
        self.squares = float(np.sum(task.values**2))  # of what is left, summed over all cells
        self.weights: list[float] = []
        self.components: list[Vectors] = []

    def contracted(self, vectors: Vectors, mode: int) -> Floats:
        """Multiply what is left with the vectors of all modes but this one."""
        coords, dim = self.task.coords, self.shape[mode]
        others = [other for other in range(self.order) if other != mode]
        product = self.task.values
        for other in others:
            product = product * vectors[other][coords[:, other]]
        left: Floats = np.bincount(coords[:, mode], product, minlength=dim).astype(np.float64)
        for weight, component in zip(self.weights, self.components, strict=True):
            shared = [float(component[other] @ vectors[other]) for other in others]
            left = left - weight * float(np.prod(shared)) * component[mode]
        return left

    def take_off(self, vectors: Vectors) -> float:
        """Subtract the best multiple of this component, and return the weight it got."""
        weight = float(self.contracted(vectors, 0) @ vectors[0])
        self.weights.append(weight)
        self.components.append([vector.copy() for vector in vectors])
        self.squares -= weight**2
        return weight

    def fitted(self) -> Fitted:
        """Predict from all the components that were taken off."""
        factors = [
            np.stack([component[mode] for component in self.components], axis=1)
            for mode in range(self.order)
        ]
        return Fitted.of_arrays(cp_predictor(self.weights, factors), (self.weights, *factors))


def unit(vector: Floats) -> Floats:
    """Return the vector with norm 1, or as it is if it is zero."""
    norm = np.linalg.norm(vector)
    return vector / norm if norm else vector


def random_start(rng: np.random.Generator, shape: tuple[int, ...]) -> Vectors:
    """Draw a direction for each mode."""
    return [unit(rng.standard_normal(dim)) for dim in shape]
