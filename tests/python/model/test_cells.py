"""Which cells are meant: the same ones from coordinates, frames, dicts, rows and tensors."""

from __future__ import annotations

import datetime as dt
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from small import LABELS, MODES
from vest_tucker.data.labels import ModeLabels
from vest_tucker.model.cells import Cells, find_cells
from vest_tucker.model.meaning.meant import OPTION

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

pa = pytest.importorskip("pyarrow")

SHAPE = (4, 3, 5)
NAMED = ModeLabels(3, MODES, LABELS)
NUMBERED = ModeLabels(3)
# The cells (2, 1, 0), (0, 0, 4) and one with a label of each mode that nobody has seen.
USERS = ["Zoë", "ann", "eve"]
FILMS = [10, 30, 11]
DAYS = [dt.date(2021, 5, 3), dt.date(2021, 5, 5), dt.date(2022, 5, 5)]
COORDS = [[2, 1, 0], [0, 0, 4], [0, 0, 0]]
UNSEEN = [[False] * 3, [False] * 3, [True] * 3]
COLUMNS: dict[str, Any] = {"stars": [1.5, 2.5, 3.5], "day": DAYS, "user": USERS, "film": FILMS}
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with categories": lambda data: pd.DataFrame(data).astype({"user": "category"}),
    "pandas with times": lambda data: pd.DataFrame(data).assign(day=pd.to_datetime(data["day"])),
    "pandas with small numbers": lambda data: pd.DataFrame(data).astype({"film": "int8"}),
    "pandas on Arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars with categories": lambda data: pl.DataFrame(data).cast({"user": pl.Categorical}),
    "polars, lazy": pl.LazyFrame,
    "Arrow": pa.table,
    "Arrow with a dictionary": lambda data: pa.table(
        {**data, "user": pa.array(data["user"]).dictionary_encode()}
    ),
}


def find(cells: Any, modes: ModeLabels = NAMED, *, strict: bool = False) -> Cells:
    return find_cells(cells, modes, SHAPE, strict=strict)


def assert_found(found: Cells) -> None:
    assert found.coords.dtype == np.int32
    assert found.coords.flags.c_contiguous
    assert found.coords.tolist() == COORDS
    assert found.unseen is not None
    assert found.unseen.tolist() == UNSEEN


# --- Coordinates ----------------------------------------------------------------------------------


def test_whole_numbers_are_coordinates_whatever_the_labels() -> None:
    for cells in (COORDS, np.array(COORDS), np.array(COORDS, dtype=np.uint8), iter(COORDS)):
        found = find(cells)
        assert (found.coords.tolist(), found.unseen) == (COORDS, None)
    coords = np.array(COORDS, dtype=np.int32)
    assert np.shares_memory(find(coords).coords, coords)


def test_no_cells_at_all() -> None:
    assert find(np.empty((0, 3))).coords.shape == (0, 3)
    for modes in (NAMED, NUMBERED):
        assert find([], modes).coords.shape == (0, 3)
        assert find(iter(()), modes).coords.shape == (0, 3)
    assert find(pd.DataFrame({name: [] for name in MODES})).coords.shape == (0, 3)
    assert find({"user": [], "film": [], "day": DAYS[0]}).coords.shape == (0, 3)


def test_without_labels_only_whole_numbers_are_accepted() -> None:
    with pytest.raises(vt.errors.DtypeError, match="coordinates must be integers"):
        find([("ann", 10, 0)], NUMBERED)
    with pytest.raises(vt.errors.ShapeError, match="2 columns but the model has 3 modes"):
        find([[0, 0]], NUMBERED)


@pytest.mark.parametrize("cells", [3, None, "ann", [1, 2, 3], ("ann", "bob", "eve"), np.ones(3)])
def test_objects_without_rows_are_refused(cells: Any) -> None:
    with pytest.raises(vt.errors.ShapeError, match=r"shape|rows of one label per mode"):
        find(cells)


# --- Frames ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_of_any_library(library: str) -> None:
    assert_found(find(FRAMES[library](COLUMNS)))


@pytest.mark.parametrize("library", FRAMES)
def test_missing_labels_in_a_frame_are_unseen(library: str) -> None:
    if "small numbers" in library:
        pytest.skip("int8 has no missing numbers")
    holes = {**COLUMNS, "user": ["Zoë", "ann", None], "film": [10, 30, None]}
    assert_found(find(FRAMES[library](holes)))


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_a_frame_without_a_mode(library: str) -> None:
    frame = FRAMES[library]({"user": USERS, "film": FILMS})
    with pytest.raises(vt.errors.ColumnError, match="no column 'day'; there are 'user', 'film'"):
        find(frame)


