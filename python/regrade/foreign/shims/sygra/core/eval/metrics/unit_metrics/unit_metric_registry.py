"""The unit metrics by name."""

from regrade.foreign.classes import UnitMetricRegistry, unit_metric

__all__ = ["UnitMetricRegistry", "unit_metric"]
