"""Warnings of many fits: each kind is told once, with the number of fits that gave it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vest_tucker.base.errors import CheckpointWarning
from vest_tucker.base.telling.warn import warn


class Heard:
    """Collects the warnings of fits, so that ten fits do not show the same one ten times."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[type[Warning], str]] = Counter()
        self._latest: list[warnings.WarningMessage] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Collect the warnings of a fit, which `keep` counts if the fit is used.

        That a checkpoint cannot be written is told at once: hours later it would be of no use.
        """
        latest: list[warnings.WarningMessage] = []
        self._latest = latest

        def hear(*told: Any, **more: Any) -> None:
            message = warnings.WarningMessage(*told, **more)
            if issubclass(message.category, CheckpointWarning):
                show(*told, **more)
            else:
                latest.append(message)

        with warnings.catch_warnings():
            show = warnings.showwarning
            warnings.simplefilter("always")
            warnings.showwarning = hear
            yield

    def keep(self) -> None:
        """Count the warnings of the latest fit."""
        self._counts.update({(each.category, str(each.message)) for each in self._latest})

    def tell(self, n_fits: int) -> None:
        """Warn of each kind once."""
        for (category, text), times in self._counts.items():
            warn(f"{text} (in {times} of {n_fits} fits)", category)
