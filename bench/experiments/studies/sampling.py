"""Whether posterior samples predict better than the means of a plain call, at the same zeros.

    VEST_DATA=folder .venv/bin/python bench/experiments/studies/sampling.py

Fits ML_small, random nine tenths of it, and goes on from there by Gibbs sampling in plain NumPy:
rows of each factor are drawn from the normal distribution that the other parts leave them, with the
zeros of the model as they are, then the core and the noise. Predictions of the other tenth are
averaged over the samples. Priors stay as the fit has found them, or are drawn as well. Prints
relative errors for three splits, of the model that the call returns and of one without zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import numpy as np
from plain_targets import ml_small, splits

import vest_tucker as vt
from vest_tucker.fitting.noise.call import Builder
from vest_tucker.fitting.noise.finish import Found

BURN_IN = 10  # sweeps from the model that are not averaged
SAMPLES = 60


def fitted(train: vt.SparseTensor, sparsity: str | float) -> tuple[vt.TuckerModel, Found]:
    """Return the model of a plain call, and the parts and priors that it was made of."""
    with mock.patch.object(
        Builder, "model_of", autospec=True, side_effect=Builder.model_of
    ) as made:
        model = vt.fit(train, seed=0, sparsity=sparsity, threads=1)  # type: ignore[arg-type]
    return model, made.call_args.args[1]


class Sampler:
    """Core and factors of a found model, drawn anew again and again."""

    def __init__(
        self, X: vt.SparseTensor, found: Found, rng: np.random.Generator, *, draw_priors: bool
    ) -> None:
        self.X, self.rng, self.draw_priors = X, rng, draw_priors
        self.offset = found.offset
        self.values = X.values - self.added(X.coords)
        self.core, *self.factors = (each.copy() for each in found.parts.values)
        self.live = [each > 0.0 for each in found.parts.variances]
        self.precision = [each.copy() for each in found.priors.precision]
        self.noise = found.priors.noise
        alive = [factor.any(axis=0) for factor in self.factors]
        met = np.argwhere(self.core != 0.0)
        self.relations = [at for at in map(tuple, met) if all(map(np.take, alive, at))]

    def added(self, coords: np.ndarray) -> np.ndarray | float:
        """Return what the offset predicts."""
        return 0.0 if self.offset is None else self.offset.values_at(coords)

    def term(self, at: tuple[int, ...], coords: np.ndarray, but: int | None = None) -> np.ndarray:
        """Return the product of the factors that a core element joins, one of them left out."""
        product = np.ones(len(coords))
        for mode, j in enumerate(at):
            if mode != but:
                product *= self.factors[mode][coords[:, mode], j]
        return product

    def predict(self, coords: np.ndarray) -> np.ndarray:
        """Return predictions without the offset."""
        total = np.zeros(len(coords))
        for at in self.relations:
            total += self.core[at] * self.term(at, coords)
        return total

    def drawn(self, precision: np.ndarray, pull: np.ndarray) -> np.ndarray:
        """Draw from normal distributions with these matrices of precision."""
        mean = np.linalg.solve(precision, pull[..., None])
        noise = self.rng.standard_normal(mean.shape)
        upper = np.swapaxes(np.linalg.cholesky(precision), -1, -2)
        return (mean + np.linalg.solve(upper, noise))[..., 0]

    def draw_factor(self, mode: int) -> None:
        """Draw the elements of all rows that are not zero."""
        live, factor, coords = self.live[mode + 1], self.factors[mode], self.X.coords
        columns = np.flatnonzero(live.any(axis=0))
        features = np.zeros((self.X.nnz, factor.shape[1]))
        for at in self.relations:
            features[:, at[mode]] += self.core[at] * self.term(at, coords, but=mode)
        given = np.where(live, 0.0, factor)[coords[:, mode]]  # the constant column
        left = self.values - np.einsum("ij,ij->i", features, given)
        order = np.argsort(coords[:, mode], kind="stable")
        rows, first = np.unique(coords[order, mode], return_index=True)
        sorted_features = features[order][:, columns]
        squares = np.einsum("ij,ik->ijk", sorted_features, sorted_features)
        free = live[np.ix_(rows, columns)]
        V = np.add.reduceat(squares, first) / self.noise * (free[:, :, None] & free[:, None, :])
        b = np.add.reduceat(sorted_features * left[order, None], first) / self.noise * free
        diagonal = np.arange(len(columns))
        V[:, diagonal, diagonal] += np.where(free, self.precision[mode + 1][columns], 1.0)
        block = np.ix_(rows, columns)
        factor[block] = np.where(free, self.drawn(V, b), factor[block])

    def draw_core(self) -> None:
        """Draw the elements of the core that are not given: of effects and pairs, the mean."""
        some = [at for at in self.relations if self.live[0][at]]
        features = np.stack([self.term(at, self.X.coords) for at in some], axis=1)
        now = np.array([self.core[at] for at in some])
        left = self.values - self.predict(self.X.coords) + features @ now
        prior = np.diag(np.full(len(some), self.precision[0][0]))
        found = self.drawn(
            features.T @ features / self.noise + prior, features.T @ left / self.noise
        )
        for at, value in zip(some, found, strict=True):
            self.core[at] = value

    def sweep(self) -> None:
        """Draw everything once."""
        for mode in range(self.X.order):
            if self.live[mode + 1].any():
                self.draw_factor(mode)
        self.draw_core()
        left = self.values - self.predict(self.X.coords)
        self.noise = float(left @ left) / self.rng.chisquare(self.X.nnz)
        if self.draw_priors:
            for live, factor, own in zip(
                self.live[1:], self.factors, self.precision[1:], strict=True
            ):
                for j in np.flatnonzero(live.any(axis=0)):
                    squares = float(np.sum(factor[live[:, j], j] ** 2))
                    own[j] = 2.0 * self.rng.gamma(live[:, j].sum() / 2.0 + 1.0) / squares

    def averaged(self, test: vt.SparseTensor) -> float:
        """Return the relative error of predictions averaged over the samples."""
        total = np.zeros(test.nnz)
        for number in range(BURN_IN + SAMPLES):
            self.sweep()
            if number >= BURN_IN:
                total += self.predict(test.coords)
        left = test.values - self.added(test.coords) - total / SAMPLES
        return float(np.linalg.norm(left)) / test.norm


def rows() -> Iterator[str]:
    """Yield a row of figures for each split and sparsity."""
    for number, (train, test) in enumerate(splits(ml_small())):
        for sparsity in ("auto", 0.0):
            model, found = fitted(train, sparsity)
            errors = [vt.relative_error(model, test)]
            for draw_priors in (False, True):
                rng = np.random.default_rng(1)
                errors.append(Sampler(train, found, rng, draw_priors=draw_priors).averaged(test))
            means, kept, drawn = (f"{each:.4f}" for each in errors)
            yield (
                f"split {number}, sparsity={sparsity}: means {means}, samples {kept}, and with "
                f"priors drawn {drawn}"
            )


def main() -> None:
    for line in rows():
        print(line, flush=True)


if __name__ == "__main__":
    main()
