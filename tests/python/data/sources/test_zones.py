"""Time zones go all the way: in by frames, through fits and files, out by frames and texts."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.label_arrays import joined, label_array, listed
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.data.sources.zones import local, without_zone, zone_of, zoned

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
zoneinfo = pytest.importorskip("zoneinfo")

ZONE = "Europe/Berlin"
BERLIN = zoneinfo.ZoneInfo(ZONE)
# The second and the third have the same local time.
MOMENTS = [
    dt.datetime(2024, 3, 31, 0, 30, tzinfo=BERLIN),
    dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN),
    dt.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=BERLIN),
]
COLUMNS: dict[str, Any] = {"when": MOMENTS, "who": ["a", "b", "a"], "v": [1.0, 2.0, 3.0]}
FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(COLUMNS),
    # Polars 1.0 makes UTC of moments with a zone, unless it is told.
    "polars": pl.DataFrame(COLUMNS).with_columns(pl.col("when").dt.convert_time_zone(ZONE)),
    "pyarrow": pa.table(pd.DataFrame(COLUMNS).to_dict("list")),
}


def tensor(library: str = "pandas") -> vt.SparseTensor:
    return vt.SparseTensor.from_frame(FRAMES[library], ["when", "who"], "v")


def model() -> vt.TuckerModel:
    X = tensor()
    factors = [np.array([[1.0], [2.0], [3.0]]), np.ones((2, 1))]
    return vt.TuckerModel(np.ones((1, 1)), factors, modes=X.modes, labels=X.labels)


def assert_zoned(labels: Any) -> None:
    assert zone_of(labels) == ZONE
    assert [each.isoformat() for each in listed(labels)] == [each.isoformat() for each in MOMENTS]


@pytest.mark.parametrize("library", FRAMES)
def test_frames_in_and_out(library: str) -> None:
    X = tensor(library)
    assert_zoned(X.labels[0])
    for backend in ("pandas", "polars", "pyarrow"):
        frame = X.to_frame(value="v", backend=backend)
        column = frame["when"].to_pylist() if backend == "pyarrow" else frame["when"].to_list()
        assert [each.isoformat() for each in column] == [each.isoformat() for each in MOMENTS]
        assert ZONE in str(frame["when"].type if backend == "pyarrow" else frame["when"].dtype)
        again = vt.SparseTensor.from_frame(frame, ["when", "who"], "v", like=X)
        assert again.coords.tolist() == X.coords.tolist()


def test_predictions_by_any_form_of_the_same_moment() -> None:
    utc = [each.astimezone(dt.timezone.utc) for each in MOMENTS]
    series = pd.Series(MOMENTS)
    for when in (MOMENTS, utc, series, series.dt.tz_convert("Asia/Tokyo"), pl.Series(MOMENTS)):
        found = model().predict({"when": when, "who": "a"}, unseen="error")
        assert found.tolist() == [1.0, 2.0, 3.0]
    for frame in (FRAMES["pandas"], FRAMES["polars"]):
        assert model().predict(frame, unseen="error").tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["x.npz", "x.parquet"])
def test_files_of_tensors(tmp_path: Path, name: str) -> None:
    vt.write(tensor(), tmp_path / name)
    assert_zoned(vt.read(tmp_path / name).labels[0])


def test_text_has_the_times_of_utc(tmp_path: Path) -> None:
    vt.write(tensor(), tmp_path / "x.csv")
    labels = vt.read(tmp_path / "x.csv").labels[0]
    assert labels is not None
    assert np.array_equal(labels, tensor().labels[0])  # type: ignore[arg-type]


def test_models_keep_them(tmp_path: Path) -> None:
    model().save(tmp_path / "m.npz")
    loaded = vt.TuckerModel.load(tmp_path / "m.npz")
    for each in (loaded, pickle.loads(pickle.dumps(model())), copy.deepcopy(model())):
        assert_zoned(each.labels[0])
    column = loaded.factor_frame("when", backend="polars")["when"]
    assert column.dtype.time_zone == ZONE
    assert loaded.top("when", 0)[0][0] == MOMENTS[2]
    assert "2024-10-27 02:30+01:00" in str(loaded.explain([(MOMENTS[2], "a")]))
    assert "2024-10-27 02:30+02:00" in str(loaded.describe())
    best = loaded.recommend({"who": "a"}, along="when")
    assert "2024-03-31 00:30+01:00" in str(best)


def test_a_plain_fit_keeps_them() -> None:
    X, _ = vt.datasets.synthetic((20, 10), 1, nnz=150, seed=0)
    hours = pd.date_range("2024-03-30 22:00", periods=20, freq="h", tz=ZONE)
    X = vt.SparseTensor(X.coords, X.values, X.shape, labels=[hours, None])
    assert X.labels[0] is not None
    assert zone_of(X.labels[0]) == ZONE
    fitted = vt.fit(X, 1, preset="paper", lam=0.01, max_iter=2, seed=0)
    assert fitted.labels[0] is not None
    assert zone_of(fitted.labels[0]) == ZONE


def test_arrays_of_times() -> None:
    times = label_array(MOMENTS)
    assert_zoned(times)
    assert zone_of(joined(times[:1], times[1:])) == ZONE
    assert zone_of(without_zone(times)) is None
    assert zoned(np.arange(3), ZONE).tolist() == [0, 1, 2]  # no times
    mixed = label_array([MOMENTS[0], MOMENTS[1].astimezone(dt.timezone.utc)])
    assert zone_of(mixed) is None
    assert mixed.tolist() == times[:2].tolist()


def test_zones_by_distance_and_those_that_nobody_knows() -> None:
    times = np.array(["2024-07-01T10:00"], dtype="M8[s]")
    assert local(zoned(times, "+05:30"))[0].isoformat() == "2024-07-01T15:30:00+05:30"
    assert local(zoned(times, "UTC-02:00"))[0].isoformat() == "2024-07-01T08:00:00-02:00"
    assert local(zoned(times, "Nowhere/Land")) == [times[0]]
    fine = zoned(np.array(["2024-07-01T10:00:00.000000001"], dtype="M8[ns]"), ZONE)
    assert local(fine) == [without_zone(fine)[0]]
    east = dt.timezone(dt.timedelta(hours=9))
    assert zone_of(label_array([dt.datetime(2024, 1, 1, tzinfo=east)])) == "UTC+09:00"


def test_texts_of_times_with_a_zone() -> None:
    assert plain_text(MOMENTS[0]) == "2024-03-31 00:30+01:00"
    assert plain_text(dt.datetime(2024, 7, 1, tzinfo=BERLIN)) == "2024-07-01"
