"""The host's side of one fork: starts it, reads what it sends, and ends it."""

from __future__ import annotations

import os
import time
from _socket import AF_UNIX, SOCK_STREAM, socketpair
from errno import EAGAIN, EINTR, ENOMEM

from regrade.fork import live
from regrade.frames import Foreign, Stream, pack
from regrade.pipe import CUT_OFF, TOKEN_BYTES, Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.jobs import Job
    from regrade.mark import Mark

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: Number of characters that are kept of the end of a fork's output outside Python, for messages.
_TAIL = 4_000
_LINES = 12
_SHOWN = 1_000
_SIGKILL = 9
#: Seconds that a fork that closed its pipe has to end before it is killed.
_LAST_MOMENT = 0.2
_TRIES = (0.05, 0.2, 1.0)
_LAST_READS = 16


class Child:
    """A running fork. ``since``: when its work began, or None if it can't have begun."""

    def __init__(self, jobs: list[Job], mark: Mark | None, listens: bool) -> None:
        self.jobs = jobs
        self.mark = mark
        self.since: float | None = time.monotonic()
        #: For a chunk: the job that was running at the last check, and the time of that check.
        self.seen = 0
        self._looked = self.since
        #: Messages with answers, until all have arrived; for a chunk, one for each of the first jobs.
        self.answers: list[bytes] = []
        #: Total size of the answers, in bytes.
        self.size = 0
        self.asked = 0
        #: Number of questions without an answer.
        self.waiting = 0
        self._token = os.urandom(TOKEN_BYTES)
        self._tail = b""
        self._unsent = bytearray()
        out, self._child_out = (each.detach() for each in socketpair(AF_UNIX, SOCK_STREAM))
        self.words, self._child_words = os.pipe()
        self.bell: int | None = None
        self._child_bell: int | None = None
        if mark is not None:
            self.bell, self._child_bell = os.pipe()
        self._child_in: int | None = None
        self.input: int | None = None
        if listens:
            self._child_in, self.input = os.pipe()
        # The fork's end, too, if there is a bell. The host reads the words without blocking, because there may be none.
        for descriptor in (out, self.words, *((self._child_out, self.bell) if self.bell is not None else ())):
            os.set_blocking(descriptor, False)
        self.out = Stream(out, self._token)
        self.pid = 0
        #: The fork's private folder to write in.
        self.folder: str | None = None
        #: True if the fork has ended and was reaped.
        self.gone = False

    def look(self, now: float) -> None:
        """Restart a chunk's clock if a later job is running, which the answers of the earlier ones must confirm. The
        clock starts when the fork says that the job began, but not before the last check."""
        if self.mark is None:
            return
        at, began = self.mark.read()
        if self.seen < at < len(self.jobs) and at == len(self.answers):
            self.seen, self.since = at, min(max(began, self._looked), now)
        self._looked = now

    @property
    def has_moved(self) -> bool:
        """True if a chunk reports another job than at the last check."""
        return self.mark is not None and self.mark.read()[0] != self.seen

    @property
    def descriptors(self) -> list[int]:
        """The host's ends of the pipes, which other forks close."""
        return [each for each in (self.out.descriptor, self.words, self.bell, self.input) if each is not None]

    @property
    def watched(self) -> list[int]:
        """The descriptors to wait for: a chunk's bell, or else the answers themselves."""
        return [self.out.descriptor if self.bell is None else self.bell, self.words]

    def start(self, work: Callable[[Pipe], None], prepare: Callable[[], None]) -> None:
        """Fork. The child closes its copies of the host's ends, calls ``prepare``, and then works."""
        parent = os.getpid()
        self.pid = _fork()
        if self.pid == 0:
            live(lambda: self._be(work, prepare, parent))
        for descriptor in (self._child_out, self._child_words, self._child_bell, self._child_in):
            if descriptor is not None:
                os.close(descriptor)
        if self.input is not None:
            os.set_blocking(self.input, False)
        if self.since is not None:
            self.since = self._looked = time.monotonic()

    def read(self) -> list[tuple[bytes, bytes]] | None:
        """Return the messages that have arrived, each a letter and a body; None if there are none. Raises Forged,
        Malformed."""
        try:
            return self.out.read()
        except Foreign as foreign:
            raise Forged(foreign.frame) from None

    def hear(self, bell: int) -> bool:
        """Read the rings of the bell. Return False if it will not ring any more."""
        try:
            return bool(os.read(bell, 1 << 10))
        except BlockingIOError:
            return True

    def read_words(self) -> bool:
        """Keep the end of the fork's output outside Python. Return False if nothing more will come."""
        try:
            data = os.read(self.words, 1 << 16)
        except BlockingIOError:  # the fork has read it itself
            return True
        self._tail = (self._tail + data)[-_TAIL:]
        return bool(data)

    def send(self, *parts: bytes | bytearray) -> None:
        """Send something to the fork, as much as it accepts now; ``push`` sends the rest."""
        self._unsent += pack(*parts)
        self.push()

    def push(self) -> None:
        """Send what the fork has not accepted yet."""
        try:
            while self._unsent and self.input is not None:
                del self._unsent[: os.write(self.input, self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # it ended, or closed its pipe: its other pipe will tell
            self._unsent.clear()

    @property
    def unsent(self) -> int:
        """Number of bytes that wait to be sent to the fork."""
        return len(self._unsent)

    def kill(self) -> None:
        """Kill the fork and what it started. If the sandbox is in force, it can't have started anything."""
        try:
            os.kill(self.pid, _SIGKILL)
        except ProcessLookupError:
            return
        self._kill_group()

    def last_words(self) -> str:
        """Wait for the end of a fork that did not report it, and describe how it ended; continues "the process …"."""
        until = time.monotonic() + _LAST_MOMENT
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        while pid == 0 and time.monotonic() < until:
            time.sleep(0.001)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return _CUT_OFF_WORDS
        self.gone = True
        self._kill_group()
        self._drain()
        return f"{_end_of(os.waitstatus_to_exitcode(status))}{self._said()}"

    def forget(self) -> None:
        """Drop this fork's messages, in another fork."""
        self.answers.clear()
        self._token = self._tail = b""
        self._unsent[:] = bytes(len(self._unsent))
        self.out = Stream(-1, b"")

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
        chunk = None if self.mark is None or self._child_bell is None else (self.mark, self._child_bell)
        work(Pipe(self._child_out, self._child_in, self._token, chunk))

    def _kill_group(self) -> None:
        try:
            os.killpg(self.pid, _SIGKILL)
        except OSError:  # it has no group of its own, or all of it is gone
            return

    def _drain(self) -> None:
        # Read as much as is kept, and a little more: a process that the fork started may go on writing.
        for _ in range(_LAST_READS):
            if not self.read_words():
                return

    def _said(self) -> str:
        """The last lines, without the host's own frames and without parts that differ in every run (addresses of
        threads)."""
        lines = self._tail.decode("utf-8", "replace").split("\n")
        told = [line for line in lines if line.strip() and "hread 0x" not in line and not _is_ours(line)]
        text = "\n".join(told[-_LINES:])[-_SHOWN:]
        return f"; its last words: {text}" if text else ""


class Forged(Exception):
    """Data in a fork's pipe that Regrade's own code did not write."""

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
    from signal import Signals

    try:
        name = Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = " (the system may have run out of memory)" if name == "SIGKILL" else ""
    return f"was killed by {name}{why}"
