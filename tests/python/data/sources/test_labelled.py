"""Series, wide frames and arrays with coordinates: their names and labels are taken with them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

DAYS = np.array(["2021-05-03", "2021-05-04", "2021-05-05"], dtype="M8[D]")
CELLS = np.arange(12.0).reshape(2, 2, 3)
CELLS[0, 1, 2] = np.nan


class FakeDataArray:
    """What xarray's DataArray has, as far as it is asked for."""

    def __init__(self, cells: Any, dims: tuple[str, ...], coords: dict[str, Any]) -> None:
        self.cells, self.dims, self.coords = cells, dims, coords

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.cells, dtype=dtype)


def wide(**options: Any) -> Any:
    return pd.DataFrame({"soup": [4.0, np.nan], "rice": [2.0, 5.0]}, **options)


# --- Series ---------------------------------------------------------------------------------------


def test_the_levels_of_a_series_are_the_modes() -> None:
    meals = {"who": ["eve", "bob", "eve"], "dish": ["soup", "rice", "rice"], "stars": [4, 2, 5]}
    frame = pd.DataFrame(meals)
    series = frame.set_index(["who", "dish"])["stars"]
    X = vt.SparseTensor.from_frame(series)
    assert (X.modes, X.shape) == (("who", "dish"), (2, 2))
    wanted = vt.SparseTensor.from_frame(frame, ["who", "dish"], "stars")
    pd.testing.assert_frame_equal(X.to_frame(), wanted.to_frame())
    turned = vt.SparseTensor.from_frame(series, ["dish", "who"])
    assert turned.modes == ("dish", "who")
    again = vt.SparseTensor.from_frame(series[:2], like=X)
    assert (again.shape, again.nnz) == (X.shape, 2)


def test_gaps_of_a_series_are_as_those_of_a_frame() -> None:
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", "y"])
    series = pd.Series([1.0, np.nan, 3.0, 4.0], index)
    with pytest.raises(vt.errors.NonFiniteError, match="row 1 has no value"):
        vt.SparseTensor.from_frame(series)
    with pytest.warns(UserWarning, match="1 of 4 rows"):
        assert vt.SparseTensor.from_frame(series, missing="drop").nnz == 3


def test_series_that_cannot_be_entries() -> None:
    with pytest.raises(vt.errors.ShapeError, match="two levels or more"):
        vt.SparseTensor.from_frame(pd.Series([1.0, 2.0]))
    nameless = pd.MultiIndex.from_product([["a"], [1, 2]])
    with pytest.raises(vt.errors.ModeError, match="name each of them"):
        vt.SparseTensor.from_frame(pd.Series([1.0, 2.0], nameless))
    taken = pd.MultiIndex.from_product([["a"], [1, 2]], names=["value", "x"])
    with pytest.raises(vt.errors.ModeError, match="a level is called 'value'"):
        vt.SparseTensor.from_frame(pd.Series([1.0, 2.0], taken))


def test_levels_of_the_index_of_a_frame_are_columns() -> None:
    frame = pd.DataFrame({"who": ["a", "b"], "dish": ["x", "y"], "stars": [1.0, 2.0]})
    X = vt.SparseTensor.from_frame(frame.set_index("who"), ["who", "dish"], "stars")
    assert X.to_frame(value="stars").equals(frame)
    X = vt.SparseTensor.from_frame(frame.set_index(["dish", "who"]), ["who", "dish"], "stars")
    assert X.to_frame(value="stars").equals(frame)


def test_the_only_column_beside_the_levels_has_the_values() -> None:
    index = pd.MultiIndex.from_product([["a", "b"], ["x", "y"]], names=["who", "dish"])
    frame = pd.DataFrame({"stars": [1.0, 2.0, 3.0, 4.0]}, index)
    assert vt.SparseTensor.from_frame(frame).modes == ("who", "dish")
    assert vt.SparseTensor.from_frame(frame, value="stars").modes == ("who", "dish")
    with pytest.raises(vt.errors.ColumnError, match="no column 'starz'; there are 'stars'"):
        vt.SparseTensor.from_frame(frame, value="starz")


# --- Wide frames ----------------------------------------------------------------------------------


def test_rows_and_columns_of_a_wide_frame_are_modes() -> None:
    frame = wide(index=pd.Index(DAYS[:2], name="day")).rename_axis(columns="dish")
    X = vt.SparseTensor.from_dense(frame)
    assert (X.modes, X.values.tolist()) == (("day", "dish"), [4.0, 2.0, 5.0])
    assert X.labels[0] is not None
    assert X.labels[1] is not None
    assert X.labels[0].astype("M8[D]").tolist() == DAYS[:2].tolist()
    assert X.labels[1].tolist() == ["soup", "rice"]


def test_what_is_given_comes_before_what_it_brings() -> None:
    frame = wide(index=["ann", "bob"])
    X = vt.SparseTensor.from_dense(frame, modes=["who", "dish"])
    assert X.mode_labels.cell([1, 0]) == "(who='bob', dish='soup')"
    X = vt.SparseTensor.from_dense(frame, labels={"mode_0": ["Ann", "Bob"]})
    assert X.mode_labels.cell([1, 0]) == "(mode_0='Bob', mode_1='soup')"


