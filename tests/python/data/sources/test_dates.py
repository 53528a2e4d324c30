"""Texts that are dates, wherever labels are given, and times as texts."""

from __future__ import annotations

import datetime as dt
import warnings
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.sources.dates import as_times, looks_like, plain_text, time_reader
from vest_tucker.data.sources.zones import zoned

WEEKS = ["2023-07-03", "2023-07-10", "2023-07-17"]


def weekly(unit: str = "us", text: bool = False) -> vt.TuckerModel:
    weeks: Any = WEEKS if text else np.array(WEEKS, dtype=f"M8[{unit}]")
    factors = [np.array([[1.0], [2.0], [4.0]]), np.array([[1.0], [3.0]])]
    labels: Any = {"week": weeks, "store": ["Bonn", "Koeln, Zoo"]}
    return vt.TuckerModel(np.ones((1, 1)), factors, modes=("week", "store"), labels=labels)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
@pytest.mark.parametrize("week", [WEEKS[1], f"{WEEKS[1]} 00:00", f"{WEEKS[1]}T00:00:00.000"])
def test_a_date_as_text_is_that_date(unit: str, week: str) -> None:
    model = weekly(unit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict({"week": week, "store": "Bonn"}).tolist() == [2.0]
        assert model.predict({"week": [week, WEEKS[2]], "store": "Bonn"}).tolist() == [2.0, 4.0]
        assert model.predict([(week, "Bonn")]).tolist() == [2.0]
        assert model.explain({"week": week, "store": "Bonn"}).totals.tolist() == [2.0]
        best = model.recommend({"week": week}, along="store", k=1)
    assert best.values.tolist() == [[6.0]]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_of_dates_as_text(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"week": WEEKS, "store": ["Bonn"] * 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weekly().predict(frame).tolist() == [1.0, 2.0, 4.0]


def test_other_texts_are_unseen_and_it_is_said_how_labels_look() -> None:
    model = weekly()
    with pytest.warns(vt.errors.UnseenLabelsWarning, match="such as 2023-07-03, but the cells"):
        model.predict({"week": "03.07.2023", "store": "Bonn"})
    for week in ("03.07.2023", "2023-07"):  # the second may be any day of the month
        with pytest.warns(vt.errors.UnseenLabelsWarning, match="labels look like 2023-07-03"):
            found = model.predict({"week": [WEEKS[0], week], "store": "Bonn"}, unseen="nan")
        assert np.isnan(found).tolist() == [False, True]


def test_what_is_excluded_may_be_dates_as_text() -> None:
    found = weekly().recommend(
        {"week": ["2030-01-07", WEEKS[0]]}, along="store", k=2,
        exclude={"week": [WEEKS[0], "2030-01-07"], "store": ["Bonn", "Koeln, Zoo"]},
    )  # fmt: skip
    assert found.labels.tolist() == [["Bonn", None], ["Koeln, Zoo", None]]


def test_texts_stay_texts_where_labels_are() -> None:
    assert weekly(text=True).predict({"week": WEEKS[1], "store": "Bonn"}).tolist() == [2.0]
    texts = label_array(WEEKS)
    assert as_times(texts, texts, label_array) is texts
    assert as_times(texts, None, label_array) is texts


def test_months_and_years_where_labels_are_such() -> None:
    years = time_reader(np.array(["2023-01-01", "2024-01-01"], dtype="M8[s]"))
    assert years("2024") == np.datetime64("2024-01-01")
    assert years("2024-01") == np.datetime64("2024-01-01")
    days = time_reader(np.array(["2023-01-02"], dtype="M8[D]"))
    assert days("2024") is days("2024-01") is days("today") is days("20240102") is None


def test_time_zones() -> None:
    times = zoned(np.array(["2024-06-30T22:00", "2024-07-01T08:00"], dtype="M8[us]"), "+02:00")
    read = time_reader(times)
    assert looks_like(times) == "2024-07-01"
    assert read("2024-07-01") == times[0]
    assert read("2024-07-01 10:00+02:00") == read("2024-07-01T08:00Z") == times[1]
    assert read("2024-07-01T04:00-0400") == times[1]
    assert read("2024-07-01 10:00") is read("2024-07") is None
    plain = time_reader(times.astype("M8[us]").view("M8[us]"))
    assert plain("2024-07-01T08:00Z") is plain("2024-07-01+02:00") is None


def test_plain_text_of_times() -> None:
    assert plain_text(np.datetime64("2024-01-05T08:30:15.250000")) == "2024-01-05 08:30:15.25"
    assert plain_text(dt.datetime(2024, 1, 5)) == "2024-01-05"
    assert plain_text(np.datetime64("NaT")) == "NaT"
