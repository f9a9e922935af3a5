"""A time limit for code on the main thread, which also interrupts ``re`` and ``time.sleep``."""

from __future__ import annotations

# The module ``signal`` imports ``enum``, and its functions look each handler up among its constants, for every sample.
import _signal as signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_AGAIN = 0.1


class TimeUp(BaseException):
    """The sample's time is up. It is no ``Exception``, so that a user's ``except Exception`` does not catch it."""


class Timer:
    """Raises TimeUp in the main thread, and again every tenth of a second, because a bare ``except`` may swallow the
    first one.

    Code that swallows all of them is ended from outside, by the process that forked this one or by Node; if Node is
    gone, it ends here. Windows has no such timer, so Node alone ends it there.
    """

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._running = False
        self._works = hasattr(signal, "setitimer")
        self._handler = self._ring

    def take_signal(self) -> None:
        """Take the alarm signal, at first and again later, because a grader may have used it for its own time-out."""
        if self._works:
            signal.signal(signal.SIGALRM, self._handler)

    def has_signal(self) -> bool:
        """Return whether the alarm has not been taken by others since ``take_signal``."""
        return not self._works or signal.getsignal(signal.SIGALRM) is self._handler

    def start(self, seconds: float) -> None:
        """Start the clock; ``stop`` must follow, whatever happens."""
        if self._works:
            self._running = True
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)

    def stop(self) -> None:
        """Stop the clock. The flag is cleared first, so that a signal that is already on its way does nothing."""
        self._running = False
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if not self._running:
            return
        if os.getppid() != self._parent:
            os._exit(1)
        raise TimeUp