def test_a_column_of_missing_labels_is_unseen() -> None:
    found = find(
        pl.DataFrame({"user": pl.Series([None], dtype=pl.String), "film": 10, "day": DAYS[:1]})
    )
    assert found.unseen is not None
    assert found.unseen.tolist() == [[True, False, False]]


def test_a_frame_needs_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"narwhals.*vest-tucker\[frame\]"):
        find(pd.DataFrame(COLUMNS))


# --- Labels ---------------------------------------------------------------------------------------


def test_labels_by_mode_or_in_rows() -> None:
    rows = list(zip(USERS, FILMS, DAYS, strict=True))
    assert_found(find(COLUMNS))
    assert_found(find({**COLUMNS, "user": pd.Series(USERS), "film": np.array(FILMS, float)}))
    assert_found(find(rows))
    assert_found(find(list(map(list, rows))))
    assert_found(find(iter(rows)))
    assert_found(find(np.array(rows, dtype=object)))


def test_a_single_label_stands_for_all() -> None:
    found = find({"user": "ann", "film": [20, 5], "day": np.datetime64("2021-05-01")})
    assert found.coords.tolist() == [[0, 2, 1], [0, 0, 1]]
    assert found.unseen is not None
    assert found.unseen.tolist() == [[False, False, False], [False, True, False]]
    assert find({"user": "ann", "film": 20, "day": DAYS[0]}).coords.tolist() == [[0, 2, 0]]


def test_a_text_array_is_rows_of_labels() -> None:
    modes = ModeLabels(2, ["user", "dish"], [["ann", "bob"], ["soup", "rice"]])
    found = find_cells(np.array([["bob", "soup"], ["bob", "tea"]]), modes, (2, 2), strict=False)
    assert found.coords.tolist() == [[1, 0], [1, 0]]
    assert found.unseen is not None
    assert found.unseen.tolist() == [[False, False], [False, True]]


def test_in_a_mode_without_labels_the_numbers_are_labels() -> None:
    modes = ModeLabels(3, MODES, {"user": LABELS[0]})
    found = find([("bob", 2, 4), ("bob", 3, -1), ("bob", 1.0, 0.5)], modes)
    assert found.coords.tolist() == [[1, 2, 4], [1, 0, 0], [1, 1, 0]]
    assert found.unseen is not None
    assert found.unseen.tolist() == [[False] * 3, [False, True, True], [False, False, True]]


def test_labels_that_do_not_fit() -> None:
    with pytest.raises(vt.errors.ModeError, match=r"no mode 'dya'.*the modes are 'user', 'film'"):
        find({"user": USERS, "film": FILMS, "dya": DAYS})
    with pytest.raises(vt.errors.ModeError, match="nothing for the mode 'user'"):
        find({})
    with pytest.raises(vt.errors.ShapeError, match="'user': 3, 'film': 2"):
        find({"user": USERS, "film": [1, 2], "day": DAYS})
    with pytest.raises(vt.errors.ShapeError, match="row 1 has 2 labels but the model has 3 modes"):
        find([("ann", 10, DAYS[0]), ("ann", 10)])
    with pytest.raises(vt.errors.ShapeError, match="row 1 is 'ann'"):
        find([("ann", 10, DAYS[0]), "ann"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"film": ["30", "10", "20"]}, r"'film' has numbers .*such as 30.*text, such as '30'"),
        ({"user": [None, 2, 3]}, r"'user' has text .*numbers, such as 2"),
        ({"day": [True, False, True]}, r"'day' has times .*truth values"),
    ],
)
def test_labels_of_a_kind_that_never_matches_are_named(changed: Any, said: str) -> None:
    """By an error if unseen labels are one, else by a warning: a batch of one must not fail."""
    cells: dict[str, Any] = {"user": USERS[:2] * 2, "film": FILMS[:2] * 2, "day": DAYS[:2] * 2}
    cells = {name: each[:3] for name, each in cells.items()} | changed
    with pytest.raises(vt.errors.LabelError, match=said):
        find(cells, strict=True)
    with pytest.warns(vt.errors.UnseenLabelsWarning, match=said):
        found = find(cells)
    assert found.unseen is not None
    assert found.unseen.any(axis=0).tolist() == [name in changed for name in MODES]


def test_a_column_of_nan_is_unseen_in_any_mode() -> None:
    found = find({"user": [np.nan, np.nan], "film": FILMS[:2], "day": DAYS[0]})
    assert found.unseen is not None
    assert found.unseen.tolist() == [[True, False, False]] * 2


