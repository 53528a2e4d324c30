"""When to stop pruning in the automatic mode: pure questions about the trace of errors.

``errors`` is always RE_1, ..., RE_t: the last one is the present iteration's.
"""

from __future__ import annotations

from collections.abc import Sequence


def is_elbow(errors: Sequence[float], rate: float, threshold: float = 0.05) -> bool:
    """Tell whether the error has just bent upwards: the paper's elbow point.

    The paper asks for a second difference over the pruning rate above the threshold. The steep
    fall of the first iterations bends too as it levels off, so we also ask for a rise.

    Examples
    --------
    >>> is_elbow([0.30, 0.29, 0.32], rate=0.03)
    True
    >>> is_elbow([0.90, 0.40, 0.35], rate=0.03)  # bends as much, but falls
    False
    """
    if len(errors) < 3:
        return False
    before_last, last, now = errors[-3:]
    return now > last and (now + before_last - 2 * last) / rate > threshold


def shot_up(errors: Sequence[float], factor: float = 1.3) -> bool:
    """Tell whether the error stands at ``factor`` times the lowest so far, or above.

    A slow climb never bends enough for `is_elbow`, but ends up as high.

    Examples
    --------
    >>> shot_up([0.50, 0.20, 0.25, 0.27])
    True
    >>> shot_up([0.50, 0.20, 0.25])
    False
    """
    lowest = min(errors)
    return errors[-1] > lowest and errors[-1] >= factor * lowest


def too_far(errors: Sequence[float], rate: float, threshold: float) -> bool:
    """Tell whether the last batch was one too many: should_prune() of the automatic mode."""
    return is_elbow(errors, rate, threshold) or shot_up(errors)
