"""The fork's side of the pipes: its answers and questions on their way to the host that made it.

A message is a frame: the fork's token, a letter, a body. ``L``: lines of answers; of a chunk one, which leaves before
the next job is looked at. ``A``: a question for a model. ``E``: the end, with how many answers there are. They go
through a socket: unlike a pipe it can't be opened again in /proc, to take back or change what was sent. What user code
writes into it has no token, unless it looked for it in its own memory: then it can forge the answers of its own fork,
and of no other.
"""

from __future__ import annotations

import os
from select import POLLOUT, poll

from regrade.codec import decode, encode
from regrade.frames import Inbox, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from regrade.frames import Body
    from regrade.mark import Mark

TOKEN_BYTES = 12
_RING = b"."
#: Exit code of a fork that could not deliver its answers, because user code closed its pipe.
CUT_OFF = 74
_TOGETHER = 256 * 1024


class Pipe:
    """A fork's connection to the host. ``reads_from`` is None if the fork receives nothing. ``bell``: for a chunk,
    whose answers the host reads together; it rings when all answers are there, or when no more can be sent."""

    def __init__(
        self, writes_to: int, reads_from: int | None, token: bytes, chunk: tuple[Mark, int] | None = None
    ) -> None:
        self.mark: Mark | None = None
        self._bell: int | None = None
        if chunk is not None:
            self.mark, self._bell = chunk
        self._out = writes_to
        self._inbox = None if reads_from is None else Inbox(reads_from)
        self._frames: list[Body] = []
        self._token = token
        self._lines: list[str] = []
        self._waiting = 0
        self._asked = 0
        #: Number of characters of answers so far.
        self.written = 0

    def add(self, lines: list[str]) -> None:
        """Add answers, which are sent in messages of some size."""
        for line in lines:
            if self._waiting + len(line) > _TOGETHER:
                self._flush()
            self._lines.append(line)
            self._waiting += len(line) + 1
            self.written += len(line) + 1

    def send(self, line: str) -> None:
        """Send an answer at once."""
        self.written += len(line)
        self._send(b"L", line)

    def end(self, answered: int, changed: str | None = None) -> None:
        """Report that all answers were given. ``changed``: what the jobs changed for each other."""
        last = [self._message(b"L", "\n".join(self._lines))] if self._lines else []
        # A single write, so that the host wakes up once.
        self._write(b"".join([*last, self._message(b"E", encode({"answered": answered, "changed": changed}))]))
        self._ring()

    def read_jobs(self) -> Iterator[str]:
        """Yield the lines of a job that comes in parts (``P``) as they arrive, until it is complete (``G``)."""
        while (frame := self._next())[:1] != b"G":
            yield from str(frame[1:], "utf-8").split("\n")

    def ask(self, helper: str, request: str) -> dict[str, object]:
        """Ask, and wait for the end of the call. If a time-out interrupts the wait, the answer comes late."""
        index = self._asked
        self._asked += 1
        self._send(b"A", f'{{"helper":{encode(helper)},"request":{request}}}')
        while True:
            number, _, text = str(self._next(), "utf-8").partition("\n")
            if int(number) == index:
                end: dict[str, object] = decode(text)
                return end

    def _flush(self) -> None:
        if self._lines:
            self._send(b"L", "\n".join(self._lines))
        self._lines = []
        self._waiting = 0

    def _send(self, letter: bytes, body: str) -> None:
        self._write(self._message(letter, body))

    def _message(self, letter: bytes, body: str) -> bytes:
        return pack(self._token, letter, body.encode("ascii"))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._out, left) :]
            except BlockingIOError:
                self._ring()
                room = poll()
                room.register(self._out, POLLOUT)
                room.poll()
            except OSError:
                os._exit(CUT_OFF)

    def _ring(self) -> None:
        """Wake the host up."""
        try:
            if self._bell is not None:
                os.write(self._bell, _RING)
        except OSError:
            os._exit(CUT_OFF)

    def _next(self) -> Body:
        if not self._frames and self._inbox is not None:
            self._frames = self._inbox.wait()
        if not self._frames:
            os._exit(CUT_OFF)
        return self._frames.pop(0)
