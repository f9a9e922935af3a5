"""The host's side of one fork: how it is made, what comes from it, and how it is ended."""

from __future__ import annotations

import os
import signal
import time
from errno import EAGAIN, EINTR, ENOMEM

from regrade.fork import live
from regrade.frames import FRAME_LIMIT, Inbox, pack
from regrade.pipe import CUT_OFF, TOKEN_BYTES, Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.jobs import Job
    from regrade.mark import Mark

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: What is kept of the end of what a fork prints past Python, for messages.
_TAIL = 4_000
_LINES = 12
#: Messages that are read in one go; other forks have their turn then.
_AT_ONCE = 16
_SHOWN = 1_000
#: How long a fork that closed its pipe may take to end, before it is ended.
_LAST_MOMENT = 0.2
_TRIES = (0.05, 0.2, 1.0)


class Child:
    """A fork at work. ``since``: when its work began, or None where it can't have begun."""

    def __init__(self, jobs: list[Job], mark: Mark | None, listens: bool) -> None:
        self.jobs = jobs
        self.mark = mark
        self.since: float | None = time.monotonic()
        #: Of a chunk: the job that was seen under way last.
        self.seen = -1
        #: Messages of answers, until all are there.
        self.answers: list[bytes] = []
        #: Bytes of them.
        self.size = 0
        self.asked = 0
        #: Questions without an answer.
        self.waiting = 0
        self._token = os.urandom(TOKEN_BYTES)
        self._tail = b""
        self._unsent = bytearray()
        ends = [*os.pipe(), *os.pipe(), *(os.pipe() if listens else ())]
        out, self._child_out, self.words, self._child_words = ends[:4]
        os.set_blocking(out, False)
        self.inbox = Inbox(out, FRAME_LIMIT + TOKEN_BYTES)
        self._child_in: int | None = ends[4] if listens else None
        self.input: int | None = ends[5] if listens else None
        self.pid = 0

    def look(self, now: float) -> None:
        """Of a chunk: start the clock anew where a later job is under way. What a fork says of time is not heard."""
        if self.mark is not None and self.seen < (at := self.mark.read()[0]) < len(self.jobs):
            self.seen, self.since = at, now

    @property
    def descriptors(self) -> list[int]:
        """The host's ends of the pipes, for other forks to close."""
        return [each for each in (self.inbox.descriptor, self.words, self.input) if each is not None]

    def start(self, work: Callable[[Pipe], None], prepare: Callable[[], None]) -> None:
        """Fork. The child closes its side of the host's ends, calls ``prepare``, then works."""
        parent = os.getpid()
        self.pid = _fork()
        if self.pid == 0:
            live(lambda: self._be(work, prepare, parent))
        for descriptor in (self._child_out, self._child_words, self._child_in):
            if descriptor is not None:
                os.close(descriptor)
        if self.input is not None:
            os.set_blocking(self.input, False)

    def read(self) -> list[tuple[bytes, bytes]]:
        """Return the messages that are there: a letter and a body. Raises Forged and Malformed."""
        messages = []
        for _ in range(_AT_ONCE):
            frames = self.inbox.take()
            if not frames:
                break
            frame = bytes(frames[0])
            if frame[:TOKEN_BYTES] != self._token or len(frame) == TOKEN_BYTES:
                raise Forged(frame)
            at = TOKEN_BYTES + 1
            messages.append((frame[TOKEN_BYTES:at], frame[at:]))
        return messages

    def read_words(self) -> bool:
        """Keep the end of what the fork prints past Python. Return False where nothing more will come."""
        data = os.read(self.words, 1 << 16)
        self._tail = (self._tail + data)[-_TAIL:]
        return bool(data)

    def send(self, *parts: bytes | bytearray) -> None:
        """Say something to the fork, as far as it listens; ``push`` sends the rest."""
        self._unsent += pack(*parts)
        self.push()

    def push(self) -> None:
        """Send what the fork did not take yet."""
        try:
            while self._unsent and self.input is not None:
                del self._unsent[: os.write(self.input, self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # it ended, or closed its pipe: its other one tells
            self._unsent.clear()

    @property
    def unsent(self) -> int:
        """Bytes that wait for the fork to listen."""
        return len(self._unsent)

    def kill(self) -> None:
        """End it at once, and what it started; where the sandbox holds it can't have started anything."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self._kill_group()

    def last_words(self) -> str:
        """Wait for the end of a fork that said nothing of it, and say how it ended; this continues "the process …"."""
        until = time.monotonic() + _LAST_MOMENT
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        while pid == 0 and time.monotonic() < until:
            time.sleep(0.001)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            self.kill()
            os.waitpid(self.pid, 0)
            return _CUT_OFF_WORDS
        self._kill_group()
        self._drain()
        return f"{_end_of(os.waitstatus_to_exitcode(status))}{self._said()}"

    def close(self) -> None:
        """Close the pipes."""
        for descriptor in self.descriptors:
            os.close(descriptor)

    def _be(self, work: Callable[[Pipe], None], prepare: Callable[[], None], parent: int) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)
        os.dup2(self._child_words, 1)
        os.dup2(self._child_words, 2)
        os.close(self._child_words)
        prepare()
        if os.getppid() != parent:
            return
        work(Pipe(self._child_out, self._child_in, self._token, self.mark))

    def _kill_group(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:  # it has no group of its own, or all of it is gone
            return

    def _drain(self) -> None:
        os.set_blocking(self.words, False)
        try:
            while self.read_words():
                pass
        except OSError:
            pass

    def _said(self) -> str:
        """The last lines, without what differs from run to run (addresses of threads) and the host's own frames."""
        lines = self._tail.decode("utf-8", "replace").split("\n")
        told = [line for line in lines if line.strip() and "hread 0x" not in line and not _is_ours(line)]
        text = "\n".join(told[-_LINES:])[-_SHOWN:]
        return f"; its last words: {text}" if text else ""


class Forged(Exception):
    """What came through a fork's pipe is not from Regrade's side of it."""

    def __init__(self, frame: bytes = b"") -> None:
        super().__init__(f'"{frame[:100].decode("utf-8", "replace")}"' if frame else "bytes that are no frame")


_CUT_OFF_WORDS = "closed the descriptors through which it answers"


def _is_ours(line: str) -> bool:
    return _HERE in line or 'File "<frozen ' in line


def _fork() -> int:
    for pause in _TRIES:
        try:
            return os.fork()
        except OSError as error:
            if error.errno not in (EAGAIN, ENOMEM, EINTR):
                raise
            time.sleep(pause)
    return os.fork()


def _end_of(code: int) -> str:
    if code in (CUT_OFF, 71):
        return _CUT_OFF_WORDS
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = " (the system may have run out of memory)" if name == "SIGKILL" else ""
    return f"was killed by {name}{why}"
