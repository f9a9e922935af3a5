"""The base of post-processors."""

from regrade.foreign.classes import GraphPostProcessor

__all__ = ["GraphPostProcessor"]
