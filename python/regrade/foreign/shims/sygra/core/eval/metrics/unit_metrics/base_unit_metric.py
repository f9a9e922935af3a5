"""The base of unit metrics."""

from regrade.foreign.classes import BaseUnitMetric

__all__ = ["BaseUnitMetric"]
