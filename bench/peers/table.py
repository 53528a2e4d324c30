"""The outcome of the comparison on one tensor as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

VALUES = {True: "centred", False: "as they are", None: "tried both ways"}


def table(tensor: str, runs: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a Markdown table, one system each."""
    yield (
        f"| {tensor} | values | seconds | peak memory | numbers stored | zeros "
        "| error, fitted | error, held out |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for run in runs:
        head = f"| {run['method']} | {VALUES[run['centred']]} |"
        if "failed" in run:
            yield f"{head} {run['failed']} | | | | | |"
        else:
            # Files of results that are older than these two columns have no such numbers.
            stored = f"{run['stored']:,}" if "stored" in run else ""
            zeros = f"{run['sparsity']:.2f}" if "sparsity" in run else ""
            yield (
                f"{head} {run['seconds']:.3g} | {run['memory'] / 2**20:.0f} MiB "
                f"| {stored} | {zeros} "
                f"| {run['train_error']:.4f} | {run['test_error']:.4f} |"
            )
