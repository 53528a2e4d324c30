"""Warnings that point to the line of the user's program, however deep inside the cause is."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path

from vest_tucker.base.telling.steps import hide
from vest_tucker.base.text_table import visible

# The package, and what enters and leaves its contexts.
PACKAGE = str(Path(__file__).parents[2]) + os.sep
INSIDE = (PACKAGE, contextlib.__file__)


def warn(message: str, category: type[Warning]) -> None:
    """Warn of something that the first caller outside of the package can change."""
    hide()
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(visible(message), category, stacklevel=level)
