"""The aggregators by name."""

from regrade.foreign.classes import AggregatorMetricRegistry, aggregator_metric

__all__ = ["AggregatorMetricRegistry", "aggregator_metric"]
