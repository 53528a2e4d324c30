"""A path in words."""

from __future__ import annotations

import pytest

import vest_tucker as vt
from vest_tucker.studies.path.text import shown


def test_the_table_marks_the_knee_beside_the_baseline(prunable: vt.SparseTensor) -> None:
    path = vt.path(prunable, 2, preset="paper", seed=0)
    lines = str(path).splitlines()
    marked = [line for line in lines if line.endswith("<- knee")]
    knee = path.steps[path.best_index]
    assert len(marked) == 1
    assert marked[0].split()[:4] == [
        str(path.best_index), f"{knee.sparsity:.3f}", str(knee.n_parameters), f"{knee.error:.4f}",
    ]  # fmt: skip
    assert f"{path.baseline_error:.4f}, the error of always predicting the mean" in str(path)
    assert "held back" not in str(path)
    assert "ends before" not in str(path)


def test_the_table_shows_the_error_held_back(prunable: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(prunable, test=0.2, seed=0)
    path = vt.path(
        train, 2, preset="paper", validation=held, knee="validation", step=0.1, n_starts=1, seed=0
    )
    assert "held back  criterion" in str(path)
    assert "one standard error" in str(path)
    assert f"{path.steps[0].validation_error:.4f}" in str(path)


def test_a_path_that_ends_before_its_knee_says_so(prunable: vt.SparseTensor) -> None:
    path = vt.path(prunable, 2, preset="paper", least=0.8, n_starts=1, seed=0)
    assert path.best_index == len(path) - 1
    assert str(path).endswith("The path ends before its knee: lower least, or the ranks.")


@pytest.mark.parametrize(("n", "knee"), [(1, 0), (7, 6), (90, 0), (90, 50), (90, 89)])
def test_ends_and_knee_are_shown(n: int, knee: int) -> None:
    numbers = shown(n, knee)
    assert {0, knee, n - 1} <= set(numbers)
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= 19


def test_a_path_with_variances_tells_its_structure_and_baselines(
    prunable: vt.SparseTensor,
) -> None:
    path = vt.path(prunable, 2, step=0.1, seed=0, threads=1)
    lines = str(path).splitlines()
    step = path.steps[path.best_index]
    assert lines[1].startswith(f"  knee        {step.share:.3f} pruned, the sparsest that costs")
    assert f"error {step.validation_error:.4f} on" in lines[2]
    assert "the mean" in lines[2]
    assert lines[4].startswith("  structure   ")
    assert lines[5] == "  stop  sparsity  pruned  parameters   error  held back  criterion"
    alone = str(vt.path(prunable, 2, step=0.1, holdout=0.0, seed=0, threads=1))
    assert "always predicting the mean" in alone
    assert "held" not in alone
