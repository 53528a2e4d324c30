"""The methods of TuckerModel that ask what it means: describe, explain, recommend, importance."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, cast

from vest_tucker.base.extras import Later
from vest_tucker.base.options import ProgressOption, check_threads
from vest_tucker.base.telling.steps import watched
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model.cells import CellsLike
from vest_tucker.model.meaning import names
from vest_tucker.model.meaning.evidence import ModelEvidence
from vest_tucker.model.meaning.importance import Importance, measure_model
from vest_tucker.model.meaning.names import Names
from vest_tucker.model.prediction import HowUnseen

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel
    from vest_tucker.reading import (
        describe,
        explain,
        html,
        importance,
        orientation,
        relations,
        relevance,
        residuals,
        rows,
    )
    from vest_tucker.reading.asking import recommend
    from vest_tucker.reading.asking.asked import Given
    from vest_tucker.reading.asking.recommend import Recommendations
    from vest_tucker.reading.describe import Description
    from vest_tucker.reading.explain import Explanation
    from vest_tucker.reading.importance import ImportanceTable
    from vest_tucker.reading.residuals import Residuals
else:
    describe = Later("vest_tucker.reading.describe")
    explain = Later("vest_tucker.reading.explain")
    html = Later("vest_tucker.reading.html")
    importance = Later("vest_tucker.reading.importance")
    orientation = Later("vest_tucker.reading.orientation")
    relations = Later("vest_tucker.reading.relations")
    relevance = Later("vest_tucker.reading.relevance")
    residuals = Later("vest_tucker.reading.residuals")
    rows = Later("vest_tucker.reading.rows")
    recommend = Later("vest_tucker.reading.asking.recommend")


class ModelQuestions(ModelEvidence):
    """Methods that ask what a model means; `TuckerModel`, which inherits them, has the fields.

    What answers is in ``reading/``, which imports the model: it is loaded when asked.
    """

    measured: Importance | None
    component_names: Names

    @property
    def _whole(self) -> TuckerModel:
        return cast("TuckerModel", self)

    # --- Names ------------------------------------------------------------------------------------

    def name(self, mode: str | int, component: int, name: str | None) -> TuckerModel:
        """Give a component a name, in place; files keep it, and all that shows the model uses it.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        component : int
        name : str or None
            None takes the name away.

        Returns
        -------
        TuckerModel
            The model itself.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> model = vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("who", "dish"))
        >>> model.name("dish", 0, "breakfast").title("dish", 0), model.title("who", 0)
        ('breakfast', 'who 0')
        """
        number = self._named.number(mode)
        component = names.checked_component(component, self.core.shape[number])
        renamed = names.renamed(self.component_names, self.core.shape, (number, component), name)
        object.__setattr__(self, "component_names", renamed)
        return self._whole

    def title(self, mode: str | int, component: int) -> str:
        """Return what a component is called: the name that it was given, or mode and number."""
        number = self._named.number(mode)
        component = names.checked_component(component, self.core.shape[number])
        return names.title(self.component_names, self.modes, number, component)

    # --- What each part carries -------------------------------------------------------------------

    def measure_importance(self, X: SparseTensor, *, threads: int = 0) -> TuckerModel:
        """Return the model with `measured`: what each component and core element carries.

        Models of `fit` have it. It is for models made by hand, stops of a path, and models that
        have learned new entries.

        Parameters
        ----------
        X : SparseTensor
            The entries to measure it on, matched by label; the model must know all their labels.
        threads : int
            How many threads to use; 0 means all.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
        >>> model = vt.TuckerModel([[1.0]], [[[3.0], [3.0]], [[1.0]]]).measure_importance(X)
        >>> model.measured.core.tolist(), model.measured.residual
        ([[24.0]], 1.0)
        """
        found = measure_model(self._whole, X, threads=check_threads(threads))
        return dataclasses.replace(self._whole, measured=found)

    def importance(self, n: int = 10) -> ImportanceTable:
        """Return how much each part carries: what the error would be without it; print it.

        It needs no data: the fit has measured it, or `measure_importance`.

        Parameters
        ----------
        n : int
            How many components and how many relations print shows, the strongest. The table has
            all of them.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X, _ = vt.datasets.synthetic((30, 20, 10), 1, nnz=3000, seed=0)
        >>> table = vt.fit(X, seed=0).importance()
        >>> [(row.kind, row.name) for row in table.rows][:2]
        [('component', 'mode_0 0'), ('component', 'mode_1 0')]
        """
        return importance.importance_of(self._whole, n)

    def importance_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the same as a tidy frame, a row per component and per relation.

        Its columns are *kind* ("mean", "biases", "component" or "relation"), *mode*, *component*
        (numbers separated by commas for a relation), *name*, *growth* (of the squared error without
        it), *error_without* (the relative error without it), *share* (growth over what always
        predicting the mean leaves), *n_nonzero* and *labels* (the first ones of its groups).
        """
        return self.importance().frame(backend=backend)

    # --- What it says -----------------------------------------------------------------------------

    def oriented(self) -> TuckerModel:
        """Return the model with every factor column positive on balance, the sign in the core.

        On balance means: the sum of the values, each counting as the entries of its row. Sentences,
        pictures and pages about the model have these signs; `top`, `factor_frame` and `core_frame`
        have those of the model itself. Predictions are the same.
        """
        return orientation.oriented_model(self._whole)

    def describe(self, n: int = 10, *, labels: int = 3, unit: str = "") -> Description:
        """Return the model in sentences and a table, the strongest relation first; print it.

        Each core element that is not zero is a *relation* of one group of labels of each mode. Its
        size is what it adds to a prediction where all labels are typical of their groups. Labels
        of negative weight come after "against". Consecutive hours, dates or months are ranges.
        For models of effects and pairs, the effects of each mode come first, then pairs by modes.

        Parameters
        ----------
        n : int
            How many relations to tell, at most.
        labels : int
            How many labels or ranges stand for a group.
        unit : str
            The unit of the values, which sizes are told in.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"person": ["ann", "bob", "eve"], "hour": [7, 8, 9, 20]}
        >>> model = vt.TuckerModel(
        ...     [[2.0]], [[[1.0], [3.0], [-1.0]], [[1.0], [1.0], [0.5], [0.0]]],
        ...     modes=("person", "hour"), labels=labels,
        ... )
        >>> print(model.describe(unit="cups"))
        A model of 3 x 4 (person, hour).
        A prediction is the sum of 1 relation.
        How much each part carries was not measured: model.measure_importance(X) does it.
        <BLANKLINE>
        Relations:
          +3.87 cups, up to +6  bob, ann against eve × hour 7 to 9
        <BLANKLINE>
        Sizes are what a relation adds where labels are typical of their groups, in the unit of the
        values; "up to" is what it adds at the strongest labels.
        """
        return describe.describe(self._whole, n, labels, unit)

    def explain(self, cells: CellsLike, *, unseen: HowUnseen = "mean") -> Explanation:
        """Return what predictions are made of: mean, biases and relations, which add up to them.

        Parameters
        ----------
        cells : array_like, frame, dict or SparseTensor
            As for `predict`. A mode that a dict leaves out is averaged over first: it has one
            label, as "any hour".
        unseen : {"mean", "zero", "nan", "error"}
            As for `predict`.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"person": ["ann", "bob"], "dish": ["soup", "rice"]}
        >>> model = vt.TuckerModel(
        ...     [[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("person", "dish"), labels=labels
        ... )
        >>> print(model.explain([("bob", "rice")]))
        person bob, dish rice: 3
          +3  bob, ann × soup, rice
        """
        return explain.explain(self._whole, cells, unseen=unseen)

    def recommend(
        self,
        given: Given,
        along: str | int,
        k: int = 10,
        *,
        exclude: CellsLike | None = None,
        largest: bool = True,
        threads: int = 0,
        progress: ProgressOption = "auto",
    ) -> Recommendations:
        """Return the labels of one mode with the largest predictions, for what is given in others.

        It compares all labels without predicting every cell one by one: the ten best of thousands
        of films for each of a million users take seconds.

        Parameters
        ----------
        given : dict or frame
            Labels by mode: one, or many, as many in each mode as there are questions; ``...`` for
            all labels of a mode. Or a frame, with a question per row, in columns called like modes.
            Labels that the model does not know are taken as by `predict`. Modes that are not given
            are averaged over: their average row, weighted by entries, stands for all of them; of a
            model with a constant column, the constant.
        along : str or int
            The mode whose labels are compared, by name or number.
        k : int
            How many labels for each question.
        exclude : SparseTensor, frame, dict or array_like, optional
            What was seen already and is left out: the label of a cell, where all modes agree that
            both this and ``given`` name. So a tensor of users, films and hours leaves out a user's
            films whatever the hour if hours are not given. Rows of labels, as [("ann", "soup")],
            have one label for each mode of ``given``, in the order of the modes, then that of
            ``along``.
        largest : bool
            False for the smallest predictions.
        threads : int
            How many threads to use; 0 means all.
        progress : bool or "auto"
            Whether to show how many questions are answered, as for `fit`.

        Returns
        -------
        Recommendations
            With the best labels first; of equal predictions, the first label.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.datasets.demo()
        >>> model = vt.fit(X, seed=0)
        >>> print(model.recommend({"person": "Leo (clerk)", "hour": [8, 13]}, along="dish", k=2))
        The 2 largest predictions of 24 along dish
        person Leo (clerk), hour 8
           1  muesli             23.4
           2  scrambled eggs    21.29
        person Leo (clerk), hour 13
           1  club sandwich     19.13
           2  rice bowl         16.71
        """
        with watched(progress, "recommend"):
            return recommend.recommend(
                self._whole, given, along, k, exclude=exclude, largest=largest, threads=threads
            )

    def top(
        self,
        mode: str | int,
        component: int,
        n: int = 10,
        *,
        by: Literal["weight", "relevance"] = "weight",
        min_entries: int = 0,
    ) -> list[tuple[Any, float]]:
        """Return the labels of the largest magnitudes in a component, with values; never zeros.

        A constant column, component 0 of models of mean, effects and pairs, has none.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        component : int
        n : int
            How many, at most.
        by : {"weight", "relevance"}
            What comes first: the largest magnitude; or the largest relevance, which counts the
            less the fewer entries a label has, and the more of the label is in this component.
        min_entries : int
            Leave out labels with fewer entries in the fit.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> dishes = [None, ["soup", "rice", "tea"]]
        >>> model = vt.TuckerModel([[2.0]], [[[1.0]], [[1.0], [0.0], [-3.0]]], labels=dishes)
        >>> model.top(1, component=0)
        [('tea', -3.0), ('soup', 1.0)]
        """
        return relevance.top(self._whole, mode, component, n, by=by, min_entries=min_entries)

    def groups_frame(self, mode: str | int, *, backend: Backend | None = None) -> Any:
        """Return the groups of a mode as a tidy frame: each label of each component, not zero.

        Its columns are the label, called like the mode, *component*, *name*, *weight* (the element
        of the factor, with the signs of `oriented`), *effect* (what the label adds to a prediction
        where the other labels are typical of their groups, in the strongest relation of the
        component, in the unit of the values) and, if known, *entries*. Components are in order,
        within each the largest magnitudes first; a constant column is left out.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"dish": ["soup", "rice", "tea"]}
        >>> model = vt.TuckerModel(
        ...     [[2.0]], [[[1.0], [3.0]], [[-1.0], [0.0], [0.5]]], modes=("who", "dish"),
        ...     labels=labels,
        ... )
        >>> print(model.groups_frame("dish").round(2))
           dish  component    name  weight  effect
        0  soup          0  dish 0     1.0   -4.47
        1   tea          0  dish 0    -0.5    2.24
        """
        return make_frame(relations.group_columns(self._whole, mode), backend, self._named.library)

    def similar(
        self, mode: str | int, label: object, k: int = 10, *, backend: Backend | None = None
    ) -> Any:
        """Return the labels that do most nearly the same to predictions, as a frame.

        Rows are compared by what they do: two labels with a similarity of 1 raise and lower the
        same predictions, one perhaps more than the other; with -1 they do the opposite. That is the
        cosine of the rows in the metric of the core and the other factors, whose rows count as
        their entries. Biases do not count, nor does a constant column.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        label : object
            One of its labels; a row number if it has none.
        k : int
            How many, at most.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Returns
        -------
        frame
            The label, in a column called like the mode, *similarity*, and *entries* if known.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> labels = {"dish": ["soup", "stew", "tea", "rye"]}
        >>> dishes = [[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [1.0, 1.0]]
        >>> model = vt.TuckerModel(
        ...     [[2.0, 0.0], [0.0, 1.0]], [[[1.0, 0.0], [0.0, 1.0]], dishes],
        ...     modes=("who", "dish"), labels=labels,
        ... )
        >>> print(model.similar("dish", "soup", k=2))
           dish  similarity
        0  stew    0.999...
        1   rye    0.894...
        """
        return rows.similar(self._whole, mode, label, k, backend)

    def dense_rows(self, mode: str | int, k: int = 20, *, backend: Backend | None = None) -> Any:
        """Return the labels of which most elements have stayed, as a frame.

        Pruning leaves few elements in most rows. The rows that stay dense belong to labels that
        have something to do with every group of the others: among films, the ones that everybody
        has seen and rated.

        Parameters
        ----------
        mode : str or int
            The mode, by name or number.
        k : int
            How many, at most.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Returns
        -------
        frame
            The label, in a column called like the mode, *n_nonzero* (the largest first),
            *importance* and, if known, *entries*. The importance orders those that have as many:
            it is what the row adds to the predictions of its entries, squared and summed, if their
            other labels were average ones.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> model = vt.TuckerModel(
        ...     [[2.0, 0.0], [0.0, 1.0]], [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]]],
        ...     labels=[None, ["tea", "rye"]], modes=("who", "dish"),
        ... )
        >>> print(model.dense_rows("dish"))
          dish  n_nonzero  importance
        0  rye          2         2.5
        1  tea          1         2.0
        """
        return rows.dense_rows(self._whole, mode, k, backend)

    def residuals(self, X: SparseTensor, *, unseen: HowUnseen = "mean") -> Residuals:
        """Return where the model is wrong: by label, by value, and the worst cells; print it.

        Parameters
        ----------
        X : SparseTensor
            Entries to compare predictions with: those fitted, or better, others.
        unseen : {"mean", "zero", "nan", "error"}
            As for `predict`.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 5.0])
        >>> model = vt.TuckerModel([[1.0]], [[[3.0], [3.0]], [[1.0]]])
        >>> print(model.residuals(X).by_label(0))
           mode_0  entries  mean_error      rmse  share
        0       1        1         2.0       2.0    1.0
        1       0        1         0.0       0.0    0.0
        """
        return residuals.residuals(self._whole, X, unseen=unseen)

    def _strongest(self) -> list[str]:
        """Return the last lines of the summary: the strongest relations in labels."""
        return list(describe.strongest_lines(self._whole))

    def _repr_html_(self) -> str:
        return html.model_html(self._whole)
