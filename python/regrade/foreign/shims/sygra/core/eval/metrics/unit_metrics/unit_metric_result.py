"""The result of a unit metric."""

from regrade.foreign.classes import UnitMetricResult

__all__ = ["UnitMetricResult"]
