"""The outcome of the comparison on one tensor as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def table(tensor: str, runs: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a Markdown table, with always predicting the mean as the first one."""
    yield f"| {tensor} | values | seconds | peak memory | error, fitted | error, held out |"
    yield "|---|---|---|---|---|---|"
    means = [run["mean_test_error"] for run in runs if "mean_test_error" in run]
    if means:
        yield f"| always the mean | | | | | {means[0]:.4f} |"
    for run in runs:
        head = f"| {run['method']} ({run['note']}) | {'centred' if run['centred'] else 'as is'} |"
        if "failed" in run:
            yield f"{head} {run['failed']} | | | |"
        else:
            yield (
                f"{head} {run['seconds']:.3g} | {run['memory'] / 2**20:.0f} MiB "
                f"| {run['train_error']:.4f} | {run['test_error']:.4f} |"
            )
