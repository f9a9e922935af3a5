"""A metric's metadata."""

from regrade.foreign.classes import BaseMetricMetadata

__all__ = ["BaseMetricMetadata"]
