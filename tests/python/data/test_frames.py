"""Data frames of three libraries: one tensor from all of them, and back."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from meals import LIBRARIES, MEALS, MODES
from vest_tucker.data.frames import column_of, installed

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def test_the_same_tensor_from_every_library(frame: Callable[..., Any]) -> None:
    X = vt.SparseTensor.from_frame(frame(), modes=MODES, value="stars")
    assert X.coords.tolist() == [[2, 1, 1], [1, 0, 0], [2, 0, 0], [0, 1, 2]]
    assert X.values.tolist() == [4.0, 2.0, 5.0, 0.0]
    assert (X.shape, X.modes) == ((3, 2, 3), ("who", "dish", "day"))
    who, dish, day = X.labels
    assert who is not None
    assert dish is not None
    assert day is not None
    assert (who.dtype.kind, who.tolist()) == ("O", ["ann", "bob", "eve"])
    assert (dish.dtype.kind, dish.tolist()) == ("i", [3, 7])
    assert (day.dtype.kind, day.astype("M8[D]").tolist()) == ("M", sorted(set(MEALS["day"])))


def test_the_order_of_rows_does_not_matter_to_labels(frame: Callable[..., Any]) -> None:
    reverse = {name: column[::-1] for name, column in MEALS.items()}
    X, Y = (
        vt.SparseTensor.from_frame(each, modes=MODES, value="stars")
        for each in (frame(), frame(**reverse))
    )
    assert X.mode_labels == Y.mode_labels
    assert X.coords.tolist() == Y.coords.tolist()[::-1]


def test_like_gives_a_test_frame_the_labels_of_training(frame: Callable[..., Any]) -> None:
    train = vt.SparseTensor.from_frame(frame(), modes=MODES, value="stars")
    test = vt.SparseTensor.from_frame(
        frame(
            who=["bob"] * 4, dish=[3, 7, 3, 7], day=[MEALS["day"][0]] * 2 + [MEALS["day"][1]] * 2
        ),
        value="stars",
        like=train,
    )
    assert test.shape == train.shape
    assert test.mode_labels is train.mode_labels
    assert test.coords.tolist() == [[1, 0, 1], [1, 1, 1], [1, 0, 0], [1, 1, 0]]


def test_labels_given_for_some_modes(frame: Callable[..., Any]) -> None:
    names = ["zoe", "eve", "bob", "ann"]
    X = vt.SparseTensor.from_frame(frame(), MODES, "stars", labels={"who": names})
    assert X.coords[:, 0].tolist() == [1, 2, 1, 3]
    assert X.shape == (4, 2, 3)


def test_a_mode_without_labels_has_indices(frame: Callable[..., Any]) -> None:
    train = vt.SparseTensor([[0, 9]], [1.0], modes=["who", "dish"], labels={"who": ["eve"]})
    X = vt.SparseTensor.from_frame(
        frame(who=["eve"] * 4, dish=[3, 5, 9, 0]), None, "stars", like=train
    )
    assert X.coords[:, 1].tolist() == [3, 5, 9, 0]
    with pytest.raises(vt.errors.LabelError, match=r"row 1 of the column 'dish' has -5"):
        vt.SparseTensor.from_frame(
            frame(who=["eve"] * 4, dish=[3, -5, 9, 0]), None, "stars", like=train
        )


def test_duplicates(frame: Callable[..., Any]) -> None:
    repeated = frame(who=["eve"] * 4)
    with pytest.raises(vt.errors.DuplicateError, match=r"rows 1 and 2 .*who='eve', dish=3"):
        vt.SparseTensor.from_frame(repeated, modes=["who", "dish"], value="stars")
    X = vt.SparseTensor.from_frame(repeated, ["who", "dish"], "stars", duplicates="mean")
    assert X.values.tolist() == [2.0, 3.5]


def test_the_index_of_a_pandas_frame_is_ignored() -> None:
    frame = pd.DataFrame(MEALS, index=[5, 5, 1, 0])
    X = vt.SparseTensor.from_frame(frame, MODES, "stars")
    assert X.coords[:, 0].tolist() == [2, 1, 2, 0]


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_many_rows(library: str, rng: np.random.Generator) -> None:
    n = 50_000
    users, movies = (
        np.array([f"{kind} {i}" for i in range(size)], dtype=object)[rng.integers(0, size, n)]
        for kind, size in (("user", 5_000), ("movie", 1_000))
    )
    frame = LIBRARIES[library](
        {"user": users, "movie": movies, "row": np.arange(n), "value": rng.random(n)}
    )
    X = vt.SparseTensor.from_frame(frame, ["user", "movie", "row"])
    users_back = X.mode_labels.decode("user", X.coords[:, 0])
    assert (users_back == users).all()


# --- And back ------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_tensor_survives_to_frame_and_from_frame(backend: Any) -> None:
    X = vt.SparseTensor.from_frame(pl.DataFrame(MEALS), MODES, "stars")
    back = X.to_frame(value="stars", backend=backend)
    assert type(back).__module__.startswith(backend)
    again = vt.SparseTensor.from_frame(back, MODES, "stars")
    np.testing.assert_array_equal(again.coords, X.coords)
    np.testing.assert_array_equal(again.values, X.values)
    assert again.mode_labels == X.mode_labels or backend == "pandas"  # whose dates have seconds


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "s", "ms", "us", "ns"])
def test_dates_of_any_unit_come_back(backend: Any, unit: str) -> None:
    months = np.array(["2021-05-01", "2022-01-01"], dtype="M8[D]").astype(f"M8[{unit}]")
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], labels=[months, None])
    again = vt.SparseTensor.from_frame(X.to_frame(backend=backend), X.modes)
    assert again.labels[0] is not None
    np.testing.assert_array_equal(again.labels[0], months)


def test_mixed_labels_make_a_pandas_frame_but_no_polars_frame() -> None:
    mixed = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], labels=[["x", 7], [True, False]])
    assert mixed.to_frame()["mode_0"].tolist() == ["x", 7]
    with pytest.raises(vt.errors.DtypeError, match="polars"):
        mixed.to_frame(backend="polars")


def test_a_record_batch_is_read_like_a_table() -> None:
    pa = pytest.importorskip("pyarrow")
    data = {"a": ["x", "y"], "b": [1, 2], "v": [1.0, 2.0]}
    X = vt.SparseTensor.from_frame(pa.RecordBatch.from_pydict(data), ["a", "b"], "v")
    assert X.mode_labels == vt.SparseTensor.from_frame(pa.table(data), ["a", "b"], "v").mode_labels


def test_without_any_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"pandas.*pip install pandas"):
        installed()


@pytest.mark.parametrize("dtype", ["str", "category"])
def test_gaps_among_texts_are_the_label_none(dtype: str) -> None:
    texts = ["b", None, "a", "b"]
    nw = pytest.importorskip("narwhals")
    column = column_of(nw.from_native(pd.Series(texts, dtype=dtype), series_only=True))
    assert column.rows(column.labels).tolist() == texts
    nothing = column_of(nw.from_native(pl.Series([None, None], dtype=pl.String), series_only=True))
    assert nothing.labels.tolist() == [None, None]


def test_frames_come_out_of_the_library_that_they_came_in() -> None:
    columns = {"who": ["ann", "bob"] * 3, "dish": ["soup", "rice", "tea"] * 2, "value": range(6)}
    for library, other in ((pl, pd), (pd, pl)):
        X = vt.SparseTensor.from_frame(library.DataFrame(columns), ["who", "dish"])
        for each in (X, pickle.loads(pickle.dumps(X)), X.subset([0, 1, 2, 5])):
            assert isinstance(each.to_frame(), library.DataFrame)
        assert isinstance(X.head(2), library.DataFrame)
        assert isinstance(X.rows_frame("who"), library.DataFrame)
        backend: Any = other.__name__
        assert isinstance(X.to_frame(backend=backend), other.DataFrame)
        model = vt.fit(X, 1, preset="paper", lam=0.01, max_iter=2, seed=0)
        assert isinstance(model.factor_frame("dish"), library.DataFrame)
        assert isinstance(model.core_frame(), library.DataFrame)
        assert isinstance(model.groups_frame("who"), library.DataFrame)


def test_who_has_loaded_only_polars_gets_its_frames() -> None:
    script = """
        import polars, sys
        import vest_tucker as vt
        X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0])
        assert isinstance(X.to_frame(), polars.DataFrame)
        assert "pandas" not in sys.modules
        import pandas
        assert isinstance(X.to_frame(), pandas.DataFrame)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)
