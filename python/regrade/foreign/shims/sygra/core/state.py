"""The state of a graph."""

from regrade.foreign.classes import SygraState

__all__ = ["SygraState"]
