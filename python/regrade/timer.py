"""A time limit for code on the main thread, that ``re`` and ``time.sleep`` obey too."""

from __future__ import annotations

import os
import signal

# Not signal's own, which looks each handler up among its constants: it is asked for every sample.
from _signal import getsignal  # type: ignore[import-not-found]
from types import FrameType

_AGAIN = 0.1


class TimeUp(BaseException):
    """The sample's time is over. No ``Exception``, so that a user's ``except Exception`` lets it pass."""


class Timer:
    """Raises TimeUp in the main thread, again every tenth of a second: a bare ``except`` may swallow the first.

    Code that swallows them all is ended from outside, by the process that forked this one or by Node; where Node is
    gone, it ends here. On Windows, which has no such timer, Node alone ends it.
    """

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._running = False
        self._works = hasattr(signal, "setitimer")
        self._handler = self._ring

    def take_signal(self) -> None:
        """Take the alarm signal, now and then again: a grader may have used it for a time-out of its own."""
        if self._works:
            signal.signal(signal.SIGALRM, self._handler)

    def has_signal(self) -> bool:
        """Whether nobody took the alarm since ``take_signal``."""
        return not self._works or getsignal(signal.SIGALRM) is self._handler

    def start(self, seconds: float) -> None:
        """Start the clock; ``stop`` must follow, whatever happens."""
        if self._works:
            self._running = True
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)

    def stop(self) -> None:
        """Stop the clock. The flag falls first: a signal that is on its way is late, and does nothing."""
        self._running = False
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if not self._running:
            return
        if os.getppid() != self._parent:
            os._exit(1)
        raise TimeUp