def test_lists_of_whole_numbers_where_all_labels_are_such() -> None:
    modes = ModeLabels(2, ["user", "film"], [[1, 0], [30, 10, 20]])
    for cells in ([(1, 10)], [[0, 1]], iter([(0, 1)])):
        with pytest.raises(vt.errors.LabelError, match=r"labels or coordinates\?.*dict or a frame"):
            find_cells(cells, modes, (2, 3), strict=False)
    found = find_cells(np.array([[1, 2]]), modes, (2, 3), strict=False)
    assert found.coords.tolist() == [[1, 2]]
    found = find_cells({"user": [1], "film": [20]}, modes, (2, 3), strict=False)
    assert found.coords.tolist() == [[0, 2]]
    same = ModeLabels(2, ["user", "film"], [[0, 1], [0, 1, 2]])
    assert find_cells([(1, 2)], same, (2, 3), strict=False).coords.tolist() == [[1, 2]]
    with pytest.raises(vt.errors.ShapeError):
        find_cells([1, 10], modes, (2, 3), strict=False)


def test_arrays_of_labels_that_would_be_taken_for_coordinates() -> None:
    modes, shape = ModeLabels(2, ["user", "film"], [[2, 1, 0], [3, 1, 2, 0]]), (3, 4)
    labels = np.array([[1, 3], [2, 1]])
    with pytest.warns(vt.errors.CoordinatesWarning, match=r"dict\(zip\(model.modes, cells.T\)\)"):
        assert find_cells(labels, modes, shape, strict=False).coords.tolist() == labels.tolist()
    sure = find_cells(labels.astype(np.int32), modes, shape, strict=False)  # and no warning
    assert sure.coords.tolist() == labels.tolist()
    meant = dict(zip(modes.names, labels.T, strict=True))
    assert find_cells(meant, modes, shape, strict=False).coords.tolist() == [[1, 0], [0, 1]]
    others = ModeLabels(2, ["user", "film"], [[2, 1, 9], [3, 1, 2, 0]])
    assert find_cells(np.array([[0, 3]]), others, shape, strict=False).coords.tolist() == [[0, 3]]


def test_labels_outside_of_the_shape_are_no_coordinates() -> None:
    modes = ModeLabels(2, ["user", "year"], {"year": [1990, 1995]})
    for cells in (np.array([[0, 1], [0, 1995]]), [[0, 1], [0, -1]]):
        with pytest.raises(
            vt.errors.CoordinateError, match=r"row 1 has (1995|-1) in mode 'year'.*0\.\.1 here; for"
        ):
            find_cells(cells, modes, (3, 2), strict=False)


@pytest.mark.parametrize("form", ["dict", "rows", "pandas", "polars", "Arrow"])
def test_with_strict_an_unseen_label_is_an_error_that_names_it(form: str) -> None:
    data = {**COLUMNS, "film": [10, 30, 20]}
    rows = list(zip(data["user"], data["film"], data["day"], strict=True))
    cells = rows if form == "rows" else data if form == "dict" else FRAMES[form](data)
    with pytest.raises(vt.errors.LabelError, match="row 2 has 'eve' in mode 'user'"):
        find(cells, strict=True)


@given(st.lists(st.tuples(*(st.integers(0, dim - 1) for dim in SHAPE)), min_size=1))
def test_every_form_finds_the_cells_that_were_meant(cells: list[tuple[int, ...]]) -> None:
    coords = np.array(cells)
    labels = {
        name: own[coords[:, n]] for n, (name, own) in enumerate(zip(MODES, LABELS, strict=True))
    }
    X = vt.SparseTensor(coords, np.ones(len(coords)), SHAPE, labels=NAMED, duplicates="first")
    for found in (
        find(labels),
        find(pl.DataFrame(labels)),
        find(list(zip(*labels.values(), strict=True))),
    ):
        assert found.coords.tolist() == coords.tolist()
        assert found.unseen is not None
        assert not found.unseen.any()
    assert find(X).coords.tolist() == X.coords.tolist()


# --- Another tensor -------------------------------------------------------------------------------


def test_a_tensor_with_the_same_labels_is_taken_as_it_is() -> None:
    X = vt.SparseTensor(COORDS, [1.0, 2.0, 3.0], SHAPE, labels=NAMED)
    found = find(X)
    assert np.shares_memory(found.coords, X.coords)
    assert found.unseen is None


def test_a_tensor_without_labels_is_taken_by_number() -> None:
    X = vt.SparseTensor(COORDS, [1.0, 2.0, 3.0], SHAPE)
    assert np.shares_memory(find(X).coords, X.coords)


