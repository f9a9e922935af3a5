"""Runs jobs in this process, one after the other: keeps what they print, limits their time, and turns what they raise
into an answer."""

from __future__ import annotations

import os
from mmap import mmap

from regrade.capture import Capture
from regrade.codec import encode
from regrade.frames import FRAME_LIMIT
from regrade.timer import Timer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from regrade.program import Ask, Program

#: Limit of a result, which leaves room for a frame's head and the rest of the answer's line.
LINE_LIMIT = FRAME_LIMIT - 64 * 1024
#: Address space that is released when memory runs out, so that there is some left for reporting it. It is never written
#: to.
_RESERVE = 1 << 20


class Runner:
    """Runs jobs. Make one in the process that runs them, after the fork, because its timer belongs to that process."""

    def __init__(self, program: Program) -> None:
        #: True if the last job left this process in a state that no other job should meet: out of memory, out of time.
        self.shaken = False
        self._program = program
        self._capture = Capture()
        self._timer = Timer()
        self._timer.take_signal()
        self._process = os.getpid()
        self._reserve = mmap(-1, _RESERVE)

    def run(self, lines: list[str] | Iterator[str], ask: Ask | None) -> list[str]:
        """Return the answer's lines: ``{"result": …, "printed": …}``, and what the program adds."""
        self._capture.begin()
        answer = self._work(lines, ask)
        if os.getpid() != self._process:
            os._exit(0)  # a fork by user code that came back here: the parent answers
        printed = self._capture.text()
        said = "null" if printed is None else encode(printed)
        answer[0] = f'{{"result":{answer[0]},"printed":{said}}}'
        longest = len(answer[0]) if len(answer) == 1 else max(map(len, answer))
        if longest > LINE_LIMIT:
            return [f'{{"result":{self._program.on_fault(TooLarge(longest))},"printed":null}}']
        return answer

    def _work(self, lines: list[str] | Iterator[str], ask: Ask | None) -> list[str]:
        """Do the work. The clock runs while user code may run: in ``grade``, and in the ``repr`` of what it
        returned."""
        self.shaken = False
        if not self._timer.has_signal():
            self._timer.take_signal()  # user code used the alarm for a time-out of its own
        try:
            try:
                self._timer.start(self._program.timeout_seconds)
                if self._program.stream is not None:
                    return self._program.stream(iter(lines))
                return self._program.work(lines if isinstance(lines, list) else list(lines), ask)
            finally:
                self._timer.stop()
        except BaseException as error:
            self._timer.stop()
            self.shaken = not isinstance(error, Exception) or isinstance(error, (MemoryError, RecursionError))
            if isinstance(error, MemoryError):
                self._reserve.close()
            return [self._say(error)]

    def _say(self, error: BaseException) -> str:
        try:
            return self._program.on_fault(error)
        except MemoryError:
            pass
        # The traceback holds the frames, and the frames hold what filled the memory.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        return self._program.on_fault(error)


class TooLarge(Exception):
    """A result that is too large for a frame."""

    def __init__(self, characters: int) -> None:
        super().__init__(f"a result of {characters} characters; at most {LINE_LIMIT} are kept")
