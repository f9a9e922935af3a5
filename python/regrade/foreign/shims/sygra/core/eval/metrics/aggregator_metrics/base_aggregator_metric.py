"""The base of aggregators."""

from regrade.foreign.classes import BaseAggregatorMetric

__all__ = ["BaseAggregatorMetric"]