def test_labels_of_a_tensor_without_entries_do_not_matter() -> None:
    users = ["eve", "bob", "ann"]
    X = vt.SparseTensor(
        [[2, 0, 0], [1, 0, 0]], [1.0, 2.0], (3, 3, 5), modes=MODES,
        labels={"user": users, "film": LABELS[1], "day": LABELS[2]},
    )  # fmt: skip
    assert find(X, strict=True).coords[:, 0].tolist() == [0, 1]


def test_objects_that_cannot_be_labels_are_unseen() -> None:
    labels = (np.array(["ann", 7], dtype=object), np.array(["tea"], dtype=object))
    factors = [np.array([[1.0], [3.0]]), np.array([[1.0]])]
    model = vt.TuckerModel(np.array([[2.0]]), factors, labels=labels)
    frame = pd.DataFrame({"mode_0": ["ann", 7, ["ann"], None], "mode_1": "tea"})
    assert model.predict(frame, unseen="zero").tolist() == [2.0, 6.0, 0.0, 0.0]


def test_slips_are_told_with_what_may_have_been_meant() -> None:
    model = vt.TuckerModel(
        np.ones((1, 1)), [np.ones((2, 1)), np.ones((2, 1))], modes=("who", "dish"),
        labels=(None, np.array(["pizza", "tofu"], dtype=object)),
    )  # fmt: skip
    with pytest.warns(vt.errors.UnseenLabelsWarning) as caught:
        model.predict({"who": 0, "dish": ["Pizza", "Pizza", "tofu", "soup", "pizza "]})
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        "4 of 5 cells have labels that the model has not seen: 3 of mode 'dish', in 4 cells "
        "('Pizza': did you mean 'pizza'?, 'pizza ': did you mean 'pizza'?, 'soup'); unseen= says "
        "how these are predicted"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict({"who": 0, "dish": ["soup"]}, unseen="nan")  # chosen, and nothing like it
        model.explain({"who": 0, "dish": ["soup"]})  # says itself that it was not seen
    with pytest.warns(vt.errors.UnseenLabelsWarning, match="'piza': did you mean 'pizza'"):
        model.predict({"who": 0, "dish": ["piza"]}, unseen="nan")
    with pytest.raises(
        vt.errors.LabelError, match=r"'piza' .* not seen \(did you mean 'pizza'\?\);"
    ):
        model.predict({"who": 0, "dish": ["piza"]}, unseen="error")
    with pytest.raises(
        vt.errors.LabelError, match="'soup' in mode 'dish', which the model has not seen;"
    ):
        model.predict({"who": 0, "dish": ["soup"]}, unseen="error")


def test_modes_that_a_dict_leaves_out_have_no_labels() -> None:
    found = find({"film": [10, 30], "user": "bob"}, strict=True)
    assert found.left_out == (2,)
    assert found.coords.tolist() == [[1, 1, 0], [1, 0, 0]]
    assert found.unseen is not None
    assert not found.unseen.any()


def test_one_warning_tells_of_all_modes_of_a_tensor() -> None:
    X = vt.SparseTensor(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [1.0, 2.0, 3.0], (2, 2, 5), modes=MODES,
        labels={"user": ["Ann", "bob"], "film": [10, 7], "day": LABELS[2]},
    )  # fmt: skip
    with pytest.warns(vt.errors.UnseenLabelsWarning) as caught:
        find_cells(X, NAMED, SHAPE, strict=False, told="all", advice=OPTION)
    assert [str(each.message) for each in caught] == [
        "2 of 3 cells have labels that the model has not seen: 1 of mode 'user', in 2 cells "
        "('Ann': did you mean 'ann'?); 1 of mode 'film', in 1 cell (7); unseen= says how these are "
        "predicted"
    ]


def test_slips_in_the_form_of_cells_are_told() -> None:
    named = ModeLabels(2, ["user", "genre"], [["ann", "bob"], ["soup", "rice"]])
    with pytest.raises(vt.errors.ModeError, match=r"no mode 'gnre' .did you mean 'genre'"):
        find_cells({"user": "ann", "gnre": "soup"}, named, (2, 2), strict=False)
    with pytest.raises(vt.errors.ShapeError, match="for a single cell write"):
        find_cells(("ann", "soup"), named, (2, 2), strict=False)
    with pytest.raises(vt.errors.LabelError, match="an array of floats, but mode 'user'"):
        find_cells(np.array([[0.0, 1]]), named, (2, 2), strict=False)
