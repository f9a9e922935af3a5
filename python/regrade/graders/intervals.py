"""Intervals at 95 % of what is counted."""

from __future__ import annotations

Interval = tuple[float, float]
#: The standard normal's quantile at 0.975.
_Z = 1.959963984540054


def wilson(correct: int, total: int) -> Interval | None:
    """Return Wilson's score interval of a share; None where nothing was counted."""
    if total == 0:
        return None
    share = correct / total
    weight = _Z * _Z / total
    middle = (share + weight / 2) / (1 + weight)
    half = _Z / (1 + weight) * ((share * (1 - share) + weight / 4) / total) ** 0.5
    low = 0.0 if correct == 0 else max(0.0, middle - half)
    high = 1.0 if correct == total else min(1.0, middle + half)
    return low, high


def ratio_interval(value: float, variance: float, size: int) -> Interval | None:
    """Return the interval of a value between 0 and 1 by its variance; None where too few were counted, or all are alike
    and a width of nothing would promise too much."""
    if size < 2 or variance <= 0:
        return None
    half = _Z * variance**0.5
    return max(0.0, value - half), min(1.0, value + half)
