"""What a metric says of itself."""

from regrade.foreign.classes import BaseMetricMetadata

__all__ = ["BaseMetricMetadata"]
