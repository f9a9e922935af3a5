"""The base of lambda nodes."""

from regrade.foreign.classes import LambdaFunction

__all__ = ["LambdaFunction"]
