"""Several models on the same entries, beside the mean and biases: `vt.compare`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vest_tucker.base.errors import DtypeError, OptionError, OverlapWarning
from vest_tucker.base.html import table
from vest_tucker.base.options import ProgressOption, check_threads, shown
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.text_table import shown_lines, text_table
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.labels import listed
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.drawing.comparison import draw_comparison
from vest_tucker.fitting.checkpoint.settings import data_of
from vest_tucker.fitting.early_stopping import also_in
from vest_tucker.fitting.offset import baseline
from vest_tucker.model.cells import find_cells
from vest_tucker.model.measure import Errors
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.prediction import HowUnseen

HEAD = ("model", "zeros", "parameters", "RE", "RMSE", "MAE", "seconds")


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One row of a comparison.

    Attributes
    ----------
    name : str
    zeros : float
        The share of zeros in core and factors; NaN for mean and biases alone.
    n_parameters : int
        Numbers that are not zero, those of the offset included.
    relative_error, rmse, mae : float
        Errors on the entries of the comparison.
    seconds : float
        How long its fit took; NaN if unknown.
    """

    name: str
    zeros: float
    n_parameters: int
    relative_error: float
    rmse: float
    mae: float
    seconds: float


@public
@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Models beside each other, as `compare` returns them; ``print`` shows the table.

    Attributes
    ----------
    rows : tuple of ComparedModel
        Name, zeros, parameters, errors and seconds of each, in the order given; mean and biases
        last.
    n_entries : int
        How many entries the errors are measured on.
    """

    rows: tuple[ComparedModel, ...]
    n_entries: int

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ComparedModel]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> ComparedModel:
        found = {row.name: row for row in self.rows}
        if type(name) is str and name in found:  # not an array, which compares in parts
            return found[name]
        raise KeyError(
            f"there is no {shown(name)}; there are {', '.join(r.name for r in self.rows)}"
        )

    @property
    def best(self) -> str:
        """The name of the model of lowest squared error; one that is NaN comes last."""
        return min(self.rows, key=lambda row: (math.isnan(row.rmse), row.rmse)).name

    def frame(self, *, backend: Backend | None = None) -> Any:
        """Return the table as a frame with a row per model.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.
        """
        names = ComparedModel.__dataclass_fields__
        columns = {name: np.array([getattr(row, name) for row in self.rows]) for name in names}
        columns["name"] = columns["name"].astype(object)
        return make_frame(columns, backend)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the relative error of each model over its parameters; return the axes.

        Filled marks, joined by a line, are those that no other beats in both. The frame behind it
        is `frame`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        parameters = [row.n_parameters for row in self.rows]
        errors = [row.relative_error for row in self.rows]
        zeros = [f"{text} zeros" if (text := _texts(row)[1]) else "" for row in self.rows]
        return draw_comparison(
            [row.name for row in self.rows], parameters, errors, remarks=zeros,
            measured_on=f"{self.n_entries:,} entries", ax=ax,
        )  # fmt: skip

    def __repr__(self) -> str:
        names = shown_lines([", ".join(row.name for row in self.rows)])
        return f"Comparison({names}; {self.n_entries} entries, best {self.best!r})"

    def __str__(self) -> str:
        best = self.best
        marked = [(*_texts(row), "<- best" if row.name == best else "") for row in self.rows]
        lines = text_table([(*HEAD, ""), *marked], left=(0, len(HEAD)))
        return "\n".join([f"{len(self)} models on {self.n_entries:,} entries", *lines])

    def _repr_html_(self) -> str:
        return table(HEAD, map(_texts, self.rows), numbers=range(1, len(HEAD)))


def _texts(row: ComparedModel) -> tuple[str, ...]:
    return (
        row.name,
        "" if math.isnan(row.zeros) else f"{100 * row.zeros:.0f} %",
        f"{row.n_parameters:,}",
        f"{row.relative_error:.4f}",
        f"{row.rmse:#.4g}",
        f"{row.mae:#.4g}",
        "" if math.isnan(row.seconds) else f"{row.seconds:.3g}",
    )


@public
def compare(
    models: Mapping[str, TuckerModel],
    test: SparseTensor,
    *,
    train: SparseTensor | None = None,
    unseen: HowUnseen = "mean",
    threads: int = 0,
    progress: ProgressOption = "auto",
) -> Comparison:
    """Measure several models on the same entries, beside the mean and biases.

    Parameters
    ----------
    models : dict
        The models by name.
    test : SparseTensor
        The entries to measure them on, which none of them should have been fitted to: if one was,
        as ``made`` or ``train`` tells, there is a warning.
    train : SparseTensor, optional
        The entries that they were fitted to: mean and biases of these get a row each. Without them,
        mean and biases are those of the first model whose offset has them, and are left out if no
        offset does. A model given under the name "mean" or "biases" takes the place of that row.
    unseen, threads
        As for `TuckerModel.predict`.
    progress : bool or "auto"
        As for `fit`.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, noise=0.1, seed=0)
    >>> train, test = vt.train_test_split(X, test=0.2, seed=0)
    >>> models = {"fit": vt.fit(train, seed=0), "truth": truth}
    >>> table = vt.compare(models, test, train=train)
    >>> [row.name for row in table]
    ['fit', 'truth', 'mean', 'biases']
    >>> table["fit"].rmse < 0.5 * table["biases"].rmse
    True
    """
    require_tensor(test, "compare")
    threads = check_threads(threads)
    given: Any = models
    if not isinstance(given, Mapping) or not given:
        raise OptionError('models must be a dict of models by name, as {"mine": model}')
    for name, model in models.items():
        if not isinstance(model, TuckerModel):
            raise DtypeError(f"models[{name!r}] must be a TuckerModel, not {type(model).__name__}")
    every = {str(name): model for name, model in models.items()}
    every |= {name: model for name, model in _baselines(every, train) if name not in every}
    rows: list[ComparedModel] = []
    with watched(progress, "compare", len(every), "model") as measuring:
        for name, model in every.items():
            measuring.say(name)
            predicted = model.predict(test, unseen=unseen, threads=threads)
            rows.append(_compared(name, model, Errors.of(predicted, test)))
            measuring.advance()
    _warn_of_fitted(models, test, train)
    return Comparison(tuple(rows), test.nnz)


def _warn_of_fitted(
    models: Mapping[str, TuckerModel], test: SparseTensor, train: SparseTensor | None
) -> None:
    """Warn if entries to compare on were fitted: who fits them closest seems best."""
    advice = "hold entries out by train_test_split before the fits, and compare on these"
    known = {str(name): (model.made or {}).get("data") for name, model in models.items()}
    about = data_of(test) if any(known.values()) else None
    fitted = [name for name, data in known.items() if data and data == about]
    if fitted:
        warn(
            f"{listed(fitted)} {'was' if len(fitted) == 1 else 'were'} fitted to the very entries "
            f"that models are compared on, so that the table does not tell which one is best for "
            f"other entries; {advice}",
            OverlapWarning,
        )
    elif train is not None:
        cells = find_cells(test, train.mode_labels, train.shape, strict=False, told="none")
        shared = int(np.count_nonzero(also_in(train, cells)))
        if shared:
            warn(
                f"{shared:,} of the {test.nnz:,} entries that models are compared on are of cells "
                f"of train, and so were fitted; {advice}",
                OverlapWarning,
            )


def _compared(name: str, model: TuckerModel, errors: Errors) -> ComparedModel:
    alone = model.is_zero and model.offset is not None
    zeros = math.nan if alone else model.sparsity
    seconds = model.seconds if model.seconds > 0.0 else math.nan
    return ComparedModel(name, zeros, model.n_parameters, *errors, seconds)


def _baselines(
    models: Mapping[str, TuckerModel], train: SparseTensor | None
) -> Iterator[tuple[str, TuckerModel]]:
    """Yield mean and biases of the entries given, or else of the models' offsets, by name."""
    if train is not None:
        require_tensor(train, "compare")
        yield "mean", baseline(train, "mean")
        yield "biases", baseline(train, "biases")
        return
    known = [model for model in models.values() if model.offset is not None]
    for model in known[:1]:
        assert model.offset is not None
        mean = dataclasses.replace(model.offset, kind="mean", biases=(), shrinkage=())
        yield "mean", _alone(model, mean)
    for model in [each for each in known if each.offset is not None and each.offset.biases][:1]:
        yield "biases", _alone(model, model.offset)


def _alone(model: TuckerModel, offset: Any) -> TuckerModel:
    """Return a model of the same rows that predicts an offset alone."""
    return TuckerModel(
        np.zeros((1,) * model.order), [np.zeros((dim, 1)) for dim in model.shape], offset=offset,
        modes=model.modes, labels=model.labels, entries=model.entries,
    )  # fmt: skip
