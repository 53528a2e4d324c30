"""The summary that ``print`` shows of a stability study: errors, and a table for each mode."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.base.text_table import shorten_all
from vest_tucker.base.types import Floats
from vest_tucker.data.label_arrays import listed
from vest_tucker.data.labels import default_names, some
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.model.frames import top_rows
from vest_tucker.model.text import LISTED, part_names, times
from vest_tucker.studies.stability.frames import mean_of_others

if TYPE_CHECKING:
    from vest_tucker.studies.stability.result import Stability

LABELS = 4  # number of labels shown for a component
LONGEST = 20  # number of characters shown of a label
MOST = 20  # number of components shown of a mode


def lines(result: Stability) -> Iterator[str]:
    """Yield the lines of the summary: how the fits differ, and what they have in common."""
    model, others = result.reference, len(result.models) - 1
    named = model.modes != default_names(model.order)
    names = f" ({', '.join(model.modes)})" if named else ""
    fits = f"{len(result.models)} fit{'' if others == 0 else 's'}"
    yield f"{fits} of a {times(model.shape)} tensor{names}, ranks {times(model.ranks)}"
    yield from structure_lines(result)
    errors = spread([each.error for each in result.models], 4)
    yield f"  error       {errors}; always predicting the mean {model.baseline_error:.4f}"
    yield f"  sparsity    {spread([each.sparsity for each in result.models], 3)}"
    empty = sum(each.is_zero for each in result.models)
    if empty:
        yield f"  empty       {empty} fits, which have nothing to say: lower lam or the sparsity"
    seed = f"seed={result.seeds[result.best]}"
    yield f"  reference   the fit of lowest error, {model.error:.4f} ({seed})"
    if not others:
        yield "  There is no other fit to compare it with."
        return
    enough = f"{result.threshold:g} or more"
    yield f"A component comes back in another fit if the similarity with its match is {enough};"
    yield "a label with a share is zero in the rest of the fits in which its component comes back."
    for mode, name in enumerate(part_names(model.modes)):
        yield from mode_table(result, mode, name)
    yield from core_lines(result)


def structure_lines(result: Stability) -> Iterator[str]:
    """Yield which ranks and structures the fits have found, if they were free to find others.

    The first is that of the reference.
    """
    models = [result.reference, *result.models]
    for title, found in (
        ("structures", [model.chosen.partition("; ")[0] for model in models]),
        ("ranks", [times(model.ranks) for model in models]),
    ):
        counts = Counter(found)
        counts[found[0]] -= 1  # the reference is among the models, too
        if len(counts) > 1:
            listed = [f"{what or 'none'} in {n}" for what, n in counts.items()]
            yield f"  {title:<11} {some(listed, LISTED)}"


def mode_table(result: Stability, mode: int, name: str) -> Iterator[str]:
    """Yield a line per component of one mode."""
    found, others = result.modes[mode], len(result.models) - 1
    components = np.flatnonzero(found.exists)
    chance = "" if math.isnan(found.chance) else f", by chance {found.chance:.2f}"
    yield f"  {name}{chance}"
    if len(components):
        yield "    component  comes back  similarity  strongest labels"
    similarity = mean_of_others(found.similarity)
    for component in components[:MOST]:
        back = f"{found.returned[:, component].sum()} of {others}"
        labels = ", ".join(strongest(result, mode, component))
        yield f"    {component:>9}  {back:>10}  {similarity[component]:>10.2f}  {labels}"
    if len(components) > MOST:
        yield f"    and {len(components) - MOST} more, see components_frame()"
    first = int(result.reference.constant)  # a constant column is not pruned away, nor a component
    pruned = [str(first + component) for component in np.flatnonzero(~found.exists[first:])]
    if pruned:
        yield f"    pruned away in the reference: {some(pruned, LISTED)}"


def strongest(result: Stability, mode: int, component: int) -> Iterator[str]:
    """Yield the strongest labels of a component, with their share of fits if it is below 1."""
    found = result.modes[mode]
    rows = top_rows(found.loading, int(component), LABELS)
    labels = result.reference._named.decode(mode, rows)
    texts = shorten_all([plain_text(label) for label in listed(labels)], LONGEST)
    for text, share in zip(texts, found.nonzero[rows, component], strict=True):
        yield text + (f" ({100 * share:.0f} %)" if share < 1.0 else "")


def core_lines(result: Stability) -> Iterator[str]:
    """Yield how much of the core comes back."""
    core, others = result.core, len(result.models) - 1
    returns = core.returned.sum(axis=0)[core.value.ravel() != 0.0]
    yield f"  core, similarity {core.similarity.mean():.2f}"
    often, always = (returns * 2 >= others).sum(), (returns == others).sum()
    half = f"in at least half of the others {often:,} of {len(returns):,}"
    yield f"    interactions that come back: {half}, in all of them {always:,}"


def spread(values: Sequence[float], digits: int) -> str:
    """Return mean and range of some numbers.

    Examples
    --------
    >>> spread([0.25, 0.5, 0.3], 2), spread([0.25], 2)
    ('0.35 ± 0.13 (0.25 to 0.50)', '0.25')
    """
    array: Floats = np.asarray(values)
    if len(array) == 1:
        return f"{array[0]:.{digits}f}"
    mean, deviation = array.mean(), array.std(ddof=1)
    ends = f"{array.min():.{digits}f} to {array.max():.{digits}f}"
    return f"{mean:.{digits}f} ± {deviation:.{digits}f} ({ends})"
