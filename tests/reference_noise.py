"""The judge of noise-aware updates: elements with variances, in slow, plain NumPy.

The model: x = B(alpha) + noise of variance ``noise``; each element has a Gaussian prior of mean 0,
whose precision is one per column of a factor and one for the core; what is known of the elements
is a product of Gaussians, each with a mean (the element's value) and a variance. Pruned elements
are zero and fixed ones are what they are: neither has a variance or a prior.

Two forms of the update. With *all terms*, an element moves to where the evidence bound, with all
others given, is highest: expected products of features take the place of products of expected
ones. *Only last*, which is what the kernels do, keeps the products at the means and adds to the
square of a feature what is not known of one mode's row (factors), or the second moments of all rows
(core).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

import reference
from reference import Bools, Floats, Problem


@dataclass
class NoisyProblem(Problem):
    """A problem whose elements have variances and priors."""

    variances: list[Floats] = field(default_factory=list)
    fixed: list[Bools] = field(default_factory=list)
    priors: list[Floats] = field(default_factory=list)  # of the core one, of a factor per column
    noise: float = 1.0
    ones: bool = False  # by_runs: the first column of every factor is one, and in no product

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.variances:
            self.variances = [np.zeros(part.shape) for part in self.parts]
        if not self.fixed:
            self.fixed = [np.zeros(part.shape, dtype=bool) for part in self.parts]
        if not self.priors:
            self.priors = [np.ones(1), *(np.ones(rank) for rank in self.core.shape)]
        for part, s in enumerate(self.variances):
            s[~self.live(part)] = 0.0

    def live(self, part: int) -> Bools:
        return ~self.pruned[part] & ~self.fixed[part]

    def precision(self, part: int) -> Floats:
        """The precision of the prior of each element."""
        return np.broadcast_to(self.priors[part], self.parts[part].shape)


# --- Expectations --------------------------------------------------------------------------------


def second_moments(p: NoisyProblem, mode: int) -> Floats:
    """E[a_j a_k] of the rows of a mode, for every entry: (entries, J, J)."""
    a = p.factors[mode][p.coords[:, mode]]
    s = p.variances[mode + 1][p.coords[:, mode]]
    moments: Floats = a[:, :, None] * a[:, None, :] + s[:, :, None] * np.eye(a.shape[1])
    return moments


def core_moments(p: NoisyProblem) -> Floats:
    """E[g_beta g_gamma] of the core: (P, P), elements in C order."""
    g = p.core.ravel()
    return np.outer(g, g) + np.diag(p.variances[0].ravel())


def expected_products(p: NoisyProblem, but: int | None = None) -> Floats:
    """E of the products over the modes (but one) of a_{beta_n} a_{gamma_n}: (entries, P, P)."""
    out = np.ones((len(p.values), p.core.size, p.core.size))
    index = np.array(list(np.ndindex(p.core.shape)))
    for n in range(p.core.ndim):
        if n != but:
            out *= second_moments(p, n)[:, index[:, n][:, None], index[:, n][None, :]]
    return out


def expected_squares(p: NoisyProblem) -> Floats:
    """E[(x - B(alpha))^2] for every entry."""
    square = np.einsum("ebc,bc->e", expected_products(p), core_moments(p))
    b = reference.predict(p)
    out: Floats = p.values**2 - 2.0 * p.values * b + square
    return out


def bound(p: NoisyProblem) -> float:
    """The evidence bound: E[log p(x, elements)] - E[log q(elements)]."""
    noise = 2.0 * math.pi * p.noise
    total = -0.5 * float(np.sum(math.log(noise) + expected_squares(p) / p.noise))
    for part, (m, s) in enumerate(zip(p.parts, p.variances, strict=True)):
        live = p.live(part)
        m, s, prior = m[live], s[live], p.precision(part)[live]
        log_prior = 0.5 * np.log(prior / (2.0 * math.pi)) - 0.5 * prior * (m**2 + s)
        entropy = 0.5 * np.log(2.0 * math.pi * math.e * s)
        total += float(np.sum(log_prior + entropy))
    return total


# --- What an element's feature does not know -----------------------------------------------------


def table(p: Problem, mode: int, last: int) -> Floats:
    """d delta(j) / d a(last)_q for every entry: (entries, J_last, J_mode)."""
    cols = reference.columns(p)
    out = np.zeros((len(p.values), p.core.shape[last], p.core.shape[mode]))
    for beta in np.ndindex(p.core.shape):
        without = [c if n != last else np.ones_like(c) for n, c in enumerate(cols)]
        out[:, beta[last], beta[mode]] += p.core[beta] * reference.product(without, beta, but=mode)
    return out


def variance_of_last(p: NoisyProblem, mode: int, last: int) -> Floats:
    """The part of Var delta that comes from the row of one other mode: (entries, J_mode)."""
    s = p.variances[last + 1][p.coords[:, last]]
    out: Floats = np.einsum("eq,eqj->ej", s, table(p, mode, last) ** 2)
    return out


def variance_by_runs(p: NoisyProblem, mode: int) -> Floats:
    """Var delta as if the products that delta is a sum of were independent of each other.

    Each product's own variance is complete, but for the core, which is taken to be known.
    """
    out = np.zeros((len(p.values), p.core.shape[mode]))
    for beta in np.ndindex(p.core.shape):
        square, moment = np.ones(len(out)), np.ones(len(out))
        for n, j in enumerate(beta):
            if n == mode or (p.ones and j == 0):
                continue
            a = p.factors[n][p.coords[:, n], j]
            square *= a**2
            moment *= a**2 + p.variances[n + 1][p.coords[:, n], j]
        out[:, beta[mode]] += p.core[beta] ** 2 * (moment - square)
    return out


# --- Updates -------------------------------------------------------------------------------------


def step(h: float, v: float, own: float, prior: float, noise: float) -> tuple[float, float]:
    """The element's value and variance; an element that no entry feels (v = 0) becomes zero."""
    denominator = v + own + prior * noise
    return (h / denominator if v > 0.0 else 0.0), noise / denominator


