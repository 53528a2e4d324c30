"""A path with a penalty of the paper: what each stop says of itself, and where the knee is."""

from __future__ import annotations

import logging
import signal
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import reference_path as reference
import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.base import memory
from vest_tucker.base.errors import InitError, LossError, NotEnoughMemoryError, OptionError
from vest_tucker.fitting.basis.sparse import bytes_to_turn

QUICK: dict[str, Any] = {
    "preset": "paper", "step": 0.1, "refit": 2, "n_starts": 1, "seed": 0, "threads": 1
}  # fmt: skip


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    X = vt.datasets.synthetic((16, 12, 9), 2, nnz=800, sparsity=0.4, noise=0.3, seed=0)[0]
    labels = {"who": [f"p{k}" for k in range(16)]}
    return vt.SparseTensor(
        X.coords, X.values + 2.0, X.shape, modes=("who", "b", "c"), labels=labels
    )


# --- Planted truths ------------------------------------------------------------------------------

PLANTED = [
    ((60, 50, 40), (3, 3, 3), 20_000, 0.7),
    ((200, 100, 50), (4, 4, 4), 50_000, 0.7),
    ((100, 80, 20, 10), (4, 4, 2, 2), 40_000, 0.5),
    ((300, 200, 24), (5, 5, 3), 60_000, 0.85),
]


@pytest.mark.parametrize(("shape", "ranks", "nnz", "sparsity"), PLANTED)
def test_the_knee_is_where_it_was_planted(
    shape: tuple[int, ...], ranks: tuple[int, ...], nnz: int, sparsity: float
) -> None:
    X, truth = vt.datasets.synthetic(shape, ranks, nnz, sparsity=sparsity, noise=0.2, seed=11)
    path = vt.path(X, ranks, preset="paper", seed=0)
    best = path.best
    found = reference.f1([best.core, *best.factors], [truth.core, *truth.factors])
    assert found >= 0.9
    assert abs(best.sparsity - truth.sparsity) <= 0.05
    assert path.basis == "rotated"
    assert path.criteria["rotated"] < path.criteria["plain"]


# --- What each stop says -------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
@pytest.mark.parametrize("allocation", ["global", "per_matrix"])
@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_every_step_tells_the_numbers_of_its_model(
    tensor: vt.SparseTensor, offset: Any, allocation: Any, loss: Any
) -> None:
    path = vt.path(tensor, 2, offset=offset, allocation=allocation, loss=loss, **QUICK)
    assert len(path) > 5
    pruned = [record.pruned for record in path[-1].history]
    assert pruned[0] == 0.0
    assert (np.diff(pruned) > 0.0).all()
    for model, step in zip(path, path.steps, strict=True):
        assert model.error == step.error
        assert vt.relative_error(model, tensor) == pytest.approx(step.error, rel=1e-9)
        assert model.n_nonzero == step.n_nonzero
        assert model.n_parameters == step.n_parameters
        assert model.sparsity == pytest.approx(step.sparsity)
        assert step.criterion == pytest.approx(
            reference.criterion(step.error, step.n_parameters, tensor.nnz)
        )
        assert model.modes == tensor.modes
        assert model.labels[0] is not None
        for factor in model.factors:
            norms = np.sqrt((factor**2).sum(axis=0))
            np.testing.assert_allclose(norms[norms > 0.0], 1.0)
    assert path.best_index == int(np.argmin([step.criterion for step in path.steps]))


def test_pruning_reaches_the_least_and_no_more(tensor: vt.SparseTensor) -> None:
    path = vt.path(tensor, 2, least=0.4, **QUICK)
    total = 8 + 2 * (16 + 12 + 9)
    assert path.steps[-1].n_nonzero == int(np.ceil(0.4 * total))


def test_the_same_bits_on_any_number_of_threads(tensor: vt.SparseTensor) -> None:
    first, second = (vt.path(tensor, 2, **(QUICK | {"threads": n})) for n in (1, 2))
    assert first.steps == second.steps
    for a, b in zip(first, second, strict=True):
        for mine, theirs in zip((a.core, *a.factors), (b.core, *b.factors), strict=True):
            assert mine.tobytes() == theirs.tobytes()


def test_auto_keeps_the_basis_of_the_lower_criterion(tensor: vt.SparseTensor) -> None:
    both = vt.path(tensor, 2, **QUICK)
    alone = {name: vt.path(tensor, 2, basis=name, **QUICK) for name in ("rotated", "plain")}
    lowest = {name: min(s.criterion for s in path.steps) for name, path in alone.items()}
    assert both.criteria == lowest
    assert both.basis == min(lowest, key=lambda name: lowest[name])
    assert both.steps == alone[both.basis].steps


def test_a_penalty_given_is_the_penalty_paid(tensor: vt.SparseTensor) -> None:
    path = vt.path(tensor, 2, lam=0.5, **QUICK)
    assert path[0].lam == 0.5
    assert vt.path(tensor, 2, **QUICK)[0].lam < 0.5


def test_arrays_to_start_from(tensor: vt.SparseTensor) -> None:
    dense = vt.fit(tensor, 2, sparsity=0.0, loss="lf", lam=0.01, seed=0)
    path = vt.path(tensor, 2, init=(dense.core, dense.factors), basis="plain", **QUICK)
    assert path.steps[0].error < 1.05 * dense.error


def test_constraints_hold_at_every_stop(tensor: vt.SparseTensor) -> None:
    mask = np.ones((12, 2), dtype=bool)
    mask[:5, 0] = False
    kept = np.ones((9, 2), dtype=bool)
    path = vt.path(tensor, 2, nonnegative=["who"], support={"b": mask}, keep={"c": kept}, **QUICK)
    assert path.basis == "plain"
    for model in path:
        assert model.factors[0].min() >= 0.0
        assert not model.factors[1][~mask].any()
    # Not pruned, an element still is zero once all that it meets is.
    assert path.at(sparsity=0.5).factors[2].all()
    assert not vt.path(tensor, 2, **QUICK).at(sparsity=0.5).factors[2].all()


