"""A model in a file: it comes back bit for bit, and what is no model is named."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from small import fitted, labelled, small_model, with_biases, with_variances
from vest_tucker.io.archive import read_archive, write_archive
from vest_tucker.model.offset import Offset


@pytest.fixture
def model(model: vt.TuckerModel) -> vt.TuckerModel:
    model.core[0, 0, 0] = -0.0
    model.factors[0][0, 0] = 5e-324
    entries = [np.arange(dim) for dim in model.shape]
    records = [vt.IterationRecord(t, 0.1 + 0.2, 1 / 3, 0.1, 0.01, 0.5 / t) for t in (1, 2)]
    return dataclasses.replace(labelled(fitted(model, history=records)), entries=entries)


def assert_same(got: Any, want: Any) -> None:
    """Compare all fields bit for bit, NaN with NaN."""
    assert type(got) is type(want)
    if isinstance(want, np.ndarray):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        same = got.tolist() == want.tolist() if want.dtype == object else None
        assert got.tobytes() == want.tobytes() if same is None else same
    elif isinstance(want, list | tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_same(one, other)
    elif isinstance(want, Offset | vt.Importance):
        for field in dataclasses.fields(want):
            assert_same(getattr(got, field.name), getattr(want, field.name))
    else:
        assert got == want or math.isnan(got) == math.isnan(want) is True


def assert_same_model(got: vt.TuckerModel, want: vt.TuckerModel) -> None:
    for field in dataclasses.fields(want):
        if field.init:
            assert_same(getattr(got, field.name), getattr(want, field.name))


def test_every_field_comes_back_bit_for_bit(model: vt.TuckerModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.npz")
    same = vt.TuckerModel.load(tmp_path / "model.npz")
    assert_same_model(same, model)
    assert str(same) == str(model)
    cells = [("Zoë", 20, np.datetime64("2021-05-01")), ("eve", 1, None)]
    np.testing.assert_array_equal(same.predict(cells), model.predict(cells))


def test_a_model_made_by_hand_comes_back(rng: np.random.Generator, tmp_path: Path) -> None:
    bare = small_model(rng)
    bare.save(str(tmp_path / "bare"))
    assert_same_model(vt.TuckerModel.load(str(tmp_path / "bare")), bare)


def test_offsets_come_back(model: vt.TuckerModel, rng: np.random.Generator, tmp_path: Path) -> None:
    biased = with_biases(model, rng)
    for each in (biased, dataclasses.replace(model, offset=Offset("mean", 0.1 + 0.2))):
        each.save(tmp_path / "model.npz")
        same = vt.TuckerModel.load(tmp_path / "model.npz")
        assert_same_model(same, each)
        assert str(same) == str(each)
        cells = [("Zoë", 20, np.datetime64("2021-05-01")), ("eve", 1, None)]
        np.testing.assert_array_equal(same.predict(cells), each.predict(cells))


def test_variances_come_back(
    model: vt.TuckerModel, rng: np.random.Generator, tmp_path: Path
) -> None:
    sure = dataclasses.replace(
        with_variances(model, rng), value_range=(0.1, 5), ranks_before=(4, 4, 4)
    )
    core_only = dataclasses.replace(sure, factor_variances=None, value_range=None)
    for each in (sure, core_only):
        each.save(tmp_path / "model.npz")
        same = vt.TuckerModel.load(tmp_path / "model.npz")
        assert_same_model(same, each)
        assert str(same) == str(each)


def test_files_of_before_there_were_variances_are_read(
    model: vt.TuckerModel, tmp_path: Path
) -> None:
    path = tmp_path / "model.npz"
    model.save(path)
    arrays, facts = read_archive(path, "model")
    assert not {"core_variance", "factor_variances_0"} & arrays.keys()
    del facts["noise"]
    assert not {"value_range", "ranks_before"} & facts.keys()
    write_archive(path, "model", arrays, facts)
    assert_same_model(vt.TuckerModel.load(path), model)


def test_variances_of_some_modes_only_are_no_model(
    model: vt.TuckerModel, rng: np.random.Generator, tmp_path: Path
) -> None:
    path = tmp_path / "model.npz"
    with_variances(model, rng).save(path)
    arrays, facts = read_archive(path, "model")
    del arrays["factor_variances_1"]
    write_archive(path, "model", arrays, facts)
    with pytest.raises(vt.errors.DamagedFileError, match="do not form a model"):
        vt.TuckerModel.load(path)


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_a_fit_comes_back(tmp_path: Path, offset: Any) -> None:
    X, _ = vt.datasets.synthetic((20, 15, 10), 2, nnz=600, seed=0)
    model = vt.fit(X, 2, offset=offset, lam=0.001, seed=0, threads=1, preset="paper")
    model.save(tmp_path / "fit.npz")
    again = vt.TuckerModel.load(tmp_path / "fit.npz")
    assert_same_model(again, model)
    assert vt.relative_error(again, X) == vt.relative_error(model, X)


@given(
    labels=st.one_of(
        st.lists(st.text(), min_size=1, max_size=6, unique=True),
        st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=6, unique=True),
        st.lists(st.dates(), min_size=1, max_size=6, unique=True),
        st.lists(st.floats(allow_nan=False), min_size=1, max_size=6, unique=True),
    ),
    error=st.floats(),
)
def test_labels_of_any_kind_come_back(
    tmp_path_factory: pytest.TempPathFactory, labels: list[Any], error: float
) -> None:
    path = tmp_path_factory.mktemp("labels") / "model.npz"
    factors = [np.ones((len(labels), 1)), np.ones((2, 1))]
    model = vt.TuckerModel(np.ones((1, 1)), factors, error=error, labels=[labels, None])  # type: ignore[arg-type]
    model.save(path)
    assert_same_model(vt.TuckerModel.load(path), model)


def test_labels_that_no_file_can_hold_are_named(tmp_path: Path) -> None:
    mixed: Any = [[7, "seven"], None]
    model = vt.TuckerModel(np.ones((1, 1)), [np.ones((2, 1))] * 2, labels=mixed)
    with pytest.raises(
        vt.errors.LabelError, match="labels of mode 0 cannot be written, for 7 is an int"
    ):
        model.save(tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(model: vt.TuckerModel, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model.save(path)
    before = path.read_bytes()
    broken = dataclasses.replace(model, stopped=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


def test_every_cut_and_every_flipped_byte_is_noticed(model: vt.TuckerModel, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model.save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        path.write_bytes(whole[:at])
        with pytest.raises(vt.errors.FileFormatError):
            vt.TuckerModel.load(path)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with contextlib.suppress(vt.errors.FileFormatError):
            assert_same_model(vt.TuckerModel.load(path), model)  # a byte that nobody reads


def test_files_that_hold_no_model(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    write_archive(path, "tensor", {"core": np.ones((1, 1))}, {})
    with pytest.raises(vt.errors.FileFormatError, match="holds a tensor, not a model"):
        vt.TuckerModel.load(path)
    np.savez(path, core=np.ones((1, 1)))
    with pytest.raises(vt.errors.FileFormatError, match="did not write it"):
        vt.TuckerModel.load(path)
    path.write_bytes(b"not a zip at all")
    with pytest.raises(vt.errors.FileFormatError):
        vt.TuckerModel.load(path)
    with pytest.raises(FileNotFoundError):
        vt.TuckerModel.load(tmp_path / "nowhere.npz")


ONES = np.ones((2, 1))
TWO = {f"offset_biases_{mode}": np.ones(2) for mode in range(2)}
BIASES = {"offset": {"kind": "biases", "mean": 1.0, "error": 0.2}}


@pytest.mark.parametrize(
    ("arrays", "facts"),
    [
        ({"core": None}, {}),
        ({"factors_1": None}, {}),
        ({"factors_1": np.ones((2, 2))}, {}),
        ({"factors_1": ONES * np.nan}, {}),
        ({"core": np.array(["a"], dtype=object)}, {}),
        ({"labels_0": np.arange(3)}, {}),
        ({"labels_0": np.zeros(2)}, {}),
        ({"entries_0": np.arange(2)}, {}),
        ({"entries_0": np.arange(2), "entries_1": np.arange(3)}, {}),
        ({"history_error": None}, {}),
        ({"history_error": np.ones(5)}, {}),
        ({"history_error": np.array(2.0)}, {}),
        ({"history_error": np.ones((1, 1))}, {}),
        ({"history_error": np.array(["a"], dtype=object)}, {}),
        ({"history_error": np.array(["2020-01-01"], dtype="M8[D]")}, {}),
        ({}, {"error": "small"}),
        ({}, {"stopped": 3}),
        ({}, {"modes": "ab"}),
        ({}, {"modes": ["a"]}),
        ({}, {"modes": [["a"], {}]}),
        ({}, {"nnz": None}),
        ({}, {"surprise": 1}),
        ({}, {"core": 1.0}),
        ({}, {"_named": 1}),
        (TWO, {}),
        (TWO, {"offset": {"kind": "mean", "mean": 1.0, "error": 0.2}}),
        (TWO | {"offset_biases_1": np.ones(3)}, BIASES),
        (TWO | {"offset_biases_1": np.array([np.nan, 1.0])}, BIASES),
        (TWO | {"offset_biases_1": np.array(["a", "b"], dtype=object)}, BIASES),
        ({"offset_biases_1": np.ones(2)}, BIASES),
        ({}, BIASES),
        (TWO, {"offset": {"kind": "median", "mean": 1.0, "error": 0.2}}),
        (TWO, {"offset": {"kind": "biases", "mean": "1", "error": 0.2}}),
        (TWO, {"offset": {"kind": "biases", "mean": math.inf, "error": 0.2}}),
        (TWO, {"offset": {"kind": "biases", "mean": 1.0}}),
        (TWO, {"offset": 1.0}),
    ],
)
def test_parts_that_make_no_model(
    tmp_path: Path, arrays: dict[str, Any], facts: dict[str, Any]
) -> None:
    path = tmp_path / "model.npz"
    model = vt.TuckerModel(np.ones((1, 1)), [ONES, ONES])
    fitted(model).save(path)
    good_arrays, good_facts = read_archive(path, "model")
    changed = {name: part for name, part in (good_arrays | arrays).items() if part is not None}
    write_archive(path, "model", changed, good_facts | facts)
    with pytest.raises(
        vt.errors.DamagedFileError, match=r"model\.npz: its parts do not form a model"
    ):
        vt.TuckerModel.load(path)


def test_facts_that_an_older_version_did_not_know_have_their_defaults(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    write_archive(
        path, "model", {"core": np.ones((1, 1)), "factors_0": ONES, "factors_1": ONES}, {}
    )
    assert_same_model(vt.TuckerModel.load(path), vt.TuckerModel(np.ones((1, 1)), [ONES, ONES]))
