"""A small made-up tensor: how often people of a town order a dish at an hour of the day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vest_tucker.data.tensor import SparseTensor

Label = TypeVar("Label", str, int)

DISHES = {
    "breakfast": ("espresso", "croissant", "porridge", "muesli", "bagel", "scrambled eggs"),
    "lunch": ("soup", "green salad", "club sandwich", "quiche", "rice bowl", "lasagne"),
    "sweets": ("apple cake", "hot chocolate", "ice cream", "pancakes", "waffles", "lemonade"),
    "fast food": ("pizza", "ramen", "nachos", "chips", "cola", "burger"),
}
TIMES = {
    "morning": range(7, 11),
    "noon": range(11, 15),
    "afternoon": range(15, 19),
    "night": range(19, 24),
}
# Job, kind of dish, time of day, and how often in a year a typical person of that job orders so.
HABITS = (
    ("clerk", "breakfast", "morning", 18.0),
    ("clerk", "lunch", "noon", 12.0),
    ("student", "fast food", "night", 18.0),
    ("parent", "sweets", "afternoon", 18.0),
    ("retiree", "sweets", "morning", 18.0),
)
NAMES = (
    "Ada", "Ali", "Amy", "Ben", "Bo", "Cai", "Cleo", "Dag", "Dora", "Eli", "Emma", "Eva", "Finn",
    "Gus", "Hana", "Hugo", "Ida", "Inga", "Ivan", "Jan", "Jun", "Kai", "Kim", "Lea", "Leo", "Lin",
    "Mia", "Milo", "Nia", "Noa", "Olga", "Omar", "Otto", "Pia", "Raj", "Rosa", "Sam", "Tove",
    "Uma", "Zoe",
)  # fmt: skip
ENTRIES = 20_000
# Cells of a person's habits are observed about this many times more often than others.
CURIOSITY = 10.0


def demo() -> SparseTensor:
    """Make the cafés of a small town: 160 people x 24 dishes x 17 hours, the same every time.

    A value is how often in a year a person ordered a dish at an hour. 20,000 of the 65,280 cells
    were observed, mostly those of habits; 0 is an observation too. The labels tell the job of each
    person, which the fit does not use, so one can see how much of the habits a model finds:

    - clerks have breakfast in the morning and lunch at noon,
    - students have fast food at night,
    - parents have sweets in the afternoon,
    - retirees have the same sweets in the morning.

    Returns
    -------
    SparseTensor
        Modes "person" (such as ``"Ada (student)"``), "dish" and "hour" (7 to 23).

    Notes
    -----
    Pruning slowly, and nearly to the sparsity of the habits (0.75), finds one component for each
    group and one element of the core for each habit. Some seeds end better than others. The
    default options predict as well, but their models have fewer zeros.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.datasets.demo()
    >>> X.shape, X.nnz, X.modes
    ((160, 24, 17), 20000, ('person', 'dish', 'hour'))
    >>> model = vt.fit(
    ...     X, ranks=4, preset="paper", sparsity=0.72, max_prune_rate=0.02, seed=0
    ... )
    >>> model.error < 0.3 * model.baseline_error
    True
    >>> dishes = X.mode_labels.decode("dish", model.factors[1][:, 0].nonzero()[0])
    >>> ", ".join(dishes)
    'apple cake, hot chocolate, ice cream, pancakes, waffles, lemonade'
    """
    rng = np.random.default_rng(2)
    jobs = rng.permutation(np.repeat(sorted({who for who, *_ in HABITS}), len(NAMES)))
    menu = np.repeat(list(DISHES), [len(dishes) for dishes in DISHES.values()])
    times = np.repeat(list(TIMES), [len(hours) for hours in TIMES.values()])
    typical = np.zeros((len(jobs), len(menu), len(times)))
    for who, what, when, often in HABITS:
        typical[np.ix_(jobs == who, menu == what, times == when)] = often
    for mode, length in enumerate(typical.shape):  # people differ, and so do dishes and hours
        own = rng.uniform(0.7, 1.3, length)
        typical *= own.reshape([-1 if axis == mode else 1 for axis in range(3)])
    # The largest of these sums are a draw without replacement in proportion to the weights.
    chances = np.log1p(CURIOSITY * (typical > 0)) + rng.gumbel(size=typical.shape)
    asked = np.sort(np.argpartition(-chances, ENTRIES, axis=None)[:ENTRIES])
    return SparseTensor(
        np.stack(np.unravel_index(asked, typical.shape), axis=1),
        rng.poisson(typical.ravel()[asked]),
        modes=("person", "dish", "hour"),
        labels=(_named(jobs), _flat(DISHES), _flat(TIMES)),
    )


def _named(jobs: NDArray[np.str_]) -> list[str]:
    """Return a name and job for each person; persons of the same job have different names."""
    unused = {job: iter(NAMES) for job in set(jobs)}
    return [f"{next(unused[job])} ({job})" for job in jobs]


def _flat(groups: Mapping[str, Iterable[Label]]) -> list[Label]:
    return [label for group in groups.values() for label in group]
