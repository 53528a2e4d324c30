"""What an installation says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.base.config import PACKAGES, config, versions


def test_the_chosen_kernels_are_named() -> None:
    assert config()["kernels"].startswith(_core.isas()[0])
    assert _core.isas()[-1] == "base"  # runs anywhere


def test_everything_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    vt.show_config()
    shown = capsys.readouterr().out
    for name, value in config().items():
        assert f"{name:<12} {value}\n" in shown
    assert vt.__version__ in shown
    assert _core.__compiler__ in shown


def test_packages_are_named_without_being_loaded() -> None:
    (found,) = versions(["no-such-package", "numpy"])
    assert found == f"numpy {np.__version__}"
    assert config()["packages"]


@pytest.mark.skipif(_core.__openmp__ == "none", reason="one thread, whatever is said")
@pytest.mark.parametrize(
    ("used", "limits", "why"),
    [
        (3, {"limit": 3}, "OMP_THREAD_LIMIT=3"),
        (3, {"said": 3, "processors": 2}, "OMP_NUM_THREADS=3,1"),
        (2, {"processors": 2, "openmp": 8}, "affinity and quotas of this process"),
        (6, {"processors": 6, "openmp": 8}, "all of them"),
        (1, {"openmp": 1}, "OpenMP was told so, by threadpoolctl or another library"),
        (1, {"openmp": 1, "said": 3}, "OpenMP was told so, by threadpoolctl or another library"),
        (8, {"openmp": 900, "said": 900}, "more would help nobody"),
    ],
)
def test_how_many_threads_and_why(
    used: int, limits: dict[str, int], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = {"processors": 6, "said": 0, "openmp": 6, "limit": 1 << 31}
    monkeypatch.setenv("OMP_NUM_THREADS", "3,1")
    monkeypatch.setattr(_core, "max_threads", lambda: used)
    monkeypatch.setattr(_core, "thread_limits", lambda: usual | limits)
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    assert config()["threads"] == f"{used} of 6 processors: {why}"


@pytest.mark.skipif(_core.__openmp__ == "none", reason="one thread, whatever is said")
def test_what_the_environment_says_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert config()["threads"].startswith("1 of ")
    assert config()["threads"].endswith(": OMP_NUM_THREADS=1")


def test_packages_of_a_cluster_are_among_them() -> None:
    assert {"dask", "distributed"} <= set(PACKAGES)
