"""Signal of a built-in grader that a sample has no score: nobody's mistake, and never a zero."""

from __future__ import annotations


class Ungraded(Exception):
    """Raised by a built-in grader; the host makes the sample ungraded.

    ``type`` is a short word for grouping, ``message`` a sentence. The host takes it from built-in graders only: raised
    by a user's grader it is an exception like any other, so that nobody can talk a bad score away.
    """

    def __init__(self, type: str, message: str) -> None:
        super().__init__(message)
        self.type = type
        self.message = message
