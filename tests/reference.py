"""The judge: every rule of the VeST paper in slow, plain NumPy, one element at a time.

Nothing here is clever, and nothing comes from vest_tucker. A core element is updated with the whole
residual, a factor element with the whole of its row; responsibilities exist twice, once by their
definition (set the element to zero and measure again). ``tests/data`` holds fits to match.

A *part* is a number: 0 for the core G, n + 1 for the factor A(n). Notation as in the paper: entry
alpha with value x, prediction B(alpha), residual r = x - B(alpha), delta of mode n, rate pr. Where
entries have weights w, every sum over entries has the factor w.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Coords = NDArray[np.int32]


@dataclass
class Problem:
    """Observed entries, a present model, and the marking table of pruned elements per part."""

    coords: Coords
    values: Floats
    core: Floats
    factors: list[Floats]
    shape: tuple[int, ...] = field(init=False)
    pruned: list[Bools] = field(default_factory=list)
    kept: list[Bools] = field(default_factory=list)  # updated, but never pruned
    last_batch: list[tuple[int, int]] = field(default_factory=list)
    weights: Floats | None = None

    def __post_init__(self) -> None:
        self.coords = np.ascontiguousarray(self.coords, dtype=np.int32)
        self.core = np.array(self.core, dtype=np.float64)
        self.factors = [np.array(a, dtype=np.float64) for a in self.factors]
        self.shape = tuple(len(a) for a in self.factors)
        self.w = np.ones(len(self.values)) if self.weights is None else self.weights
        if not self.pruned:
            self.pruned = [np.zeros(part.shape, dtype=bool) for part in self.parts]
        if not self.kept:
            self.kept = [np.zeros(part.shape, dtype=bool) for part in self.parts]

    @property
    def parts(self) -> list[Floats]:
        return [self.core, *self.factors]


# --- Prediction, error, loss ---------------------------------------------------------------------


def columns(p: Problem) -> list[Floats]:
    """``columns(p)[n][j]`` is a(n)_{i_n j} of every entry."""
    return [a[p.coords[:, n]].T.copy() for n, a in enumerate(p.factors)]


def product(cols: list[Floats], beta: Sequence[int], but: int | None = None) -> Floats:
    """The product over the modes n (but one) of a(n)_{i_n j_n}, for every entry."""
    out = np.ones(cols[0].shape[1])
    for n, j in enumerate(beta):
        if n != but:
            out *= cols[n][j]
    return out


def predict(p: Problem) -> Floats:
    """Entry-wise reconstruction B(alpha)."""
    cols = columns(p)
    out = np.zeros(len(p.values))
    for beta in np.ndindex(p.core.shape):
        out += p.core[beta] * product(cols, beta)
    return out


def residuals(p: Problem) -> Floats:
    return p.values - predict(p)


def error(p: Problem) -> float:
    """RE, the reconstruction error over the observed entries relative to their norm."""
    return math.sqrt(squared_error(p)) / math.sqrt(float(np.sum(p.w * p.values**2)))


def squared_error(p: Problem) -> float:
    return float(np.sum(p.w * residuals(p) ** 2))


def penalised_loss(p: Problem, loss: str, lam: float) -> float:
    """L_F or L_1: squared residuals plus lambda times the squares, or sizes, of all elements."""
    penalty = sum(float(np.sum(a**2 if loss == "lf" else np.abs(a))) for a in p.parts)
    return squared_error(p) + lam * penalty


def delta(p: Problem, mode: int) -> Floats:
    """delta(j) of one mode for every entry, as an array (entries, J)."""
    cols = columns(p)
    out = np.zeros((len(p.values), p.core.shape[mode]))
    for beta in np.ndindex(p.core.shape):
        out[:, beta[mode]] += p.core[beta] * product(cols, beta, but=mode)
    return out


def variance(p: Problem, variances: Sequence[Floats]) -> Floats:
    """Var B(alpha) = sum over all elements e of s_e (dB/de)^2; one array of s_e per part."""
    cols = columns(p)
    out = np.zeros(len(p.values))
    for beta in np.ndindex(p.core.shape):
        out += variances[0][beta] * product(cols, beta) ** 2
    for n in range(p.core.ndim):
        out += np.sum(variances[n + 1][p.coords[:, n]] * delta(p, n) ** 2, axis=1)
    return out


def variance_by_differences(p: Problem, variances: Sequence[Floats], step: float = 1e-4) -> Floats:
    """The same, by changing one element after the other and predicting again."""
    out = np.zeros(len(p.values))
    for part, s in zip(p.parts, variances, strict=True):
        for e in np.ndindex(part.shape):
            before = part[e]
            part[e] = before + step
            more = predict(p)
            part[e] = before - step
            out += s[e] * ((more - predict(p)) / (2 * step)) ** 2
            part[e] = before
    return out


# --- Updates -------------------------------------------------------------------------------------


def best_value(h: float, v: float, loss: str, lam: float) -> float:
    """Minimiser in one element, from h = sum of f (x - all other terms) and v = sum of f^2.

    For L_1 this is the paper's core rule, g = -2 h and d = 2 v; the printed factor rule has lost
    its sign and a bracket. An element that no entry feels (v = 0) becomes zero.
    """
    if v == 0.0:
        return 0.0
    if loss == "lf":
        return h / (v + lam)
    g, d = -2.0 * h, 2.0 * v
    if g > lam:
        return (lam - g) / d
    if g < -lam:
        return -(lam + g) / d
    return 0.0


def allowed(value: float, nonnegative: bool) -> float:
    """The best value that is not below zero, where none may be: the loss has one minimum."""
    return max(0.0, value) if nonnegative else value


def update_factor(
    p: Problem,
    mode: int,
    loss: str,
    lam: float,
    row_weight: Floats | None = None,
    nonnegative: bool = False,
) -> None:
    """One sweep over the unpruned elements of A(mode): rows in turn, j = 0, 1, ... in each.

    Row i pays lam times row_weight[i].
    """
    deltas, a = delta(p, mode), p.factors[mode]
    for i in range(a.shape[0]):
        here = p.coords[:, mode] == i
        d, x, w = deltas[here], p.values[here], p.w[here]
        pays = lam if row_weight is None else lam * float(row_weight[i])
        for j in range(a.shape[1]):
            if p.pruned[mode + 1][i, j]:
                continue
            v = [float(np.sum(w * d[:, t] * d[:, j])) for t in range(a.shape[1])]
            others = sum(v[t] * a[i, t] for t in range(a.shape[1]) if t != j)
            best = best_value(float(np.sum(w * x * d[:, j])) - others, v[j], loss, pays)
            a[i, j] = allowed(best, nonnegative)


def update_core(p: Problem, loss: str, lam: float, nonnegative: bool = False) -> None:
    """One Gauss-Seidel sweep over the unpruned elements of G in C order."""
    cols, r = columns(p), residuals(p)
    for beta in np.ndindex(p.core.shape):
        if p.pruned[0][beta]:
            continue
        f = product(cols, beta)
        without = r + p.core[beta] * f  # the residual with this element out of the sum
        h, v = float(np.sum(p.w * without * f)), float(np.sum(p.w * f * f))
        best = best_value(h, v, loss, lam)
        p.core[beta] = allowed(best, nonnegative)
        r = without - p.core[beta] * f


# --- Responsibility and pruning ------------------------------------------------------------------


def responsibilities_by_definition(p: Problem, part: int) -> Floats:
    """RE(e)^2 ||X||^2 - RE^2 ||X||^2 with RE(e) measured after setting e to zero."""
    a, before = p.parts[part], squared_error(p)
    out = np.zeros(a.shape)
    for at in np.ndindex(a.shape):
        kept, a[at] = a[at], 0.0
        out[at] = squared_error(p) - before
        a[at] = kept
    return out


def responsibilities(p: Problem, part: int) -> Floats:
    """The same number as 2 e sum(r f) + e^2 sum(f^2), f what one unit of e adds to an entry.

    It orders elements as Resp(e) does, and without the cancellation of the definition; a pruned
    element, being zero, has none.
    """
    a, r = p.parts[part], residuals(p)
    out = np.zeros(a.shape)
    cols = columns(p)
    deltas = delta(p, part - 1) if part else r
    for at in np.ndindex(a.shape):
        if part:
            here = p.coords[:, part - 1] == at[0]
            f, rest, w = deltas[here, at[1]], r[here], p.w[here]
        else:
            f, rest, w = product(cols, at), r, p.w
        out[at] = 2.0 * a[at] * float(np.sum(w * rest * f)) + a[at] ** 2 * float(np.sum(w * f * f))
    return out


def is_free(p: Problem, part: int, e: int) -> bool:
    return not (p.pruned[part].flat[e] or p.kept[part].flat[e])


def prune(p: Problem, counts: Sequence[int]) -> None:
    """From each part that many unpruned elements of lowest responsibility, all at one state."""
    orders = [np.argsort(responsibilities(p, k).ravel(), kind="stable") for k in range(len(counts))]
    batch = []
    for part, order in enumerate(orders):  # a stable sort: ties to the lower flat index
        free = [int(e) for e in order if is_free(p, part, int(e))]
        batch += [(part, e) for e in free[: counts[part]]]
    _mark(p, batch)


def prune_global(p: Problem, count: int) -> None:
    """The least responsible unpruned elements anywhere; ties to the core, then in mode order."""
    scores = [
        (k, e, s) for k in range(len(p.parts)) for e, s in enumerate(responsibilities(p, k).flat)
    ]
    free = [(part, e, s) for part, e, s in scores if is_free(p, part, e)]
    _mark(p, [(part, e) for part, e, _ in sorted(free, key=lambda item: item[2])[:count]])


def _mark(p: Problem, batch: list[tuple[int, int]]) -> None:
    for part, e in batch:
        p.parts[part].flat[e] = 0.0
        p.pruned[part].flat[e] = True
    p.last_batch = batch


def revive(p: Problem) -> int:
    """Take the marks off the last batch; its values grow again from zero."""
    revived, p.last_batch = p.last_batch, []
    for part, e in revived:
        p.pruned[part].flat[e] = False
    return len(revived)


# --- Algorithm 1 ---------------------------------------------------------------------------------


def prune_rate(t: int, init: float = 0.01, most: float = 0.1) -> float:
    """pr_t for t = 1, 2, ..."""
    return min(init * t, most)


def batch_size(rate: float, size: int, target: int, pruned: int) -> int:
    """At least one element, never past the target."""
    return min(max(1, math.floor(rate * size)), target - pruned)


def targets(p: Problem, sparsity: float | str) -> list[int]:
    """How many elements of each part pruning may take."""
    if sparsity == "auto":  # a factor keeps one element per row on average, the core max(J)
        return [p.core.size - max(p.core.shape), *(a.size - a.shape[0] for a in p.factors)]
    return [math.ceil(float(sparsity) * part.size) for part in p.parts]


def past_the_elbow(errors: Sequence[float], rate: float, elbow: float = 0.05) -> bool:
    """The error bends up (second difference over the rate) while rising, or is far off its best."""
    if errors[-1] >= 1.3 * min(errors):
        return True
    if len(errors) < 3 or errors[-1] <= errors[-2]:
        return False
    return (errors[-1] + errors[-3] - 2.0 * errors[-2]) / rate > elbow


@dataclass
class Trace:
    """After each iteration: RE (before its pruning), shares of zeros and of pruned (after it)."""

    error: list[float] = field(default_factory=list)
    zeros: list[float] = field(default_factory=list)
    pruned: list[float] = field(default_factory=list)


def fit(
    p: Problem,
    loss: str,
    lam: float,
    sparsity: float | str,
    iterations: int,
    allocation: str = "per_matrix",
    tol: float | None = None,
) -> Trace:
    """Algorithm 1 on ``p`` itself, not standardized; ``sparsity`` a target or "auto"."""
    trace, total = Trace(), sum(part.size for part in p.parts)
    goals = targets(p, sparsity)
    goal = sum(goals)
    if allocation == "global":  # one list, one target; the oracle fixes it for manual targets only
        goal = math.ceil(float(sparsity) * total)
    pruning = goal > 0
    for t in range(1, iterations + 1):
        ended = not pruning  # the end is looked for only after an iteration that pruned nothing
        for mode in range(len(p.factors)):
            update_factor(p, mode, loss, lam)
        update_core(p, loss, lam)
        trace.error.append(error(p))
        rate = prune_rate(t)
        if pruning and sparsity == "auto" and past_the_elbow(trace.error, rate):
            revive(p)
            pruning = False
        if pruning:
            done = [int(mask.sum()) for mask in p.pruned]
            if allocation == "global":
                prune_global(p, batch_size(rate, total, goal, sum(done)))
            else:
                sizes = [part.size for part in p.parts]
                prune(p, [batch_size(rate, *s) for s in zip(sizes, goals, done, strict=True)])
            pruning = sum(int(mask.sum()) for mask in p.pruned) < goal
        trace.zeros.append(sum(int(np.sum(part == 0.0)) for part in p.parts) / total)
        trace.pruned.append(sum(int(mask.sum()) for mask in p.pruned) / total)
        if ended and tol is not None and t > 1 and 0 <= trace.error[-2] - trace.error[-1] <= tol:
            break
    return trace
