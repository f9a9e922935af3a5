"""The signal of a built-in grader that a sample has no score. Nobody made a mistake, and it is never a zero."""

from __future__ import annotations


class Ungraded(Exception):
    """Raised by a built-in grader; the host makes the sample ungraded.

    ``type`` is a short word for grouping, ``message`` a sentence. The host accepts it from built-in graders only:
    raised by a user's grader it is an ordinary exception, so that nobody can hide a bad score.
    """

    def __init__(self, type: str, message: str) -> None:
        super().__init__(message)
        self.type = type
        self.message = message
