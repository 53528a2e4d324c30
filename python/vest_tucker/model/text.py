"""The summary that ``print`` shows of a model: why it stopped, its errors, zeros of each part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.data.labels import default_names, some
from vest_tucker.model.offset import Offset

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

WHY_STOPPED = {
    "converged": "converged",
    "max_iter": "reached max_iter",
    "validation": "no longer better on the entries held back",
    "callback": "stopped by the callback",
    "interrupted": "interrupted",
    "path": "a stop of a path",
}
BASELINE = "baseline"  # the value of ``stopped`` of a model that is an offset alone
LEARNED = {"folded in", "updated"}  # values of ``stopped`` after learning from new entries
WIDTH = 10  # least width of the column with the names of parts
LISTED = 8  # number of components that are listed before "and more"


def lines(model: TuckerModel) -> Iterator[str]:
    """Yield the lines of the summary: what the model is, and how good it is."""
    named = model.modes != default_names(model.order)
    names = f" ({', '.join(model.modes)})" if named else ""
    before = "" if model.ranks_before is None else f"{times(model.ranks_before)} -> "
    ranks = f"{before}{times(model.ranks)}"
    yield f"Tucker model of a {times(model.shape)} tensor{names}, ranks {ranks}"
    if model.penalty == "bayes":
        yield from _lines_of_bayes(model)
    elif model.stopped == BASELINE:
        yield f"  fitted to   {model.nnz:,} entries: a baseline, the offset alone"
    elif model.stopped:
        scaled = "" if model.lam == model.lam_used else f" ({model.lam_used:.4g} after scaling)"
        charged = f"{model.penalty.upper()} penalty, lam {model.lam:g}{scaled}"
        weight = ""
        if model.row_totals is not None:
            weight = f" that weigh {model.row_totals[0].sum():,.6g}"
        yield f"  fitted to   {model.nnz:,} entries{weight}, {charged}"
        if model.chosen:
            yield f"              {model.chosen}"
        yield _how_it_ended(model)
    if model.penalty != "bayes" and not math.isnan(model.baseline_error):
        baseline = f"always predicting the mean {model.baseline_error:.4f}"
        yield f"  error       {model.error:.4f}, {baseline}"
        if model.stopped != BASELINE:
            yield f"              {_verdict_of(model)}"
    if model.offset is not None:
        yield f"  offset      {offset_line(model.offset)}"
    if not math.isnan(model.noise):
        each = "" if model.row_totals is None else " of an entry of weight 1"
        yield f"  noise       standard deviation {math.sqrt(model.noise):.4g}{each}"
    if model.penalty != "bayes" and not math.isnan(model.validation_error):
        yield f"  held back   {held_back_line(model.validation_error, model.validation_baseline)}"
    if model.stopped == BASELINE:
        return
    yield f"  sparsity    {model.sparsity:.3f} ({model.n_nonzero:,} elements are not zero)"
    yield from parts_table(model.core, model.factors, part_names(model.modes))


def _lines_of_bayes(model: TuckerModel) -> Iterator[str]:
    """Yield what a fit with variances has found, first its error on entries held out."""
    if model.stopped in LEARNED:
        yield f"  fitted to   {model.nnz:,} entries in all, error {model.error:.4f} on the newest"
        yield _how_it_ended(model)
        return
    if math.isnan(model.validation_error):
        yield "  held out    nothing: how good the model is on other entries was not measured"
    else:
        yield f"  held out    {held_out_line(model)}"
        yield f"              {held_out_verdict(model)}"
    chosen, _, others = model.chosen.partition("; ")
    weight = "" if model.row_totals is None else f" that weigh {model.row_totals[0].sum():,.6g}"
    trial = of_all_entries(model)
    n = f"{trial} entries{weight}, a trial" if trial else f"{model.nnz:,} entries{weight}"
    yield f"  fitted to   {n}, error {model.error:.4f} on these"
    if chosen:
        yield f"  structure   {chosen}"
    if others:
        yield f"              {others}"
    if model.shares:
        yield f"  explained   {shares_line(model.shares)}"
    yield _how_it_ended(model)


def of_all_entries(model: TuckerModel) -> str:
    """Say how many of all entries a fit used that was stopped at a trial; "" if it used all."""
    data = (model.made or {}).get("data") or {}
    n = data.get("nnz", 0)
    stopped = model.stopped in ("interrupted", "callback")
    return f"{model.nnz:,} of {n:,}" if stopped and model.nnz < n else ""


def held_out_line(model: TuckerModel) -> str:
    """Say how large the error on entries that were not fitted is, beside mean and biases."""
    return (
        f"error {model.validation_error:.4f} on {model.validation_entries:,} entries not fitted; "
        f"the mean {model.validation_mean:.4f}, biases {model.validation_baseline:.4f}"
    )


def held_out_verdict(model: TuckerModel) -> str:
    """Say how much better or worse that is than the better one of mean and biases."""
    mean, biases = model.validation_mean, model.validation_baseline
    name, best = ("the mean", mean) if mean <= biases else ("biases alone", biases)
    if not best > 0.0:
        return "the mean is exact"
    share = 1.0 - model.validation_error / best
    if abs(share) < 0.005:
        return f"no better than {name}: the entries hold nothing more that could be found"
    return f"{100 * abs(share):.0f} % {'lower' if share > 0.0 else 'HIGHER'} than {name}"


def shares_line(shares: Sequence[float]) -> str:
    """Say what effects of one mode, pairs, triples and more explain.

    Examples
    --------
    >>> shares_line((0.61, 0.35, 0.04))
    'effects of one mode 61 %, pairs 35 %, triples 4 %'
    """
    words = ["effects of one mode", "pairs", "triples"]
    named = [
        f"{words[k] if k < len(words) else f'{k + 1} modes'} {100 * share:.0f} %"
        for k, share in enumerate(shares)
    ]
    return ", ".join(named)


def _how_it_ended(model: TuckerModel) -> str:
    if model.stopped in LEARNED:
        learned = f"{model.stopped}, {model.seconds:.3g} s; errors are those on the new entries"
        return f"  since then  {learned}"
    iterations = f"{model.n_iter} iteration{'' if model.n_iter == 1 else 's'}"
    why = WHY_STOPPED.get(model.stopped, model.stopped)
    if model.stopped == "max_iter" and model.history and model.history[-1].prune_rate > 0.0:
        why += " while still pruning"
    return f"  stopped     {why} after {iterations}, {model.seconds:.3g} s"


def offset_line(offset: Offset) -> str:
    """Say what is added to every prediction, and the error of that alone.

    Examples
    --------
    >>> offset_line(Offset("mean", 3.5, error=0.25))
    'mean 3.5, error alone 0.2500'
    """
    n_biases = offset.n_parameters - 1
    biases = f" and {n_biases:,} biases" if offset.kind == "biases" else ""
    alone = "" if math.isnan(offset.error) else f", error alone {offset.error:.4f}"
    return f"mean {offset.mean:.4g}{biases}{alone}"


def held_back_line(error: float, baseline: float) -> str:
    """Say how large the error on entries held back is, and that of the baseline alone.

    Examples
    --------
    >>> held_back_line(0.25, 0.2)
    'error 0.2500, WORSE than the baseline alone, 0.2000'
    >>> held_back_line(0.19, 0.2)
    'error 0.1900, the baseline alone 0.2000'
    """
    worse = "WORSE than " if error > baseline else ""
    return f"error {error:.4f}, {worse}the baseline alone{',' if worse else ''} {baseline:.4f}"


def level(kind: str | None) -> str:
    """Say what a model of zeros predicts, given the kind of its offset."""
    return {None: "0", "mean": "the mean"}.get(kind, "its biases alone")


def _verdict_of(model: TuckerModel) -> str:
    kind = None if model.offset is None else model.offset.kind
    if kind == "biases" and model.offset_is_exact:
        return "mean and biases alone explain the values"
    return verdict(model.error, model.baseline_error, zero=model.is_zero, offset=kind)


def part_names(modes: Sequence[str]) -> list[str]:
    """Return the names of the factors: those of their modes, if these were given names.

    Examples
    --------
    >>> part_names(("user", "mode_1"))
    ['user', 'factor 1']
    """
    defaults = default_names(len(modes))
    return [
        f"factor {mode}" if name == default else name
        for mode, (name, default) in enumerate(zip(modes, defaults, strict=True))
    ]


def times(dims: Iterable[int]) -> str:
    """Return dimensions as text.

    Examples
    --------
    >>> times((1000, 20))
    '1,000 x 20'
    """
    return " x ".join(f"{dim:,}" for dim in dims)


def verdict(error: float, baseline: float, *, zero: bool, offset: str | None = None) -> str:
    """Say how the error compares with that of always predicting the mean."""
    constant = baseline < 1e-12  # all values are equal, up to rounding of the mean
    if zero and not (constant and offset):
        remedy = "for a part of it is all zero: lower lam or the sparsity"
        return f"predicts {level(offset)} everywhere, {remedy}"
    if math.isnan(error):
        return "the fit was interrupted before the error of this model was known"
    if constant:
        return "all values are the same, so the mean is exact"
    if error > baseline:
        return "WORSE than always predicting the mean: try a lower sparsity or lam, or higher ranks"
    return f"{100 * (1 - error / baseline):.0f} % lower error than always predicting the mean"


def why_zero(lam: float, lam_used: float, rms: float, offset: str | None = None) -> str:
    """Say why a fit to values of this root mean square ended all zero, and what to try.

    With an offset, the values are the deviations from it.

    Examples
    --------
    >>> why_zero(5.0, 50.0, 0.1)
    'the model predicts 0 everywhere: lam=5 (50 after scaling) is too large for values whose root \
mean square is 0.1; try lam=0.05, or multiply the values by 10'
    """
    smaller = lam * min(rms**2, 0.1)  # the penalty works on the scale of the values squared
    start = f"the model predicts {level(offset)} everywhere: "
    if not smaller:
        return start + "lower the sparsity, or try another seed"
    return start + (
        f"lam={lam:g} ({lam_used:.4g} after scaling) is too large for "
        f"{'deviations' if offset else 'values'} whose root mean square is {rms:.3g}; try "
        f"lam={smaller:.2g}, or multiply the values by {max(1 / rms, 10):.2g}"
    )


def parts_table(core: Floats, factors: Sequence[Floats], names: Sequence[str]) -> Iterator[str]:
    """Yield a line per part with its number of zeros, and the rows and components of zeros only."""
    width = max(WIDTH, *(len(name) + 1 for name in names))
    yield f"    {'':<{width}}      zeros          of    share  empty rows"
    yield _zeros("core", core, width)
    empty: list[str] = []
    for name, factor in zip(names, factors, strict=True):
        rows = np.count_nonzero(~factor.any(axis=1))
        yield f"{_zeros(name, factor, width)} {rows:>11,}"
        components = [str(component) for component in np.flatnonzero(~factor.any(axis=0))]
        empty += [f"{some(components, LISTED)} of {name}"] if components else []
    if empty:
        yield f"    empty components: {'; '.join(empty)}"


def _zeros(name: str, part: Floats, width: int) -> str:
    zeros = part.size - int(np.count_nonzero(part))
    return f"    {name:<{width}}{zeros:>11,} {part.size:>11,} {100 * zeros / part.size:>6.1f} %"