# --- Entries held back ---------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [None, "biases"])
def test_validation_chooses_as_by_hand(tensor: vt.SparseTensor, offset: Any) -> None:
    train, held = vt.train_test_split(tensor, test=0.3, seed=0)
    path = vt.path(train, 2, knee="validation", validation=held, offset=offset, **QUICK)
    squares = [(held.values - model.predict(held)) ** 2 for model in path]
    assert path.best_index == reference.sparsest_within_one_standard_error(squares)
    for model, step in zip(path, path.steps, strict=True):
        assert vt.relative_error(model, held) == pytest.approx(step.validation_error, rel=1e-9)


def test_entries_held_back_need_not_choose_the_model(tensor: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(tensor, test=0.3, seed=0)
    told = vt.path(train, 2, validation=held, **QUICK)
    alone = vt.path(train, 2, **QUICK)
    assert told.best_index == alone.best_index
    assert told.has_validation
    assert not alone.has_validation


# --- Interrupts, progress, bad options -----------------------------------------------------------


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ctrl-C during the update whose number is in the list."""
    walk = sys.modules["vest_tucker.studies.path.prune_down"]
    update, at, calls = walk.update, [0], [0]

    def disturbed(*args: Any, **options: Any) -> None:
        calls[0] += 1
        if calls == at:
            signal.raise_signal(signal.SIGINT)
        update(*args, **options)

    monkeypatch.setattr(walk, "update", disturbed)
    return at


def test_an_interrupt_returns_the_path_so_far(
    tensor: vt.SparseTensor, interrupt_at: list[int]
) -> None:
    whole = vt.path(tensor, 2, basis="rotated", **QUICK)
    interrupt_at[0] = 2 * len(whole) + 2 * 3 + 2  # in the second half of the fourth stop
    with pytest.warns(RuntimeWarning, match="interrupted after 3 stops"):
        part = vt.path(tensor, 2, **QUICK)
    assert part.steps == whole.steps[:3]
    assert vt.relative_error(part[-1], tensor) == pytest.approx(part.steps[-1].error, rel=1e-9)


def test_an_interrupt_in_the_second_basis_leaves_the_first(
    tensor: vt.SparseTensor, interrupt_at: list[int]
) -> None:
    whole = vt.path(tensor, 2, basis="rotated", **QUICK)
    interrupt_at[0] = 4 * len(whole) + 5
    with pytest.warns(RuntimeWarning, match="interrupted"):
        part = vt.path(tensor, 2, **QUICK)
    assert part.steps == whole.steps
    assert list(part.criteria) == ["rotated"]


def test_an_interrupt_before_the_first_stop(
    tensor: vt.SparseTensor, interrupt_at: list[int]
) -> None:
    interrupt_at[0] = 2
    with pytest.raises(KeyboardInterrupt):
        vt.path(tensor, 2, **QUICK)


def test_progress(tensor: vt.SparseTensor, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "vest_tucker")
    vt.path(tensor, 2, **QUICK)
    for step in ("burn-in 1 of 1: ", "settling: ", "pruning, rotated: ", "pruning, plain: "):
        assert any(each.startswith(f"path > {step}") for each in caplog.messages), step
    assert any(" > stop 2: " in each for each in caplog.messages)


def test_exact_offset_gives_no_warning() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1], [1, 0]], [2.0, 2.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = vt.path(X, 1, preset="paper", offset="mean", seed=0)
    assert path.best.predict([[1, 1]]).tolist() == [2.0]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"knee": "sharp"}, OptionError, "knee is 'sharp'"),
        ({"knee": "validation"}, OptionError, "validation=..."),
        ({"basis": "turned"}, OptionError, "basis is 'turned'"),
        ({"step": 0.0}, OptionError, "step is 0.0"),
        ({"least": 2}, OptionError, "least is 2"),
        ({"refit": 0}, OptionError, "refit is 0"),
        ({"n_starts": 0}, OptionError, "n_starts is 0"),
        ({"lam": "auto"}, OptionError, 'lam is "auto"'),
        ({"lam": -1.0}, OptionError, "lam is -1.0"),
        ({"loss": "l2"}, LossError, "penalty is 'l2'"),
        ({"init": "random"}, InitError, "init is 'random'"),
        ({"init": None}, InitError, "init is None"),
    ],
)
def test_bad_options(
    tensor: vt.SparseTensor, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says.replace(".", r"\.")):
        vt.path(tensor, 2, **({"preset": "paper"} | options))


def test_memory_is_asked_for_all_stops(
    tensor: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 8 + 2 * (16 + 12 + 9)
    one_fit = memory.needed(
        tensor.shape, tensor.nnz, (2, 2, 2), 1, allocation=_core.Allocation.GLOBAL,
        turning=bytes_to_turn(tensor.shape, (2, 2, 2)),
    )  # fmt: skip
    # Each basis takes some 30 dense models' worth.
    room = one_fit + 8 * size * 35
    monkeypatch.setattr(memory, "available", lambda: room)
    with pytest.raises(NotEnoughMemoryError):
        vt.path(tensor, 2, preset="paper", seed=0, threads=1)
    vt.path(tensor, 2, preset="paper", seed=0, threads=1, basis="plain")
    vt.path(tensor, 2, preset="paper", seed=0, threads=1, check_memory=False)


def test_something_else_than_a_tensor() -> None:
    with pytest.raises(TypeError):
        vt.path([[1.0]], 2, preset="paper")  # type: ignore[arg-type]