def update_factor(
    p: NoisyProblem,
    mode: int,
    last: int | None,
    *,
    by_runs: bool = False,
    nonnegative: bool = False,
) -> None:
    """One sweep over the live elements of A(mode). ``last=None``: with all terms."""
    a, s = p.factors[mode], p.variances[mode + 1]
    rank = a.shape[1]
    deltas = reference.delta(p, mode)
    if by_runs:
        own = variance_by_runs(p, mode)
    elif last is not None:
        own = variance_of_last(p, mode, last)
    else:
        own = np.zeros(deltas.shape)
        both = expected_products(p, but=mode) * core_moments(p)
        index = np.array(list(np.ndindex(p.core.shape)))[:, mode]
        group = (index[:, None] == np.arange(rank)).astype(float)
        products = np.einsum("ebc,bj,ck->ejk", both, group, group)
    for i in range(a.shape[0]):
        here = p.coords[:, mode] == i
        d, x = deltas[here], p.values[here]
        v = products[here].sum(axis=0) if last is None and not by_runs else d.T @ d
        b = d.T @ x
        for j in range(rank):
            if not p.live(mode + 1)[i, j]:
                continue
            h = b[j] - sum(v[j, t] * a[i, t] for t in range(rank) if t != j)
            own_j = float(np.sum(own[here, j]))
            value, s[i, j] = step(h, v[j, j], own_j, p.priors[mode + 1][j], p.noise)
            a[i, j] = reference.allowed(value, nonnegative)


def update_core(p: NoisyProblem, all_terms: bool, nonnegative: bool = False) -> None:
    """One sweep over the live elements of G in C order."""
    cols = reference.columns(p)
    phi = np.array([reference.product(cols, beta) for beta in np.ndindex(p.core.shape)]).T
    v = phi.T @ phi
    moment = np.zeros(p.core.size)
    for k, beta in enumerate(np.ndindex(p.core.shape)):
        each = [second_moments(p, n)[:, j, j] for n, j in enumerate(beta)]
        moment[k] = float(np.sum(np.prod(each, axis=0)))
    own = moment - np.diag(v)
    if all_terms:
        v, own = expected_products(p).sum(axis=0), np.zeros(len(v))
    b, g, s = phi.T @ p.values, p.core.reshape(-1), p.variances[0].reshape(-1)
    for k in range(len(g)):
        if not p.live(0).flat[k]:
            continue
        h = b[k] - sum(v[k, t] * g[t] for t in range(len(g)) if t != k)
        value, s[k] = step(h, v[k, k], own[k], p.priors[0][0], p.noise)
        g[k] = reference.allowed(value, nonnegative)