def test_mere_numbers_of_rows_are_no_labels() -> None:
    assert vt.SparseTensor.from_dense(pd.DataFrame([[1.0, 2.0]])).labels == (None, None)
    X = vt.SparseTensor.from_dense(wide())
    assert X.labels[0] is None
    later = vt.SparseTensor.from_dense(wide(index=pd.RangeIndex(5, 7)))
    assert later.labels[0] is not None
    assert later.labels[0].tolist() == [5, 6]


def test_wide_frames_of_other_types_and_libraries() -> None:
    X = vt.SparseTensor.from_dense(wide().convert_dtypes())  # whose gaps are NA
    assert X.values.tolist() == [4.0, 2.0, 5.0]
    X = vt.SparseTensor.from_dense(pl.DataFrame({"soup": [4.0, np.nan], "rice": [2.0, 5.0]}))
    assert X.labels[1] is not None
    assert (X.labels[0], X.labels[1].tolist()) == (None, ["soup", "rice"])
    with pytest.raises(vt.errors.DtypeError, match="real numbers"):
        vt.SparseTensor.from_dense(wide().assign(dish="tea"))


def test_a_matrix_has_two_modes() -> None:
    index = pd.MultiIndex.from_product([["a"], [1, 2]])
    with pytest.raises(
        vt.errors.ShapeError, match=r"index of the frame has 2 levels.*frame\.stack"
    ):
        vt.SparseTensor.from_dense(wide(index=index))
    with pytest.raises(vt.errors.LabelError, match="every row needs a label of its own"):
        vt.SparseTensor.from_dense(wide(index=["ann", "ann"]))


# --- Arrays with coordinates ----------------------------------------------------------------------


def data_array(kind: str, coords: dict[str, Any]) -> Any:
    dims = ("who", "dish", "day")
    if kind == "fake":
        return FakeDataArray(CELLS, dims, coords)
    return pytest.importorskip("xarray").DataArray(CELLS, dims=dims, coords=coords)


@pytest.mark.parametrize("kind", ["fake", "real"])
def test_dimensions_are_modes_and_coordinates_are_labels(kind: str) -> None:
    array = data_array(kind, {"who": ["ann", "bob"], "day": DAYS})
    X = vt.SparseTensor.from_dense(array)
    assert (X.modes, X.nnz) == (("who", "dish", "day"), 11)  # NaN was not observed
    assert X.labels[1] is None
    assert X.labels[2] is not None
    assert X.labels[2].astype("M8[D]").tolist() == DAYS.tolist()
    assert X.mode_labels.cell([1, 0, 0]).startswith("(who='bob', dish=0, day=2021-05-03")
    named = vt.SparseTensor.from_dense(array, modes=["a", "b", "c"], labels={"b": ["x", "y"]})
    assert named.modes == ("a", "b", "c")
    assert named.labels[0] is not None
    assert named.labels[1] is not None
    assert (named.labels[0].tolist(), named.labels[1].tolist()) == (["ann", "bob"], ["x", "y"])


def test_a_tensor_becomes_an_array_with_its_labels_and_back() -> None:
    xarray = pytest.importorskip("xarray")
    array = data_array("real", {"who": ["ann", "bob"], "day": DAYS})
    X = vt.SparseTensor.from_dense(array)
    given = X.to_xarray()
    xarray.testing.assert_equal(given, array.astype(float))
    assert given.dims == ("who", "dish", "day")
    assert set(given.coords) == {"who", "day"}  # dishes have no labels
    assert vt.SparseTensor.from_dense(given) == X
    assert float(X.to_xarray(fill=-1.0).sel(who="ann")[1, 2]) == -1.0


def test_times_of_an_array_keep_their_zone() -> None:
    pytest.importorskip("xarray")
    times = pd.date_range("2024-03-30 12:00", periods=2, freq="D", tz="Europe/Berlin")
    frame = pd.DataFrame({"who": ["ann", "bob"], "time": times, "value": [1.0, 2.0]})
    X = vt.SparseTensor.from_frame(frame, ["who", "time"])
    given = X.to_xarray()
    assert str(given.indexes["time"].tz) == "Europe/Berlin"
    assert vt.SparseTensor.from_dense(given).to_frame().equals(X.to_frame())


def test_without_xarray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0])
    with pytest.raises(vt.errors.MissingPackageError, match=r"vest-tucker\[xarray\]"):
        X.to_xarray()


def test_a_frame_with_one_column_and_levels_is_a_series() -> None:
    frame = pd.DataFrame({"who": ["a", "b"], "dish": ["x", "y"], "stars": [1.0, 2.0]})
    means = frame.groupby(["who", "dish"])[["stars"]].mean()
    assert vt.SparseTensor.from_frame(means) == vt.SparseTensor.from_frame(means["stars"])


def test_levels_of_an_index_are_columns_for_models() -> None:
    labels = (np.array(["a", "b"]), np.array(["x", "y"]))
    factors = [np.array([[1.0], [3.0]]), np.array([[1.0], [0.5]])]
    model = vt.TuckerModel(np.array([[2.0]]), factors, modes=("who", "dish"), labels=labels)
    frame = pd.DataFrame({"who": ["b", "a"], "dish": ["x", "y"]})
    assert model.predict(frame.set_index("who")).tolist() == model.predict(frame).tolist()
